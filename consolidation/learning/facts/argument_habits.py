"""Habits of one argument: what nearly all calls that worked had in common, of the states of records and of sums.

Counts are cases in which a call returned no error, however the run ended. That successful runs took a value from some
place may be chance; that no call ever worked with a value from elsewhere is a rule of the tool.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

from consolidation.learning.chance import at_least
from consolidation.learning.facts.argument_calls import ArgumentCall
from consolidation.learning.facts.argument_paths import ARROW
from consolidation.learning.facts.shown_records import TIMES

LEAST_SURE = 0.5  # lower bound of the share of cases that ended well with the source
LEAST_CASES = 5
NEARLY_ALL = 0.95
MOST_STATES, MOST_OTHERS = 6, 12  # of one field
MOST_USUAL = 3  # states of one field
MOST_SUMS = 8  # that are kept, those that were met most often
LEAST_TOGETHER = 10  # cases: in few runs much stands together by chance
MOST_SOURCES = 12  # that are kept, the most frequent ones


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
        usual = sorted(shown_state for shown_state, cases in self.own.items() if cases > (1 - NEARLY_ALL) * self.of)
        others = [
            cases
            for shown_state, cases in self.others.items()
            if shown_state == state or (len(usual) == 1 and shown_state not in usual)
        ]
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


def states_of(cases: Iterable[Sequence[ArgumentCall]]) -> dict[str, States]:
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


def sums_of(cases: Iterable[Sequence[ArgumentCall]]) -> dict[str, Sums]:
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


@dataclass(frozen=True)
class Habits:
    """Of `of` cases: `shown`: every value had occurred before; `sources`: place -> cases with every value from there;
    `beside`: other list argument -> (cases with lists of one length, cases with both); `states`: field of the records
    that the values name -> its states; `sums`: of their numbers, beside amounts;
    `together`: other argument -> (cases that showed both at once, cases that showed both)."""

    of: int = 0
    shown: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)
    beside: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    states: Mapping[str, States] = field(default_factory=dict)
    sums: Mapping[str, Sums] = field(default_factory=dict)
    together: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def counted(cls, shown: Iterable[Shown]) -> Self:
        cases: dict[UUID, list[ArgumentCall]] = {}
        for row in shown:
            if worked := [call for call in row.calls if call.worked]:
                cases.setdefault(row.case, []).extend(worked)
        places: Counter[str] = Counter()
        lists: dict[str, list[bool]] = {}
        pairs: dict[str, list[bool]] = {}
        for calls in cases.values():
            places.update(frozenset.intersection(*(values for call in calls for values in call.places)))
            for name in {name for call in calls for name in call.beside}:
                lists.setdefault(name, []).append(all(call.beside.get(name, True) for call in calls))
            for name in {name for call in calls for name in call.together}:
                pairs.setdefault(name, []).append(all(call.together.get(name, True) for call in calls))
        return cls(
            of=len(cases),
            shown=sum(all(all(call.places) for call in calls) for calls in cases.values()),
            sources=dict(places.most_common(MOST_SOURCES)),
            beside={name: (sum(even), len(even)) for name, even in lists.items()},
            states=states_of(cases.values()),
            sums=sums_of(cases.values()),
            together={name: (sum(shown), len(shown)) for name, shown in pairs.items()},
        )

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Build it from `kept`; what was never counted has no case."""
        beside = {name: (even, of) for name, (even, of) in kept.get("beside", {}).items()}
        states = {place: States(of, own, others) for place, (of, own, others) in kept.get("states", {}).items()}
        sums = {name: Sums(*counts) for name, counts in kept.get("sums", {}).items()}
        together = {name: (shown, of) for name, (shown, of) in kept.get("together", {}).items()}
        return cls(kept.get("of", 0), kept.get("shown", 0), kept.get("sources", {}), beside, states, sums, together)

    def kept(self) -> dict[str, Any]:
        """Return plain JSON values."""
        beside = {name: list(counts) for name, counts in self.beside.items()}
        states = {place: [one.of, dict(one.own), dict(one.others)] for place, one in self.states.items()}
        sums = {name: [one.of, one.reached, one.met] for name, one in self.sums.items()}
        together = {name: list(counts) for name, counts in self.together.items()}
        counts = {"beside": beside, "states": states, "sums": sums, "together": together}
        return {"of": self.of, "shown": self.shown, "sources": dict(self.sources), **counts}

    def plus(self, other: "Habits") -> "Habits":
        """Add counts of other runs."""
        beside, together = _added(self.beside, other.beside), _added(self.together, other.together)
        sources = dict(Counter(self.sources) + Counter(other.sources))
        places = self.states.keys() | other.states.keys()
        states = {place: self.states.get(place, States()).plus(other.states.get(place, States())) for place in places}
        names = self.sums.keys() | other.sums.keys()
        sums = {name: self.sums.get(name, Sums()).plus(other.sums.get(name, Sums())) for name in names}
        return Habits(self.of + other.of, self.shown + other.shown, sources, beside, states, sums, together)

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
        """Return the states that nearly every call that worked met in this field, in how many of how many cases; None
        if this state may work as well."""
        known = self.states.get(place)
        return known.against(state) if known else None

    def too_little(self, below: Iterable[str]) -> tuple[str, int, int] | None:
        """Return (sum, cases, of): of the sums that an amount is below, that which nearly every call that worked
        reached; None for none."""
        return required(self.sums, below)

    def shown_together(self, other: str) -> bool:
        """Whether nearly every call that worked sent only values of these two arguments that were shown at once."""
        cases, of = self.together.get(other, (0, 0))
        return of >= LEAST_TOGETHER and is_habit(cases, of)


def _added(one: Mapping[str, tuple[int, int]], other: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    counts = {name: (one.get(name, (0, 0)), other.get(name, (0, 0))) for name in one.keys() | other.keys()}
    return {name: (mine[0] + more[0], mine[1] + more[1]) for name, (mine, more) in counts.items()}
