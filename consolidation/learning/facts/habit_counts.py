"""Counts of cases behind a habit: states of records, and sums."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from consolidation.learning.chance import at_least
from consolidation.learning.facts.argument_counts import LEAST_SURE, SourcedCall
from consolidation.learning.facts.argument_sums import TIMES

LEAST_CASES = 5
NEARLY_ALL = 0.95
MOST_STATES, MOST_OTHERS = 6, 12  # of one field
MOST_USUAL = 3  # states of one field
MOST_SUMS = 8  # that are kept, those that were met most often


def is_habit(cases: int, of: int) -> bool:
    return of >= LEAST_CASES and cases >= NEARLY_ALL * of and at_least(cases, of) >= LEAST_SURE


@dataclass(frozen=True)
class States:
    """Cases of a field of the records that calls acted on: `own` states of theirs, `others` that their runs showed."""

    of: int = 0
    own: Mapping[str, int] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)

    def plus(self, more: "States") -> "States":
        own, others = Counter(self.own) + Counter(more.own), Counter(self.others) + Counter(more.others)
        return States(self.of + more.of, dict(own), dict(others))

    @property
    def are_few(self) -> bool:
        """Whether these are states: what has a value of its own in every case is none."""
        return len(self.own) <= MOST_STATES and len(self.others) <= MOST_OTHERS

    def against(self, state: str) -> tuple[Sequence[str], int, int] | None:
        """Return (usual states, cases, of) where nearly no call worked with this one, though others were met: a field
        that never varied says nothing. Of two or three usual states, this one itself must have been met."""
        without = self.of - self.own.get(state, 0)
        usual = sorted(one for one, cases in self.own.items() if cases > (1 - NEARLY_ALL) * self.of)
        others = [cases for one, cases in self.others.items() if one == state or (len(usual) == 1 and one not in usual)]
        met = max(others, default=0) >= LEAST_CASES
        is_unusual = met and len(usual) <= MOST_USUAL and is_habit(without, self.of)
        return (usual, without, self.of) if is_unusual else None


@dataclass(frozen=True)
class Sums:
    """Cases of one sum beside a number that was sent: it was `reached` or exceeded, it was `met` exactly."""

    of: int = 0
    reached: int = 0
    met: int = 0

    def plus(self, more: "Sums") -> "Sums":
        return Sums(self.of + more.of, self.reached + more.reached, self.met + more.met)


def required(sums: Mapping[str, Sums], below: Iterable[str]) -> tuple[str, int, int] | None:
    """Return (sum, cases, of): one of these that nearly every call that worked reached and most met exactly.

    A sum times a quantity must have been met more often than without it.
    """
    arguments = [
        (total.met, name)
        for name in below
        if (total := sums.get(name))
        and is_habit(total.reached, total.of)
        and 2 * total.met >= total.of
        and (TIMES not in name or total.met > sums.get(name.partition(TIMES)[0], Sums()).met)
    ]
    if not arguments:
        return None
    _, name = max(arguments, key=lambda one: (one[0], -len(one[1]), one[1]))
    return name, sums[name].reached, sums[name].of


def states_of(cases: Iterable[Sequence[SourcedCall]]) -> dict[str, States]:
    """Return the states of each field that has few."""
    counted: dict[str, States] = {}
    for calls in cases:
        met: dict[str, tuple[set[str], set[str]]] = {}
        for place, (own, others) in (of_case for call in calls for of_case in call.states.items()):
            mine, rest = met.setdefault(place, (set(), set()))
            mine.update(own)
            rest.update(others)
        for place, (mine, rest) in met.items():
            of_case = States(1, dict.fromkeys(mine, 1), dict.fromkeys(rest, 1))
            counted[place] = counted.get(place, States()).plus(of_case)
    return {place: states for place, states in sorted(counted.items()) if states.are_few}


def sums_of(cases: Iterable[Sequence[SourcedCall]]) -> dict[str, Sums]:
    """Return the sums that were met most often, and those without their quantities."""
    counted: dict[str, Sums] = {}
    for calls in cases:
        for name in {name for call in calls for name in call.sums}:
            signs = [call.sums[name] for call in calls if name in call.sums]
            of_case = Sums(1, int(min(signs) >= 0), int(not any(signs)))
            counted[name] = counted.get(name, Sums()).plus(of_case)
    most = sorted(
        (name for name, of_case in counted.items() if of_case.met), key=lambda name: (-counted[name].met, name)
    )
    kept = {part for name in most[:MOST_SUMS] for part in (name, name.partition(TIMES)[0])}
    return {name: counted[name] for name in sorted(kept)}
