"""What was visible after each verb, to be compared with what `as_of` answers in the end."""

from datetime import datetime
from typing import Any

from memories.api.memory_shape import RELATED
from memories.api.memory_shape import Memory as Shown
from memories.models import Memory
from memories.models.as_of import AsOf
from memories.models.memory import MemoryQuerySet
from memories.search import check, find
from memories.values.choices import Status
from memories.values.trust import Trust, everything
from tests.rulebook.catalogue import STATEMENTS

Json = dict[str, Any]
TODAY = ("times_used", "last_used_at")  # of then there is no record
QUESTIONS = sorted({statement.text for statement in STATEMENTS})
EVERY_STATUS = {"statuses": list(Status.values), "limit": 100}


def shown(rows: MemoryQuerySet, at: datetime) -> dict[str, Json]:
    """Every row as the API shows it."""
    found = (Shown.of(row, at=at) for row in rows.select_related(*RELATED))
    return {str(one["id"]): {name: value for name, value in one.items() if name not in TODAY} for one in found}


class Timeline:
    """Notes what can be seen at each instant, by a person who sees everything and by an agent of lesser clearance."""

    def __init__(self, agent: Trust, *, every: int = 8) -> None:
        self.trusts, self.every = (everything(), agent), every
        self.steps: dict[datetime, list[dict[str, Json]]] = {}
        self.searches: dict[datetime, tuple[str, set[tuple[str, ...]]]] = {}

    def note(self, at: datetime) -> None:
        self.steps[at] = [shown(Memory.objects.visible_to(trust), at) for trust in self.trusts]
        if len(self.steps) % self.every == 0:
            question = QUESTIONS[len(self.steps) % len(QUESTIONS)]
            self.searches[at] = question, self._search(question, at)

    def _search(self, question: str, now: datetime, **more: Any) -> set[tuple[str, ...]]:
        found = find(check({"query": question} | EVERY_STATUS | more), trust=self.trusts[0], at=now).results
        rows = [one.memory for one in found]
        return {(str(row.pk), row.content, row.status, str(row.confidence)) for row in rows}

    def check(self, now: datetime) -> None:
        """Ask for every instant again. What is gone since is in none of them, and what is above one today neither."""
        there = [{str(pk) for pk in Memory.objects.visible_to(t).values_list("pk", flat=True)} for t in self.trusts]
        for at, noted in self.steps.items():
            for trust, seen, left in zip(self.trusts, noted, there, strict=True):
                rows = Memory.objects.visible_to(trust).as_of(AsOf(at, trust.max_sensitivity))
                expected = {pk: one for pk, one in seen.items() if pk in left}
                assert _differing(shown(rows, at), expected) == {}, at
        for at, (question, seen_then) in self.searches.items():
            expected_found = {one for one in seen_then if one[0] in there[0]}
            assert self._search(question, now, as_of=at.isoformat()) == expected_found, (at, question)


def _differing(one: dict[str, Json], other: dict[str, Json]) -> dict[str, Any]:
    """Where they differ, for the report of a failure."""
    pairs = ((pk, one.get(pk, {}), other.get(pk, {})) for pk in one | other)
    return {
        pk: {name: (a.get(name), b.get(name)) for name in a | b if a.get(name) != b.get(name)}
        for pk, a, b in pairs
        if a != b
    }
