"""Counts of how runs supplied one argument, in cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from consolidation.learning.chance import at_least, by_chance
from consolidation.learning.effects.command_starts import CONSISTENT, LEAST_CASES, SURPRISES
from consolidation.learning.facts.argument_calls import ArgumentCall
from consolidation.learning.facts.argument_words import Streak

LEAST_SURE = 0.5  # lower bound of the share of cases that ended well with the source
BY_ERROR, BY_OUTCOME = 0.05, 0.01  # highest p-values: a call's own error is better evidence than the run's outcome


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


@dataclass(frozen=True)
class Count:
    """Numbers of cases: `tried`; `worked`: a call returned no error; `well`: the run also succeeded."""

    tried: int
    worked: int
    well: int


@dataclass(frozen=True)
class Pair:
    """A source, and another place from which the argument failed. `chance`: p-value of the difference."""

    source: str
    other: str
    count: Count
    chance: float


def is_sure(well: int, of: int) -> bool:
    """Return whether nearly all cases support it, with a Wilson lower bound of at least LEAST_SURE."""
    return well >= CONSISTENT * of and at_least(well, of) >= LEAST_SURE


def fails(count: Count) -> bool:
    """Return whether nearly all of at least LEAST_CASES cases failed."""
    return count.tried >= LEAST_CASES and count.tried - count.well >= CONSISTENT * count.tried


def chance(own: Count, other: Count) -> float:
    """Return the smallest significant p-value of the difference, by errors or by outcomes; 1 for none."""
    by_error = by_chance(own.worked, own.tried, other.worked, other.tried)
    by_outcome = by_chance(own.well, own.tried, other.well, other.tried)
    worse = other.worked * own.tried < own.worked * other.tried
    telling = [by_error] if worse and by_error <= BY_ERROR else []
    telling += [by_outcome] if other.well * own.tried < own.well * other.tried and by_outcome <= BY_OUTCOME else []
    return min(telling, default=1.0)


def has(calls: Sequence[ArgumentCall], source: str) -> bool:
    """Return whether a call took all its values from the source."""
    return any(call.comes_from(source) for call in calls)


def streak(shown: Sequence[bool], *, ends: bool) -> Streak | None:
    """Return the latest values in a row that equal `ends`, if too many for chance, else None.

    Three, or two where none was so before.
    """
    latest = next((n for n, one in enumerate(reversed(shown)) if one != ends), len(shown))
    before = len(shown) - latest
    otherwise = sum(end != ends for end in shown[:before])
    enough = SURPRISES if otherwise < before else SURPRISES - 1
    return Streak(latest, otherwise, before) if latest >= enough and before else None
