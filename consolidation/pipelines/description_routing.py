"""Whether a skill's description brings the requests that it is for: tried on the openings of recorded runs, by the
search that agents use, before anybody sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories import embedding
from memories.models import EmbeddingModel, Event, Evidence, Memory, Passage
from memories.search.request import SearchRequest
from memories.search.run import find
from memories.values import roles
from memories.values.choices import LIVE, Sensitivity, Type
from memories.values.trust import everything

MOST_OWN, MOST_OTHERS = 8, 16
LONGEST_OPENING = 500  # characters


@dataclass(frozen=True)
class Openings:
    """What users said first in the latest runs behind a skill, and in those behind other live skills of its scope."""

    own: Sequence[str]
    others: Sequence[str]


@dataclass(frozen=True)
class Routing:
    """By how many of these openings the skill is found first."""

    own: int
    of_own: int
    others: int
    of_others: int

    @property
    def score(self) -> float:
        """The share of its own runs that it brings, less that of its neighbours'."""
        return self.own / max(1, self.of_own) - self.others / max(1, self.of_others)

    @property
    def said(self) -> str:
        return (
            f"found first for {self.own} of {self.of_own} openings of its own runs, "
            f"{self.others} of {self.of_others} of its neighbours'"
        )


def openings_of(memory: Memory, episode: UUID | None = None) -> Openings:
    """`episode`: one that is about to be evidence of the skill, too."""
    evidence = Evidence.objects.exclude(episode=None).order_by("-at", "-pk")
    own = list(evidence.filter(memory=memory).values_list("episode", flat=True)[:MOST_OWN])
    own = list(dict.fromkeys([*([episode] if episode else []), *own]))[:MOST_OWN]
    skills = Memory.objects.filter(type=Type.COMPETENCE, scope=memory.scope, status__in=LIVE).exclude(pk=memory.pk)
    beside = evidence.filter(memory__in=skills).exclude(episode__in=own)
    beside = beside.filter(episode__memory__sensitivity__lte=memory.sensitivity)
    return Openings(_said_first(own), _said_first(beside.values_list("episode", flat=True)[:MOST_OTHERS]))


def _said_first(episodes: Any) -> list[str]:
    """One text of each conversation in which a user spoke."""
    spoken = Event.objects.spoken_by(roles.USER).filter(episode__in=list(episodes)).exclude(text="")
    first = spoken.order_by("episode", "position").distinct("episode").values_list("text", flat=True)
    return [text[:LONGEST_OPENING] for text in first]


def routing(memory: Memory, description: str, openings: Openings, *, at: datetime) -> Routing | None:
    """As if the skill had this description; nothing of that stays. None: nothing to try it on, or an endpoint embeds
    texts, which may not be asked within a transaction."""
    if not openings.own or EmbeddingModel.objects.serving() != embedding.built_in().name:
        return None
    with transaction.atomic():
        changed = Memory.objects.select_for_update(of=("self",)).get(pk=memory.pk)
        changed.content = description
        Memory.objects.filter(pk=memory.pk).update(content=description)
        Passage.objects.rewrite(changed)
        own, others = (sum(_finds(memory, text, at=at) for text in texts) for texts in (openings.own, openings.others))
        transaction.set_rollback(True)
    return Routing(own, len(openings.own), others, len(openings.others))


def _finds(memory: Memory, opening: str, *, at: datetime) -> bool:
    """By words and meaning alone: where runs speak for a skill, no description is needed."""
    place: dict[str, Any] = {"scopes": [memory.scope] if memory.scope else [], "statuses": list(LIVE)}
    level = Sensitivity(memory.sensitivity).label
    asked = {"query": opening, "types": [Type.COMPETENCE.value], "max_sensitivity": level, "limit": 1, **place}
    results = find(SearchRequest.model_validate(asked), trust=everything(), at=at, votes=False)
    return any(result.memory.pk == memory.pk for result in results.results)
