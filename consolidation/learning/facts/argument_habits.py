"""Habits of one argument: what nearly all calls that worked had in common, of the states of records and of sums.

Counts are cases in which a call returned no error, however the run ended. That successful runs took a value from some
place may be chance; that no call ever worked with a value from elsewhere is a rule of the tool.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self
from uuid import UUID

from consolidation.learning.facts.argument_calls import ArgumentCall
from consolidation.learning.facts.shown_records import ARROW, TIMES
from memories.values.chance import wilson

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
class RunCalls:
    """The calls of one run with one argument, and the run's outcome."""

    case: UUID
    outcome: str
    calls: tuple[ArgumentCall, ...]

    @classmethod
    def of_rows(cls, case: UUID, outcome: str, calls: Sequence[Mapping[str, Any]]) -> "RunCalls":
        """Build it from rows of `ArgumentCall.to_row`."""
        return cls(case, outcome, tuple(map(ArgumentCall.of_row, calls)))

    @property
    def well(self) -> tuple[ArgumentCall, ...]:
        """The calls that worked in a successful run."""
        return tuple(call for call in self.calls if call.worked) if self.outcome == "success" else ()


def is_habit(cases: int, of: int) -> bool:
    return of >= LEAST_CASES and cases >= NEARLY_ALL * of and wilson(cases, of - cases)[0] >= LEAST_SURE


def plus(one: Any, other: Any) -> Any:
    """Add counts, also within mappings (by key) and tuples (by position)."""
    if isinstance(one, Mapping):
        sides = ((name, [side[name] for side in (one, other) if name in side]) for name in one.keys() | other.keys())
        return {name: plus(*counts) if len(counts) > 1 else counts[0] for name, counts in sides}
    if isinstance(one, int):
        return one + other
    return tuple(map(plus, one, other))


def states_of(cases: Iterable[Sequence[ArgumentCall]]) -> dict[str, States]:
    """Return the states of each field with few of them: a field with many is a name or a text."""
    states_by_place: dict[str, States] = {}
    for calls in cases:
        by_place: dict[str, tuple[set[str], set[str]]] = {}
        for place, (own_states, other_states) in (of_case for call in calls for of_case in call.states.items()):
            own, others = by_place.setdefault(place, (set(), set()))
            own.update(own_states)
            others.update(other_states)
        of_case = {
            place: (1, dict.fromkeys(own, 1), dict.fromkeys(others, 1)) for place, (own, others) in by_place.items()
        }
        states_by_place = plus(states_by_place, of_case)
    names = (
        name
        for name, (_, own_states, other_states) in states_by_place.items()
        if len(own_states) <= MOST_STATES and len(other_states) <= MOST_OTHERS
    )
    return {place: states_by_place[place] for place in sorted(names)}


def sums_of(cases: Iterable[Sequence[ArgumentCall]]) -> dict[str, Sums]:
    """Return the sums that were met most often, and those without their quantities."""
    sums: dict[str, Sums] = {}
    for calls in cases:
        for name in {name for call in calls for name in call.sums}:
            signs = [call.sums[name] for call in calls if name in call.sums]
            sums[name] = plus(sums.get(name, (0, 0, 0)), (1, int(min(signs) >= 0), int(not any(signs))))
    names = sorted((name for name, (*_, exact) in sums.items() if exact), key=lambda name: (-sums[name][2], name))
    names_to_keep = {part for name in names[:MOST_SUMS] for part in (name, name.partition(TIMES)[0])}
    return {name: sums[name] for name in sorted(names_to_keep)}


def pairs_of(cases: Iterable[Sequence[ArgumentCall]], field_name: str) -> dict[str, Pairs]:
    """Return for each other argument (cases in which it was True in all calls, cases with it)."""
    pairs: dict[str, Pairs] = {}
    for calls in cases:
        rows = [getattr(call, field_name) for call in calls]
        names = {name for row in rows for name in row}
        pairs = plus(pairs, {name: (int(all(row.get(name, True) for row in rows)), 1) for name in names})
    return pairs


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
    def of_runs(cls, runs: Iterable[RunCalls]) -> Self:
        by_case: dict[UUID, list[ArgumentCall]] = {}
        for run in runs:
            if calls_without_error := [call for call in run.calls if call.worked]:
                by_case.setdefault(run.case, []).extend(calls_without_error)
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
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """Build it from `to_row`; fields that an older row lacks are empty."""
        return cls(**row)

    def to_row(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    def plus(self, other: "Habits") -> "Habits":
        """Add counts of other runs."""
        return Habits(**plus(self.to_row(), other.to_row()))

    @property
    def are_shown(self) -> bool:
        """Whether nearly every call that worked sent only what had occurred before."""
        return is_habit(self.shown, self.of)

    @property
    def from_results(self) -> Sequence[str]:
        """The fields from which nearly every call that worked took its values, the most frequent first."""
        sources = [place for place, cases in self.sources.items() if ARROW in place and is_habit(cases, self.of)]
        return sorted(sources, key=lambda place: (-self.sources[place], len(place), place))

    def equal_lists(self) -> Iterable[str]:
        """Yield the list arguments that were of the same length in nearly every call that worked."""
        return (name for name, (even, of) in sorted(self.beside.items()) if is_habit(even, of))

    def usual_states(self, place: str, state: str) -> tuple[Sequence[str], int, int] | None:
        """Return (usual states, cases, of) of a field where nearly no call worked with this state; None otherwise.

        Records with other states must have been shown; with two or three usual states, records with this very state.
        """
        of, own_counts, other_counts = self.states.get(place, (0, {}, {}))
        without = of - own_counts.get(state, 0)
        states = sorted(shown_state for shown_state, cases in own_counts.items() if cases > (1 - NEARLY_ALL) * of)
        case_counts = (
            cases
            for other_state, cases in other_counts.items()
            if other_state == state or (len(states) == 1 and other_state not in states)
        )
        most_cases = max(case_counts, default=0)
        is_unusual = most_cases >= LEAST_CASES and len(states) <= MOST_USUAL and is_habit(without, of)
        return (states, without, of) if is_unusual else None

    def missed_sum(self, sums: Iterable[str]) -> tuple[str, int, int] | None:
        """Return (sum, cases, of) of the sum, among those that an amount is below, that nearly every call that worked
        reached and most met exactly; None for none.

        A sum times a quantity must have been met more often than without it.
        """
        none = (0, 0, 0)
        ranked_sums = [
            (exact, -len(name), name)
            for name in sums
            for of, enough, exact in [self.sums.get(name, none)]
            if is_habit(enough, of) and 2 * exact >= of
            if TIMES not in name or exact > self.sums.get(name.partition(TIMES)[0], none)[2]
        ]
        if not ranked_sums:
            return None
        name = max(ranked_sums)[2]
        return name, self.sums[name][1], self.sums[name][0]

    def shown_together(self, other: str) -> bool:
        """Whether nearly every call that worked sent only values of these two arguments that were shown at once."""
        cases, of = self.together.get(other, (0, 0))
        return of >= LEAST_TOGETHER and is_habit(cases, of)
