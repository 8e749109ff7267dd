"""Habits of one argument: what nearly all calls that worked had in common.

Counts are cases in which a call returned no error, however the run ended. That successful runs took a value from some
place may be chance; that no call ever worked with a value from elsewhere is a rule of the tool.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

from consolidation.learning.chance import at_least
from consolidation.learning.facts.argument_calls import ARROW
from consolidation.learning.facts.argument_counts import LEAST_SURE, Shown, SourcedCall

LEAST_CASES = 5
NEARLY_ALL = 0.95
MOST_SOURCES = 12  # that are kept, the most frequent ones
MOST_STATES, MOST_OTHERS = 6, 12  # of one field
MOST_USUAL = 3  # states of one field


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
        told = met and len(usual) <= MOST_USUAL and is_habit(without, self.of)
        return (usual, without, self.of) if told else None


@dataclass(frozen=True)
class Habits:
    """Of `of` cases: `shown`: every value had occurred before; `sources`: place -> cases with every value from there;
    `beside`: other list argument -> (cases with lists of one length, cases with both); `states`: field of the records
    that the values name -> its states."""

    of: int = 0
    shown: int = 0
    sources: Mapping[str, int] = field(default_factory=dict)
    beside: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    states: Mapping[str, States] = field(default_factory=dict)

    @classmethod
    def counted(cls, shown: Iterable[Shown]) -> Self:
        cases: dict[UUID, list[SourcedCall]] = {}
        for one in shown:
            if worked := [call for call in one.calls if call.worked]:
                cases.setdefault(one.case, []).extend(worked)
        places: Counter[str] = Counter()
        lists: dict[str, list[bool]] = {}
        for calls in cases.values():
            places.update(frozenset.intersection(*(values for call in calls for values in call.places)))
            for name in {name for call in calls for name in call.beside}:
                lists.setdefault(name, []).append(all(call.beside.get(name, True) for call in calls))
        return cls(
            of=len(cases),
            shown=sum(all(all(call.places) for call in calls) for calls in cases.values()),
            sources=dict(places.most_common(MOST_SOURCES)),
            beside={name: (sum(even), len(even)) for name, even in lists.items()},
            states=dict(_states(cases.values())),
        )

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Build it from `kept`; what was never counted has no case."""
        beside = {name: (even, of) for name, (even, of) in kept.get("beside", {}).items()}
        states = {place: States(of, own, others) for place, (of, own, others) in kept.get("states", {}).items()}
        return cls(kept.get("of", 0), kept.get("shown", 0), kept.get("sources", {}), beside, states)

    def kept(self) -> dict[str, Any]:
        """Return plain JSON values."""
        beside = {name: list(counts) for name, counts in self.beside.items()}
        states = {place: [one.of, dict(one.own), dict(one.others)] for place, one in self.states.items()}
        return {"of": self.of, "shown": self.shown, "sources": dict(self.sources), "beside": beside, "states": states}

    def plus(self, other: "Habits") -> "Habits":
        """Add counts of other runs."""
        beside = dict(self.beside)
        for name, (even, of) in other.beside.items():
            mine = beside.get(name, (0, 0))
            beside[name] = (mine[0] + even, mine[1] + of)
        sources = dict(Counter(self.sources) + Counter(other.sources))
        places = self.states.keys() | other.states.keys()
        states = {place: self.states.get(place, States()).plus(other.states.get(place, States())) for place in places}
        return Habits(self.of + other.of, self.shown + other.shown, sources, beside, states)

    @property
    def are_shown(self) -> bool:
        """Whether nearly every call that worked sent only what had occurred before."""
        return is_habit(self.shown, self.of)

    @property
    def from_results(self) -> Sequence[str]:
        """The fields from which nearly every call that worked took its values, the most frequent first."""
        found = [place for place, cases in self.sources.items() if ARROW in place and is_habit(cases, self.of)]
        return sorted(found, key=lambda place: (-self.sources[place], len(place), place))

    def as_long_as(self) -> Iterable[str]:
        """Yield the list arguments that were of the same length in nearly every call that worked."""
        return (name for name, (even, of) in sorted(self.beside.items()) if is_habit(even, of))

    def unusual(self, place: str, state: str) -> tuple[Sequence[str], int, int] | None:
        """Return the states that nearly every call that worked met in this field, in how many of how many cases; None
        if this state may work as well."""
        known = self.states.get(place)
        return known.against(state) if known else None


def _states(cases: Iterable[Sequence[SourcedCall]]) -> Iterator[tuple[str, "States"]]:
    """Yield the states of each field that has few."""
    counted: dict[str, States] = {}
    for calls in cases:
        met: dict[str, tuple[set[str], set[str]]] = {}
        for place, (own, others) in (one for call in calls for one in call.states.items()):
            mine, rest = met.setdefault(place, (set(), set()))
            mine.update(own)
            rest.update(others)
        for place, (mine, rest) in met.items():
            one = States(1, dict.fromkeys(mine, 1), dict.fromkeys(rest, 1))
            counted[place] = counted.get(place, States()).plus(one)
    return ((place, states) for place, states in sorted(counted.items()) if states.are_few)


def is_habit(cases: int, of: int) -> bool:
    return of >= LEAST_CASES and cases >= NEARLY_ALL * of and at_least(cases, of) >= LEAST_SURE
