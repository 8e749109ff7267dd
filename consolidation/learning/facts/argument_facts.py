"""Facts about the right source of an argument: stated only where another source clearly failed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from consolidation.learning.chance import at_least, by_chance
from consolidation.learning.effects.command_starts import CONSISTENT, LEAST_CASES, SURPRISES
from consolidation.learning.facts.argument_calls import INSTRUCTIONS, MESSAGE, NOWHERE, ArgumentCall
from consolidation.learning.facts.argument_habits import LEAST_SURE, Habits, Shown
from consolidation.learning.facts.argument_words import ArgumentWords, Streak
from consolidation.learning.facts.shown_records import ARROW
from consolidation.learning.wording import Language

MOST_FAILING = 2
KNOWN_RUNS = 3  # of two cases, before a field that may be somebody's name is spelled out
BY_ERROR, BY_OUTCOME = 0.05, 0.01  # highest p-values: a call's own error is better evidence than the run's outcome

Test = Callable[[ArgumentCall], bool]


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


class ArgumentFindings:
    """Findings about one argument of one tool. `shown`: runs in the order in which they ended."""

    def __init__(self, tool: str, argument: str, shown: Sequence[Shown]) -> None:
        self.tool, self.argument, self.shown = tool, argument, shown

    def habits(self) -> Habits:
        """Return what the calls that worked had in common."""
        return Habits.counted(self.shown)

    def claims(self) -> dict[str, Any]:
        """Return {source, failing}: the best separated source and up to MOST_FAILING others; {} for none."""
        pairs = [pair for source in self._consistent for pair in self._against(source)]
        if not pairs:
            return {}
        best = min(pairs, key=lambda pair: (pair.chance, -pair.count.tried, len(pair.source), pair.source))
        return _said([pair for pair in pairs if pair.source == best.source])

    def still(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the claims, with the same source as long as the counts support it."""
        if said["source"] in self._consistent and (pairs := self._against(said["source"])):
            return _said(pairs)
        return self.claims() or dict(said)

    def turned(self, said: Mapping[str, Any]) -> bool:
        """Return whether the latest cases contradict a stated claim."""
        return any(self._turns(said))

    def sentence(self, said: Mapping[str, Any], language: Language) -> str:
        """Return the claims as a sentence with the present counts.

        E.g. "`payment_id` of `refund_payment` comes from `get_order` → `payment_id` (6 of 6 cases that ended well);
        taken from the user's words it failed (2 of 2)" in English.
        """
        words = ArgumentWords(language, self._is_common)
        source = said["source"]
        parts = [words.turned(*turn) for turn in self._turns(said)]
        if not parts:
            parts.append(words.comes(source, self._from(source).well, len(self._well)))
            for other in said["failing"]:
                count = self._cases(self._misses(source, other))
                parts.append(words.failed(other, count.tried - count.well, count.tried, right=source))
        return words.whole(self.tool, self.argument, parts)

    def _turns(self, said: Mapping[str, Any]) -> Iterator[tuple[str, str, Streak]]:
        """Yield (key of the phrase, place, streak) of each claim that the latest cases contradict."""
        source = said["source"]
        if turned := streak([has(attempt.well, source) for attempt in self._latest if attempt.well], ends=False):
            yield "left", source, turned
        if turned := streak(self._working(source), ends=False):
            yield "broken", source, turned
        for other in said["failing"]:
            if turned := streak(self._ending(source, other), ends=True):
                yield "works", other, turned

    def _working(self, source: str) -> list[bool]:
        tried = [[call for call in attempt.calls if call.comes_from(source)] for attempt in self._latest]
        return [any(call.worked for call in calls) for calls in tried if calls]

    def _ending(self, source: str, other: str) -> list[bool]:
        test = self._misses(source, other)
        tried = [attempt for attempt in self._latest if attempt.outcome != "partial" and any(map(test, attempt.calls))]
        return [any(map(test, attempt.well)) for attempt in tried]

    @cached_property
    def _latest(self) -> list[Shown]:
        """The last run of each case, in order."""
        last = {one.case: n for n, one in enumerate(self.shown)}
        return [self.shown[n] for n in sorted(last.values())]

    @cached_property
    def _well(self) -> set[UUID]:
        return {attempt.case for attempt in self.shown if attempt.well}

    @cached_property
    def _consistent(self) -> list[str]:
        """The sources in which the values of nearly all successful cases had occurred."""
        cases: dict[str, set[UUID]] = defaultdict(set)
        for row in self.shown:
            for place in {place for call in row.well for place in frozenset.intersection(*call.places)}:
                cases[place].add(row.case)
        of = len(self._well)
        return sorted(place for place, well in cases.items() if is_sure(len(well), of))

    def _against(self, source: str) -> list[Pair]:
        """Return the other places from which the argument failed, beyond chance."""
        own = self._from(source)
        missing = (p for attempt in self.shown for call in attempt.calls for p in call.places if source not in p)
        others = {place for places in missing for place in places or {NOWHERE}} - {INSTRUCTIONS}
        counted = [(other, self._cases(self._misses(source, other))) for other in sorted(others)]
        pairs = [Pair(source, other, count, chance(own, count)) for other, count in counted if fails(count)]
        return [pair for pair in pairs if pair.chance < 1]

    def _misses(self, source: str, other: str) -> Test:
        """Return a test for calls that took a value from `other` and not from the source.

        Where right values mostly occur in both places, only calls that had read the source count.
        """
        well = [call for attempt in self.shown for call in attempt.well if call.comes_from(source)]
        both = sum(call.comes_from(other) for call in well)
        tool = source.partition(ARROW)[0]
        if 2 * both < len(well):
            return lambda call: call.misses(source, other)
        return lambda call: call.misses(source, other) and (tool in call.read or source == MESSAGE)

    def _from(self, source: str) -> Count:
        return self._cases(lambda call: call.comes_from(source))

    def _cases(self, test: Test) -> Count:
        tried, worked, well = set(), set(), set()
        for row in self.shown:
            calls = [call for call in row.calls if test(call)]
            fine = any(call.worked for call in calls)
            if calls and (row.outcome != "partial" or not fine):
                tried.add(row.case)
                worked.update([row.case] if fine else [])
                well.update([row.case] if fine and row.outcome == "success" else [])
        return Count(len(tried), len(worked), len(well))

    def _is_common(self, place: str) -> bool:
        """Return whether a place may be spelled out: a key may be a name, so several runs and cases must hold it."""
        holding = [
            attempt.case for attempt in self.shown if any(place in p for call in attempt.calls for p in call.places)
        ]
        return len(holding) >= KNOWN_RUNS and len(set(holding)) >= LEAST_CASES


def _said(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the claims of pairs with one source."""
    failing = sorted(pairs, key=lambda pair: (-pair.count.tried, pair.other))
    return {"source": pairs[0].source, "failing": [pair.other for pair in failing[:MOST_FAILING]]}


def testimony(one: Shown, said: Mapping[str, Any]) -> bool | None:
    """Return whether a run supports the claims; None: it says nothing about them."""
    source, failing = said["source"], said["failing"]
    if one.well and (not has(one.well, source) or any(c.misses(source, o) for c in one.well for o in failing)):
        return False
    if one.well:
        return True
    taken = [call for call in one.calls if any(call.misses(source, other) for other in failing)]
    return True if taken and (one.outcome == "failure" or not any(call.worked for call in taken)) else None
