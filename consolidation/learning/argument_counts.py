"""How runs gave one argument, and what is counted of it in cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from consolidation.learning.argument_calls import NOWHERE
from consolidation.learning.argument_words import Streak
from consolidation.learning.chance import at_least, by_chance
from consolidation.learning.startups import CONSISTENT, LEAST_CASES, SURPRISES

LEAST_SURE = 0.5  # lower bound of the share of cases that ended well with the source
BY_ERROR, BY_OUTCOME = 0.05, 0.01  # by chance: a call's own error tells more than how its run ended


@dataclass(frozen=True)
class SourcedCall:
    """One call: of each value the places where it stood before."""

    places: tuple[frozenset[str], ...]
    read: frozenset[str]
    worked: bool

    def comes_from(self, source: str) -> bool:
        return all(source in places for places in self.places)

    def misses(self, source: str, other: str) -> bool:
        """Did a value stand in the other place and not in this one?"""
        return any(
            source not in places and (other in places if other != NOWHERE else not places) for places in self.places
        )


@dataclass(frozen=True)
class Shown:
    """The calls of one run, and how it ended."""

    case: UUID
    outcome: str
    calls: tuple[SourcedCall, ...]

    @classmethod
    def read(cls, case: UUID, outcome: str, calls: Sequence[Mapping[str, Any]]) -> "Shown":
        given = (
            SourcedCall(tuple(map(frozenset, one["places"])), frozenset(one["read"]), bool(one["worked"]))
            for one in calls
        )
        return cls(case, outcome, tuple(given))

    @property
    def well(self) -> tuple[SourcedCall, ...]:
        """The calls that worked in a run that ended well."""
        return tuple(call for call in self.calls if call.worked) if self.outcome == "success" else ()


@dataclass(frozen=True)
class Count:
    """In cases: how many tried it, in how many a call worked, in how many of these the run ended well as well."""

    tried: int
    worked: int
    well: int


@dataclass(frozen=True)
class Pair:
    source: str
    other: str
    count: Count
    chance: float


def is_sure(well: int, of: int) -> bool:
    return well >= CONSISTENT * of and at_least(well, of) >= LEAST_SURE


def fails(count: Count) -> bool:
    return count.tried >= LEAST_CASES and count.tried - count.well >= CONSISTENT * count.tried


def chance(own: Count, other: Count) -> float:
    """That the two differ so much by chance; 1 where that is not ruled out well enough."""
    by_error = by_chance(own.worked, own.tried, other.worked, other.tried)
    by_outcome = by_chance(own.well, own.tried, other.well, other.tried)
    worse = other.worked * own.tried < own.worked * other.tried
    telling = [by_error] if worse and by_error <= BY_ERROR else []
    telling += [by_outcome] if other.well * own.tried < own.well * other.tried and by_outcome <= BY_OUTCOME else []
    return min(telling, default=1.0)


def has(calls: Sequence[SourcedCall], source: str) -> bool:
    return any(call.comes_from(source) for call in calls)


def streak(shown: Sequence[bool], *, ends: bool) -> Streak | None:
    """When the latest in a row that are `ends` are too many for chance: three, or two where none was so before."""
    latest = next((n for n, one in enumerate(reversed(shown)) if one != ends), len(shown))
    before = len(shown) - latest
    otherwise = sum(one != ends for one in shown[:before])
    enough = SURPRISES if otherwise < before else SURPRISES - 1
    return Streak(latest, otherwise, before) if latest >= enough and before else None
