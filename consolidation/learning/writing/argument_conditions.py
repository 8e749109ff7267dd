"""Conditions under which a value of an argument is sent: words or a limit of numbers in a field, and their p-values."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import ceil, comb
from typing import Any, NamedTuple

from consolidation.learning.runs.lines import CountedResult, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.record_states import State, described
from memories.values.chance import by_chance

LEAST_CASES = 3
MOSTLY = 0.8
ABSENT = ""


@dataclass(frozen=True)
class Condition(CountedResult):
    """`value` was sent in `calls` of the `of` calls about a record whose `field` is one of `states`; ABSENT: none was.

    `together`: `field` is another argument of the call; `cases`: those in which it was sent; `over`, `upto`: of a field
    of numbers, that it is more than this, or at most this.
    """

    value: str
    field: str
    states: Sequence[str]
    calls: int
    of: int
    cases: int
    together: bool
    over: float | None = None
    upto: float | None = None

    def holds(self, state: State | None) -> bool:
        """Return whether a field in this state meets the condition."""
        if isinstance(state, float):
            return (self.over is not None and state > self.over) or (self.upto is not None and state <= self.upto)
        return state in self.states


@dataclass(frozen=True)
class SentCall:
    """One call: its short arguments, those that are numbers, the names of all but nulls, and the states of its record,
    by field, as last shown."""

    run: Run
    values: Mapping[str, str]
    numbers: Mapping[str, float]
    names: Set[str]
    record_states: Mapping[str, State]

    @classmethod
    def of(cls, run: Run, arguments: Mapping[str, Any], record_states: Mapping[str, State]) -> "SentCall":
        sent = described(arguments)
        words = {name: value for name, value in sent.items() if isinstance(value, str)}
        numbers = {name: value for name, value in sent.items() if isinstance(value, float)}
        return cls(run, words, numbers, {name for name, value in arguments.items() if value is not None}, record_states)

    def argument(self, name: str) -> State | None:
        return self.values.get(name, self.numbers.get(name))


class _Sample(NamedTuple):
    """One call beside a condition: `sent`: it sent the value; `inside`: its field meets the condition."""

    case: str
    value: str
    state: State
    sent: bool
    inside: bool


CallStates = Sequence[tuple[SentCall, str, State]]  # each call, the value that it sent, and the state of a field
ConditionTry = tuple[int, Sequence[_Sample], Condition]


def of_field(name: str, field: str, sent: Sequence[SentCall], *, together: bool) -> Iterator[ConditionTry]:
    """Yield (number of pairs of a value and a set of states, samples, condition) for each value that nearly all calls
    about records in some states sent."""
    states_of = ((call, call.argument(field) if together else call.record_states.get(field)) for call in sent)
    call_states = [(call, call.values.get(name, ABSENT), state) for call, state in states_of if state is not None]
    yield from _of_words([entry for entry in call_states if isinstance(entry[2], str)], field, together=together)
    yield from _of_numbers([entry for entry in call_states if isinstance(entry[2], float)], field, together=together)


def _of_words(call_states: CallStates, field: str, *, together: bool) -> Iterator[ConditionTry]:
    by_state: dict[State, list[tuple[SentCall, str]]] = defaultdict(list)
    for call, value, state in call_states:
        by_state[state].append((call, value))
    states_by_value: dict[str, list[str]] = defaultdict(list)
    for state, calls in by_state.items():
        value, times = Counter(value for _, value in calls).most_common(1)[0]
        if times >= MOSTLY * len(calls) and cases_of([call for call, _ in calls]) >= LEAST_CASES:
            states_by_value[value].append(str(state))
    value_count = len({value for _, value, _ in call_states})
    for value, states_with in states_by_value.items():
        ways = value_count * comb(len(by_state), len(states_with))
        yield ways, *_with_counts(call_states, Condition(value, field, sorted(states_with), 0, 0, 0, together))


def _of_numbers(call_states: CallStates, field: str, *, together: bool) -> Iterator[ConditionTry]:
    """The same of numbers above and below a limit."""
    values = {value for _, value, _ in call_states}
    ways = 2 * len(values) * (len({state for _, _, state in call_states}) - 1)
    for value in sorted(values) if ways else ():
        pairs = [(float(state), its == value) for _, its, state in call_states]
        for sign in (1, -1):
            if gap := _gap(sorted((sign * number, was_sent) for number, was_sent in pairs)):
                limit = roundest(*gap) if sign > 0 else roundest(-gap[1], -gap[0])
                over, upto = (limit, None) if sign > 0 else (None, limit)
                yield ways, *_with_counts(call_states, Condition(value, field, [], 0, 0, 0, together, over, upto))


def _gap(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float] | None:
    """Return the two neighbours between which a value begins to be sent mostly; `pairs`: in order of the numbers."""
    sent_before, best, gap = 0, 0, None
    total = sum(was_sent for _, was_sent in pairs)
    for n, (number, was_sent) in enumerate(pairs):
        if n and number > pairs[n - 1][0] and total - sent_before >= MOSTLY * (len(pairs) - n):
            agreeing = total - sent_before + n - sent_before
            if agreeing > best:
                best, gap = agreeing, (pairs[n - 1][0], number)
        sent_before += was_sent
    return gap


def roundest(low: float, high: float) -> float:
    """Return the number with the fewest digits that is at least `low` and below `high`."""
    for power in range(9, -9, -1):
        for step in (5 * 10.0**power, 10.0**power):
            if (number := ceil(low / step) * step) < high:
                return number
    return low


def number_text(number: float) -> str:
    return f"{number:.10g}"


def _with_counts(call_states: CallStates, condition: Condition) -> tuple[Sequence[_Sample], Condition]:
    """Return all calls as samples of a condition, and the condition with its counts. Numbers on one side of its limit
    count as one state."""
    samples, sending_calls = [], []
    for call, value, state in call_states:
        inside = condition.holds(state)
        side = float(inside) if isinstance(state, float) else state
        samples.append(_Sample(call.run.thread, value, side, value == condition.value, inside))
        sending_calls += [call] if samples[-1].sent and inside else []
    n, of = len(sending_calls), sum(sample.inside for sample in samples)
    ids, cases = ids_of(call.run for call in sending_calls), cases_of(sending_calls)
    return samples, replace(condition, calls=n, of=of, cases=cases, ids=ids)


def p_value(samples: Collection[_Sample]) -> float:
    """Return the p-value of the value being sent more often inside; 1.0 if it is not."""
    inside, outside = ([sample.sent for sample in samples if sample.inside is side] for side in (True, False))
    n, m = sum(inside), sum(outside)
    return by_chance(n, len(inside), m, len(outside)) if n * len(outside) > m * len(inside) else 1.0


def cases_of(sent: Sequence[SentCall]) -> int:
    return len({call.run.thread for call in sent})
