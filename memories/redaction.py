"""What one memory tells of another: the ids that a revision left are shown only to who may see what they name."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from uuid import UUID

from memories.models import Adaptation, Memory, Proposal, Tombstone
from memories.values.choices import Sensitivity
from memories.values.trust import Trust

OF_A_MEMORY = ("payload", "revision", "relation", "provenance", "sources")
HOLDERS = ("results", "memory", "history", "before", "after", *OF_A_MEMORY)  # where they stand
NAMES = {
    "revision": ("superseded_by", "supersedes", "merged_into"),
    "relation": ("source", "target"),
    "sources": ("ref",),
}
OF_MEMORIES = ("supersede", "fork", "merge", "contest", "episode")  # other sources' `ref` is the caller's own word
COLUMNS = ("payload", "provenance", "before", "after")  # of rows, where such ids stand


def veil(answer: Any, trust: Trust) -> None:
    """Leaves those out of `answer`, in place. One query however long it is, and none where it names nothing."""
    named = [*_named(answer)]
    if not named:
        return
    ids = {value for holder, names in named for name in names if (value := _id(holder.get(name)))}
    seen = set(Memory.objects.visible_to(trust).filter(pk__in=ids).values_list("pk", flat=True))
    for holder, names in named:
        for name in names:
            if (value := _id(holder.get(name))) and value not in seen:
                del holder[name]


def redacted_payload(memory: Memory, trust: Trust) -> dict[str, Any]:
    """A copy of its payload without them, for a page."""
    payload: dict[str, Any] = deepcopy(memory.payload)
    veil({"payload": payload}, trust)
    return payload


def no_longer_seen(answer: Any, trust: Trust) -> set[UUID]:
    """The ids in an answer from before of what the caller may not see now. An own row that stands as high as it did is
    not among them: its caller may hear again what it said itself."""
    levels = dict(_levels(answer))
    if not levels:
        return set()
    memories = Memory.objects.exclude(trust.visible()).filter(pk__in=levels)
    hidden = {
        pk
        for pk, maker, level in memories.values_list("pk", "created_by_id", "sensitivity")
        if maker != trust.actor.identity or Sensitivity(level).label != levels[pk]
    }
    for model in (Proposal, Tombstone, Adaptation):
        rows = model._default_manager.exclude(trust.visible()).filter(pk__in=levels)
        hidden |= set(rows.values_list("pk", flat=True))
    return hidden


def _levels(answer: Any) -> Iterator[tuple[UUID, Any]]:
    """The rows that an answer shows, with the sensitivity that it names."""
    rows = answer.get("results", [answer]) if isinstance(answer, dict) else []
    for row in rows:
        for shown in (row, row.get("memory"), row.get("episode")):
            if isinstance(shown, dict) and (id := _id(shown.get("id"))):
                yield id, shown.get("sensitivity")


def _named(answer: Any, place: str = "") -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    if isinstance(answer, list):
        for item in answer:
            yield from _named(item, place)
    elif isinstance(answer, dict):
        if place in NAMES and (place != "sources" or answer.get("kind") in OF_MEMORIES):
            yield answer, NAMES[place]
        for name in HOLDERS:
            if name in answer:
                yield from _named(answer[name], name)


def _id(value: Any) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
