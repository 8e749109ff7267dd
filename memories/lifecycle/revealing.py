"""Showing a person what is masked everywhere else: asked for row by row, and audited."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.models import Event, Memory
from memories.scanning import credentials
from memories.values.choices import ActorKind, Permission
from memories.values.exceptions import NotAllowed
from memories.values.text import as_text
from memories.values.trust import Trust

MOST_TEXTS = 100  # of an episode; each is at most as long as an event may be


@dataclass(frozen=True)
class Revealed:
    """A text that holds a credential, in clear. `place`: the column, or what an event's part is called."""

    place: str
    text: str


def reveal(memory: Memory, *, trust: Trust, at: datetime) -> list[Revealed]:
    """The texts of a visible memory that hold credentials, in clear; of an episode also those of its events. One audit
    row says who asked. NotAllowed: an agent, or a person without `review`.
    """
    if trust.actor.kind != ActorKind.PERSON or not trust.may(Permission.REVIEW):
        raise NotAllowed("only a person who may review reveals a secret")
    texts = []
    for place, value in _values(memory):
        text = as_text(value)
        if credentials.is_in(text):
            texts.append(Revealed(place, text))
        if len(texts) == MOST_TEXTS:
            break
    memory.audit("reveal", by=trust.actor, at=at).save(force_insert=True)
    return texts


def _values(memory: Memory) -> Iterator[tuple[str, Any]]:
    yield "content", memory.content
    yield "payload", memory.payload
    if not hasattr(memory, "episode"):
        return
    episode = memory.episode
    yield from (("title", episode.title), ("environment", episode.environment), ("artifacts", episode.artifacts))
    for event in Event.objects.filter(episode=episode).select_related("instruction").order_by("position").iterator(100):
        parts = {"text": event.words, "summary": event.summary, "args": event.args, "result": event.result}
        yield from ((f"event {event.position}: {name}", value) for name, value in parts.items())
        yield f"event {event.position}: context", event.context
