"""Facts about the right source of an argument: stated only where another source clearly failed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from consolidation.learning.effects.command_starts import CONSISTENT, LEAST_CASES, SURPRISES
from consolidation.learning.facts.argument_calls import INSTRUCTIONS, MESSAGE, NOWHERE, ArgumentCall
from consolidation.learning.facts.argument_habits import LEAST_SURE, Habits, RunCalls
from consolidation.learning.facts.argument_words import ArgumentWords, Streak
from consolidation.learning.facts.shown_records import ARROW
from consolidation.learning.wording import Language
from memories.values.chance import by_chance, wilson

MOST_FAILING = 2
KNOWN_RUNS = 3  # of two cases, before a field that may be somebody's name is spelled out
BY_ERROR, BY_OUTCOME = 0.05, 0.01  # highest p-values: a call's own error is better evidence than the run's outcome

Test = Callable[[ArgumentCall], bool]


@dataclass(frozen=True)
class Count:
    """Numbers of cases: all; `error_free`: a call returned no error; `successes`: the run also succeeded."""

    cases: int
    error_free: int
    successes: int


@dataclass(frozen=True)
class Pair:
    """A source, and another place from which the argument failed. `chance`: p-value of the difference."""

    source: str
    other: str
    count: Count
    chance: float


def is_sure(successes: int, cases: int) -> bool:
    """Return whether nearly all cases support it, with a Wilson lower bound of at least LEAST_SURE."""
    return successes >= CONSISTENT * cases and wilson(successes, cases - successes)[0] >= LEAST_SURE


def fails(count: Count) -> bool:
    """Return whether nearly all of at least LEAST_CASES cases failed."""
    return count.cases >= LEAST_CASES and count.cases - count.successes >= CONSISTENT * count.cases


def chance(right: Count, wrong: Count) -> float:
    """Return the smallest significant p-value of the difference, by errors or by outcomes; 1 for none."""
    by_error = by_chance(right.error_free, right.cases, wrong.error_free, wrong.cases)
    by_outcome = by_chance(right.successes, right.cases, wrong.successes, wrong.cases)
    has_more_errors = wrong.error_free * right.cases < right.error_free * wrong.cases
    p_values = [by_error] if has_more_errors and by_error <= BY_ERROR else []
    p_values += (
        [by_outcome]
        if wrong.successes * right.cases < right.successes * wrong.cases and by_outcome <= BY_OUTCOME
        else []
    )
    return min(p_values, default=1.0)


def has(calls: Sequence[ArgumentCall], source: str) -> bool:
    """Return whether a call took all its values from the source."""
    return any(call.comes_from(source) for call in calls)


def streak(values: Sequence[bool], *, ends: bool) -> Streak | None:
    """Return the latest values in a row that equal `ends`, if too many for chance, else None.

    Three are enough, or two where no earlier value equals `ends`.
    """
    latest = next((n for n, value in enumerate(reversed(values)) if value != ends), len(values))
    before = len(values) - latest
    contrary = sum(value != ends for value in values[:before])
    least = SURPRISES if contrary < before else SURPRISES - 1
    return Streak(latest, contrary, before) if latest >= least and before else None


class ArgumentFindings:
    """Findings about one argument of one tool. `runs`: in the order in which they ended."""

    def __init__(self, tool: str, argument: str, runs: Sequence[RunCalls]) -> None:
        self.tool, self.argument, self.runs = tool, argument, runs

    def habits(self) -> Habits:
        """Return what the calls that worked had in common."""
        return Habits.of_runs(self.runs)

    def claims(self) -> dict[str, Any]:
        """Return {source, failing}: the best separated source and up to MOST_FAILING others; {} for none."""
        pairs = [pair for source in self._consistent_sources for pair in self._failing_pairs(source)]
        if not pairs:
            return {}
        best = min(pairs, key=lambda pair: (pair.chance, -pair.count.cases, len(pair.source), pair.source))
        return _claims_of([pair for pair in pairs if pair.source == best.source])

    def supported_claims(self, claims: Mapping[str, Any]) -> dict[str, Any]:
        """Return the claims by the present counts, with the stated source as long as these support it."""
        if claims["source"] in self._consistent_sources and (pairs := self._failing_pairs(claims["source"])):
            return _claims_of(pairs)
        return self.claims() or dict(claims)

    def is_contradicted(self, claims: Mapping[str, Any]) -> bool:
        """Return whether the latest cases contradict a stated claim."""
        return any(self._changes(claims))

    def sentence(self, claims: Mapping[str, Any], language: Language) -> str:
        """Return the claims as a sentence with the present counts.

        E.g. "`payment_id` of `refund_payment` comes from `get_order` → `payment_id` (6 of 6 cases that ended well);
        taken from the user's words it failed (2 of 2)" in English.
        """
        words = ArgumentWords(language, self._is_common)
        source = claims["source"]
        parts = [words.change_clause(*change) for change in self._changes(claims)]
        if not parts:
            parts.append(words.source_clause(source, self._count_from(source).successes, len(self._successful_cases)))
            for other in claims["failing"]:
                count = self._count(self._misses(source, other))
                parts.append(words.failure_clause(other, count.cases - count.successes, count.cases, right=source))
        return words.sentence(self.tool, self.argument, parts)

    def _changes(self, claims: Mapping[str, Any]) -> Iterator[tuple[str, str, Streak]]:
        """Yield (key of the phrase, place, streak) of each claim that the latest cases contradict."""
        source = claims["source"]
        if change := streak([has(attempt.well, source) for attempt in self._latest_runs if attempt.well], ends=False):
            yield "left", source, change
        if change := streak(self._error_free_runs(source), ends=False):
            yield "broken", source, change
        for other in claims["failing"]:
            if change := streak(self._successful_runs(source, other), ends=True):
                yield "works", other, change

    def _error_free_runs(self, source: str) -> list[bool]:
        calls_by_run = [[call for call in attempt.calls if call.comes_from(source)] for attempt in self._latest_runs]
        return [any(call.worked for call in calls) for calls in calls_by_run if calls]

    def _successful_runs(self, source: str, other: str) -> list[bool]:
        test = self._misses(source, other)
        attempts = [
            attempt for attempt in self._latest_runs if attempt.outcome != "partial" and any(map(test, attempt.calls))
        ]
        return [any(map(test, attempt.well)) for attempt in attempts]

    @cached_property
    def _latest_runs(self) -> list[RunCalls]:
        """The last run of each case, in order."""
        last = {run.case: n for n, run in enumerate(self.runs)}
        return [self.runs[n] for n in sorted(last.values())]

    @cached_property
    def _successful_cases(self) -> set[UUID]:
        return {attempt.case for attempt in self.runs if attempt.well}

    @cached_property
    def _consistent_sources(self) -> list[str]:
        """The sources in which the values of nearly all successful cases had occurred."""
        cases: dict[str, set[UUID]] = defaultdict(set)
        for row in self.runs:
            for place in {place for call in row.well for place in frozenset.intersection(*call.places)}:
                cases[place].add(row.case)
        total = len(self._successful_cases)
        return sorted(place for place, successes in cases.items() if is_sure(len(successes), total))

    def _failing_pairs(self, source: str) -> list[Pair]:
        """Return a pair for each other place from which the argument failed, beyond chance."""
        right_count = self._count_from(source)
        place_sets = (p for attempt in self.runs for call in attempt.calls for p in call.places if source not in p)
        other_places = {place for places in place_sets for place in places or {NOWHERE}} - {INSTRUCTIONS}
        counts = [(other, self._count(self._misses(source, other))) for other in sorted(other_places)]
        pairs = [Pair(source, other, count, chance(right_count, count)) for other, count in counts if fails(count)]
        return [pair for pair in pairs if pair.chance < 1]

    def _misses(self, source: str, other: str) -> Test:
        """Return a test for calls that took a value from `other` and not from the source.

        Where right values mostly occur in both places, only calls that had read the source count.
        """
        good_calls = [call for attempt in self.runs for call in attempt.well if call.comes_from(source)]
        in_both = sum(call.comes_from(other) for call in good_calls)
        tool = source.partition(ARROW)[0]
        if 2 * in_both < len(good_calls):
            return lambda call: call.misses(source, other)
        return lambda call: call.misses(source, other) and (tool in call.answered_tools or source == MESSAGE)

    def _count_from(self, source: str) -> Count:
        return self._count(lambda call: call.comes_from(source))

    def _count(self, test: Test) -> Count:
        cases, error_free, successes = set(), set(), set()
        for row in self.runs:
            calls = [call for call in row.calls if test(call)]
            has_worked = any(call.worked for call in calls)
            if calls and (row.outcome != "partial" or not has_worked):
                cases.add(row.case)
                error_free.update([row.case] if has_worked else [])
                successes.update([row.case] if has_worked and row.outcome == "success" else [])
        return Count(len(cases), len(error_free), len(successes))

    def _is_common(self, place: str) -> bool:
        """Return whether a place may be spelled out: a key may be a name, so several runs and cases must hold it."""
        cases = [
            attempt.case for attempt in self.runs if any(place in p for call in attempt.calls for p in call.places)
        ]
        return len(cases) >= KNOWN_RUNS and len(set(cases)) >= LEAST_CASES


def _claims_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the claims of pairs with one source."""
    failing = sorted(pairs, key=lambda pair: (-pair.count.cases, pair.other))
    return {"source": pairs[0].source, "failing": [pair.other for pair in failing[:MOST_FAILING]]}


def testimony(run: RunCalls, claims: Mapping[str, Any]) -> bool | None:
    """Return whether a run supports the claims; None: it says nothing about them."""
    source, failing = claims["source"], claims["failing"]
    if run.well and (not has(run.well, source) or any(c.misses(source, o) for c in run.well for o in failing)):
        return False
    if run.well:
        return True
    wrong_calls = [call for call in run.calls if any(call.misses(source, other) for other in failing)]
    return True if wrong_calls and (run.outcome == "failure" or not any(call.worked for call in wrong_calls)) else None
