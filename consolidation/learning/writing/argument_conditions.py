"""Conditions under which a value of an argument is sent: words or a limit of numbers in a field, and their p-values."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import ceil, comb
from typing import Any, NamedTuple

from consolidation.learning.chance import by_chance
from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.record_states import State, described

LEAST_CASES = 3
MOSTLY = 0.8
ABSENT = ""


@dataclass(frozen=True)
class Condition(Counted):
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
        """Return whether a field in this state is meant."""
        if isinstance(state, float):
            return (self.over is not None and state > self.over) or (self.upto is not None and state <= self.upto)
        return state in self.states


@dataclass(frozen=True)
class Sent:
    """One call: its short arguments, those that are numbers, the names of all but nulls, and the states of its record,
    by field, as last shown."""

    run: Run
    values: Mapping[str, str]
    numbers: Mapping[str, float]
    names: Set[str]
    shown: Mapping[str, State]

    @classmethod
    def of(cls, run: Run, arguments: Mapping[str, Any], shown: Mapping[str, State]) -> "Sent":
        sent = described(arguments)
        words = {name: value for name, value in sent.items() if isinstance(value, str)}
        numbers = {name: value for name, value in sent.items() if isinstance(value, float)}
        return cls(run, words, numbers, {name for name, value in arguments.items() if value is not None}, shown)

    def argument(self, name: str) -> State | None:
        return self.values.get(name, self.numbers.get(name))


class _Seen(NamedTuple):
    """A call for one value and the states of a field with which it goes: whether it sent it, and was about such one."""

    case: str
    value: str
    state: State
    sent: bool
    inside: bool


Known = Sequence[tuple[Sent, str, State]]  # each call, the value that it sent, and the state of a field
Tried = tuple[int, Sequence[_Seen], Condition]


def of_field(name: str, field: str, sent: Sequence[Sent], *, together: bool) -> Iterator[Tried]:
    """Yield each value that nearly all calls about records with some states sent, with how many such pairs of a value
    and a set of states there are, and all calls."""
    states_of = ((call, call.argument(field) if together else call.shown.get(field)) for call in sent)
    known = [(call, call.values.get(name, ABSENT), state) for call, state in states_of if state is not None]
    yield from _of_words([one for one in known if isinstance(one[2], str)], field, together=together)
    yield from _of_numbers([one for one in known if isinstance(one[2], float)], field, together=together)


def _of_words(known: Known, field: str, *, together: bool) -> Iterator[Tried]:
    by_state: dict[State, list[tuple[Sent, str]]] = defaultdict(list)
    for call, value, state in known:
        by_state[state].append((call, value))
    decided: dict[str, list[str]] = defaultdict(list)
    for state, calls in by_state.items():
        value, times = Counter(value for _, value in calls).most_common(1)[0]
        if times >= MOSTLY * len(calls) and cases_of([call for call, _ in calls]) >= LEAST_CASES:
            decided[value].append(str(state))
    several = len({value for _, value, _ in known})
    for value, states_with in decided.items():
        ways = several * comb(len(by_state), len(states_with))
        yield ways, *_counted(known, Condition(value, field, sorted(states_with), 0, 0, 0, together))


def _of_numbers(known: Known, field: str, *, together: bool) -> Iterator[Tried]:
    """The same of numbers above and below a limit."""
    values = {value for _, value, _ in known}
    ways = 2 * len(values) * (len({state for _, _, state in known}) - 1)
    for value in sorted(values) if ways else ():
        pairs = [(float(state), its == value) for _, its, state in known]
        for sign in (1, -1):
            if gap := _gap(sorted((sign * number, was_sent) for number, was_sent in pairs)):
                limit = roundest(*gap) if sign > 0 else roundest(-gap[1], -gap[0])
                over, upto = (limit, None) if sign > 0 else (None, limit)
                yield ways, *_counted(known, Condition(value, field, [], 0, 0, 0, together, over, upto))


def _gap(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float] | None:
    """Return the two neighbours between which a value begins to be sent mostly; `pairs`: in order of the numbers."""
    passed, best, gap = 0, 0, None
    total = sum(was_sent for _, was_sent in pairs)
    for n, (number, was_sent) in enumerate(pairs):
        if n and number > pairs[n - 1][0] and total - passed >= MOSTLY * (len(pairs) - n):
            right = total - passed + n - passed
            if right > best:
                best, gap = right, (pairs[n - 1][0], number)
        passed += was_sent
    return gap


def roundest(low: float, high: float) -> float:
    """Return the number with the fewest digits that is at least `low` and below `high`."""
    for power in range(9, -9, -1):
        for step in (5 * 10.0**power, 10.0**power):
            if (number := ceil(low / step) * step) < high:
                return number
    return low


def written(number: float) -> str:
    return f"{number:.10g}"


def _counted(known: Known, condition: Condition) -> tuple[Sequence[_Seen], Condition]:
    """Return all calls as compared with a condition, and this with its counts. About numbers those count as equal that
    are on one side."""
    seen, sending = [], []
    for call, value, state in known:
        inside = condition.holds(state)
        side = float(inside) if isinstance(state, float) else state
        seen.append(_Seen(call.run.thread, value, side, value == condition.value, inside))
        sending += [call] if seen[-1].sent and inside else []
    n, of = len(sending), sum(one.inside for one in seen)
    ids, cases = ids_of(call.run for call in sending), cases_of(sending)
    return seen, replace(condition, calls=n, of=of, cases=cases, ids=ids)


def p_value(seen: Collection[_Seen]) -> float:
    """Return the p-value of the value being sent more often inside; 1.0 if it is not."""
    inside, outside = ([one.sent for one in seen if one.inside is side] for side in (True, False))
    n, m = sum(inside), sum(outside)
    return by_chance(n, len(inside), m, len(outside)) if n * len(outside) > m * len(inside) else 1.0


def cases_of(sent: Sequence[Sent]) -> int:
    return len({call.run.thread for call in sent})
