"""Habits of one argument: what nearly all calls that worked had in common, of the states of records and of sums.

Counts are cases in which a call returned no error, however the run ended. That successful runs took a value from some
place may be chance; that no call ever worked with a value from elsewhere is a rule of the tool.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self
from uuid import UUID

from consolidation.learning.chance import at_least
from consolidation.learning.facts.argument_calls import ArgumentCall
from consolidation.learning.facts.shown_records import ARROW, TIMES

LEAST_SURE = 0.5  # lower bound of the share of cases that ended well with the source
LEAST_CASES = 5
NEARLY_ALL = 0.95
MOST_STATES, MOST_OTHERS = 6, 12  # of one field
MOST_USUAL = 3  # states of one field
MOST_SUMS = 8  # that are kept, those that were met most often
LEAST_TOGETHER = 10  # cases: in few runs much stands together by chance
MOST_SOURCES = 12  # that are kept, the most frequent ones
States = tuple[int, dict[str, int], dict[str, int]]  # cases; states of the records acted on; others that were shown
Sums = tuple[int, int, int]  # cases; in which the sum was reached or exceeded; in which it was met exactly
Pairs = tuple[int, int]  # cases in which it was so; cases


@dataclass(frozen=True)
class Shown:
    """The calls of one run with one argument, and the run's outcome."""

    case: UUID
    outcome: str
    calls: tuple[ArgumentCall, ...]

    @classmethod
    def read(cls, case: UUID, outcome: str, calls: Sequence[Mapping[str, Any]]) -> "Shown":
        """Build it from the plain JSON values of `argument_calls.kept`."""
        return cls(case, outcome, tuple(map(ArgumentCall.of_row, calls)))

    @property
    def well(self) -> tuple[ArgumentCall, ...]:
        """The calls that worked in a successful run."""
        return tuple(call for call in self.calls if call.worked) if self.outcome == "success" else ()


def is_habit(cases: int, of: int) -> bool:
    return of >= LEAST_CASES and cases >= NEARLY_ALL * of and at_least(cases, of) >= LEAST_SURE


def plus(one: Any, other: Any) -> Any:
    """Add counts, and what holds counts: by name, or at the same places."""
    if isinstance(one, Mapping):
        sides = ((name, [side[name] for side in (one, other) if name in side]) for name in one.keys() | other.keys())
        return {name: plus(*counts) if len(counts) > 1 else counts[0] for name, counts in sides}
    if isinstance(one, int):
        return one + other
    return tuple(map(plus, one, other))


def states_of(cases: Iterable[Sequence[ArgumentCall]]) -> dict[str, States]:
    """Return the states of each field that has few: what has a value of its own in every case has none."""
    counted: dict[str, States] = {}
    for calls in cases:
        met: dict[str, tuple[set[str], set[str]]] = {}
        for place, (own, others) in (of_case for call in calls for of_case in call.states.items()):
            mine, rest = met.setdefault(place, (set(), set()))
            mine.update(own)
            rest.update(others)
        of_case = {place: (1, dict.fromkeys(mine, 1), dict.fromkeys(rest, 1)) for place, (mine, rest) in met.items()}
        counted = plus(counted, of_case)
    few = (name for name, (_, own, others) in counted.items() if len(own) <= MOST_STATES and len(others) <= MOST_OTHERS)
    return {place: counted[place] for place in sorted(few)}


def sums_of(cases: Iterable[Sequence[ArgumentCall]]) -> dict[str, Sums]:
    """Return the sums that were met most often, and those without their quantities."""
    counted: dict[str, Sums] = {}
    for calls in cases:
        for name in {name for call in calls for name in call.sums}:
            signs = [call.sums[name] for call in calls if name in call.sums]
            counted[name] = plus(counted.get(name, (0, 0, 0)), (1, int(min(signs) >= 0), int(not any(signs))))
    most = sorted((name for name, (*_, met) in counted.items() if met), key=lambda name: (-counted[name][2], name))
    kept = {part for name in most[:MOST_SUMS] for part in (name, name.partition(TIMES)[0])}
    return {name: counted[name] for name in sorted(kept)}


def pairs_of(cases: Iterable[Sequence[ArgumentCall]], kind: str) -> dict[str, Pairs]:
    """Return of each other argument in how many cases all calls were so, of those in which it was there."""
    counted: dict[str, Pairs] = {}
    for calls in cases:
        told = [getattr(call, kind) for call in calls]
        names = {name for each in told for name in each}
        counted = plus(counted, {name: (int(all(each.get(name, True) for each in told)), 1) for name in names})
    return counted


@dataclass(frozen=True)
class Habits:
    """Of `of` cases: `shown`: every value had occurred before; `sources`: place -> cases with every value from there;
    `beside`: other list argument -> (cases with lists of one length, cases with both); `states`: field of the records
    that the values name -> its states; `sums`: of their numbers, beside amounts;
    `together`: other argument -> (cases that showed both at once, cases that showed both)."""

    of: int = 0
    shown: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)
    beside: Mapping[str, Pairs] = field(default_factory=dict)
    states: Mapping[str, States] = field(default_factory=dict)
    sums: Mapping[str, Sums] = field(default_factory=dict)
    together: Mapping[str, Pairs] = field(default_factory=dict)

    @classmethod
    def counted(cls, shown: Iterable[Shown]) -> Self:
        by_case: dict[UUID, list[ArgumentCall]] = {}
        for row in shown:
            if worked := [call for call in row.calls if call.worked]:
                by_case.setdefault(row.case, []).extend(worked)
        cases = list(by_case.values())
        places: Counter[str] = Counter()
        for calls in cases:
            places.update(frozenset.intersection(*(values for call in calls for values in call.places)))
        return cls(
            of=len(cases),
            shown=sum(all(all(call.places) for call in calls) for calls in cases),
            sources=dict(places.most_common(MOST_SOURCES)),
            beside=pairs_of(cases, "beside"),
            states=states_of(cases),
            sums=sums_of(cases),
            together=pairs_of(cases, "together"),
        )

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Build it from `kept`; what was never counted has no case."""
        return cls(**kept)

    def kept(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    def plus(self, other: "Habits") -> "Habits":
        """Add counts of other runs."""
        return Habits(**plus(self.kept(), other.kept()))

    @property
    def are_shown(self) -> bool:
        """Whether nearly every call that worked sent only what had occurred before."""
        return is_habit(self.shown, self.of)

    @property
    def from_results(self) -> Sequence[str]:
        """The fields from which nearly every call that worked took its values, the most frequent first."""
        sources = [place for place, cases in self.sources.items() if ARROW in place and is_habit(cases, self.of)]
        return sorted(sources, key=lambda place: (-self.sources[place], len(place), place))

    def as_long_as(self) -> Iterable[str]:
        """Yield the list arguments that were of the same length in nearly every call that worked."""
        return (name for name, (even, of) in sorted(self.beside.items()) if is_habit(even, of))

    def unusual(self, place: str, state: str) -> tuple[Sequence[str], int, int] | None:
        """Return (usual states, cases, of) of a field where nearly no call worked with this state, though others were
        met: a field that never varied says nothing. Of two or three usual states, this one itself must have been met.
        """
        of, own, others = self.states.get(place, (0, {}, {}))
        without = of - own.get(state, 0)
        usual = sorted(shown_state for shown_state, cases in own.items() if cases > (1 - NEARLY_ALL) * of)
        known = (cases for one, cases in others.items() if one == state or (len(usual) == 1 and one not in usual))
        met = max(known, default=0)
        is_unusual = met >= LEAST_CASES and len(usual) <= MOST_USUAL and is_habit(without, of)
        return (usual, without, of) if is_unusual else None

    def too_little(self, below: Iterable[str]) -> tuple[str, int, int] | None:
        """Return (sum, cases, of): of the sums that an amount is below, that which nearly every call that worked
        reached and most met exactly; None for none.

        A sum times a quantity must have been met more often than without it.
        """
        none = (0, 0, 0)
        required = [
            (met, -len(name), name)
            for name in below
            for of, reached, met in [self.sums.get(name, none)]
            if is_habit(reached, of) and 2 * met >= of
            if TIMES not in name or met > self.sums.get(name.partition(TIMES)[0], none)[2]
        ]
        if not required:
            return None
        name = max(required)[2]
        return name, self.sums[name][1], self.sums[name][0]

    def shown_together(self, other: str) -> bool:
        """Whether nearly every call that worked sent only values of these two arguments that were shown at once."""
        cases, of = self.together.get(other, (0, 0))
        return of >= LEAST_TOGETHER and is_habit(cases, of)
