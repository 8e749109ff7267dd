"""What an argument of few values depends on: a field of the record that the call is about, of one that this names, or
another argument.

"`team` is `key-accounts` where `account_type` is `business`": work through a queue is the same calls for each record,
and what differs is decided by what the record holds. Told where it separates more clearly than chance, of values that
several runs hold. Equal calls about equal records count once in a case: what a run does all day is one choice.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import comb
from typing import NamedTuple

from consolidation.learning.chance import by_chance
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.facts.shown_records import given, records, states
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Message, Run

LEAST_CALLS, MOST_VALUES = 8, 8  # of an argument
LEAST_CASES = 3
MOST_IDS = 24  # of one record, and that are known to stand beside an id
MOSTLY = 0.8
CHANCE = 0.0125  # highest p-value of an argument, over all its values, fields, and sets of their states
MOST = 5  # of one argument
ABSENT = ""


@dataclass(frozen=True)
class Condition(Counted):
    """`value` was sent in `calls` of the `of` calls about a record whose `field` is one of `states`; ABSENT: none was.

    `together`: `field` is another argument of the call; `cases`: those in which it was sent.
    """

    value: str
    field: str
    states: Sequence[str]
    calls: int
    of: int
    cases: int
    together: bool


@dataclass(frozen=True)
class Choice:
    """What an argument of few values depends on; `others`: values of which nothing is known, most frequent first."""

    conditions: Sequence[Condition]
    others: Sequence[str]


@dataclass(frozen=True)
class _Sent:
    """One call: its short arguments, the names of all, and the states of its record, by field, as last shown."""

    run: Run
    values: Mapping[str, str]
    names: Set[str]
    shown: Mapping[str, str]

    def mended_by(self, later: "_Sent") -> "_Sent":
        kept = {name: value for name, value in self.values.items() if name not in later.names}
        return replace(self, values={**kept, **later.values}, names=self.names | later.names)


class _Seen(NamedTuple):
    """A call for one value and the states of a field with which it goes: whether it sent it, and was about such one."""

    case: str
    value: str
    state: str
    sent: bool
    inside: bool


def choices(scope: Scope, tool: str) -> dict[str, Choice]:
    """Return by argument of a tool on what it depends, if it took few values in enough calls that ended well."""
    sent = [call for run in scope.successes for call in _calls(run, tool)]
    kinds = {name: len({call.values[name] for call in sent if name in call.values}) for name in _names(sent)}
    told: dict[str, Choice] = {}
    for name, several in kinds.items():
        calls = [call for call in sent if name in call.values or name not in call.names]
        is_varied = 2 <= several <= MOST_VALUES and _cases(calls) >= LEAST_CASES
        if is_varied and scope.may_name_argument(tool, name):
            finer = {other for other in kinds if kinds[other] >= several and other != name}
            told[name] = _choice(scope, name, calls, finer, kinds.keys())
    return told


def _names(sent: Sequence[_Sent]) -> list[str]:
    """The arguments of enough calls, in order."""
    counted = Counter(name for call in sent for name in call.values)
    return sorted(name for name, calls in counted.items() if calls >= LEAST_CALLS)


def _choice(scope: Scope, name: str, sent: Sequence[_Sent], beside: Set[str], arguments: Set[str]) -> Choice:
    fields = {field for call in sent for field in call.shown}.difference(arguments) | beside
    best: dict[str, tuple[float, Condition]] = {}
    for field in sorted(fields):
        for tried, seen, condition in _of_field(name, field, sent, together=field in beside):
            chance = _by_chance(seen)
            better = condition.value not in best or chance < best[condition.value][0]
            is_clear = _by_chance(set(seen)) * tried * len(fields) <= CHANCE
            if is_clear and better and _may_tell(scope, condition):
                best[condition.value] = chance, condition
    conditions = sorted((condition for _, condition in best.values()), key=lambda one: (-one.calls, one.value))
    holders = Holders(({call.values[name]}, call.run.thread) for call in sent if name in call.values)
    rest = [value for value, _ in holders.held(LEAST_CASES) if value not in best and scope.names_nobody(value)]
    return Choice(conditions[:MOST], rest[:MOST])


def _of_field(
    name: str, field: str, sent: Sequence[_Sent], *, together: bool
) -> Iterator[tuple[int, Sequence[_Seen], Condition]]:
    """Yield each value that nearly all calls about records with some states sent, with how many such pairs of a value
    and a set of states there are, and all calls."""
    states_of = [(call, call.values.get(field) if together else call.shown.get(field)) for call in sent]
    known = [(call, call.values.get(name, ABSENT), state) for call, state in states_of if state is not None]
    by_state: dict[str, list[tuple[_Sent, str]]] = defaultdict(list)
    for call, value, state in known:
        by_state[state].append((call, value))
    decided: dict[str, list[str]] = defaultdict(list)
    for state, calls in by_state.items():
        value, times = Counter(value for _, value in calls).most_common(1)[0]
        if times >= MOSTLY * len(calls) and _cases([call for call, _ in calls]) >= LEAST_CASES:
            decided[value].append(state)
    several = len({value for _, value, _ in known})
    for value, states_with in decided.items():
        seen = [_Seen(call.run.thread, its, state, its == value, state in states_with) for call, its, state in known]
        n, of = sum(one.sent and one.inside for one in seen), sum(one.inside for one in seen)
        sending = [call for call, its, state in known if its == value and state in states_with]
        ids, cases = ids_of(call.run for call in sending), _cases(sending)
        condition = Condition(value, field, sorted(states_with), n, of, cases, together, ids=ids)
        yield several * comb(len(by_state), len(states_with)), seen, condition


def _by_chance(seen: Collection[_Seen]) -> float:
    """Return the p-value of the value being sent more often inside; 1.0 if it is not."""
    inside, outside = ([one.sent for one in seen if one.inside is side] for side in (True, False))
    n, m = sum(inside), sum(outside)
    return by_chance(n, len(inside), m, len(outside)) if n * len(outside) > m * len(inside) else 1.0


def _cases(sent: Sequence[_Sent]) -> int:
    return len({call.run.thread for call in sent})


def _may_tell(scope: Scope, condition: Condition) -> bool:
    named = [value for value in (condition.value, *condition.states) if value != ABSENT]
    return scope.may_name(condition.field) and all(map(scope.names_nobody, named))


def shown(run: Run, call: Call) -> dict[str, str]:
    """Return the states of the record that a call is about and of those it names, as a run has shown them by then."""
    known = _Records()
    for step in run.steps:
        if not step.failed:
            known.read(step)
    return known.about(call)


def _calls(run: Run, tool: str) -> Sequence[_Sent]:
    """Return the calls of a tool that worked, each with what was known of its record, and as the user had it mended: a
    later call about the same record is the same one when the user has said something in between."""
    known = _Records()
    sent: list[_Sent] = []
    latest: dict[Set[str], tuple[int, Message | None]] = {}
    for call in run.steps if any(call.name == tool for call in run.steps) else ():
        if call.failed:
            continue
        if call.name == tool:
            ids, said = frozenset(key for _, key in given(call.arguments)), run.said_before(call.position)
            at, before = latest.get(ids, (len(sent), said))
            made = _Sent(run, dict(states(call.arguments)), call.arguments.keys(), known.about(call))
            if ids and before != said:
                sent[at] = sent[at].mended_by(made)
            else:
                at = len(sent)
                sent.append(made)
            latest[ids] = at, said
        known.read(call)
    return sent


class _Records:
    """States of records by the ids in them, those that were looked up by an id, and the ids that stand together."""

    def __init__(self) -> None:
        self._states: dict[str, dict[str, str]] = defaultdict(dict)
        self._looked_up: dict[str, dict[str, str]] = defaultdict(dict)
        self._beside: dict[str, set[str]] = defaultdict(set)

    def read(self, call: Call) -> None:
        """Add the records in a result; one without an id is named by the id that the call sent."""
        sent = {key for _, key in given(call.arguments)}
        for record, names in records(call.returned):
            keys = {key for key, _ in names} or (sent if record is call.returned else set())
            for key in keys if len(keys) <= MOST_IDS else ():
                self._states[key].update(states(record))
                if len(self._beside[key]) <= MOST_IDS:
                    self._beside[key] |= keys
                if key in sent:
                    self._looked_up[key].update(states(record))

    def about(self, call: Call) -> dict[str, str]:
        """Return the states of the records that a call names, and of those that were looked up by an id in these.

        What stands beside fewer ids tells more: a date stands in the records of a day, and none of them is meant.
        """
        keys = self._by_width({key for _, key in given(call.arguments)})
        others = [other for key in keys for other in self._by_width(self._beside.get(key, set()).difference(keys))]
        shown: dict[str, str] = {}
        for states_of in [*map(self._looked_up.get, others), *map(self._states.get, keys)]:
            shown |= states_of or {}
        return shown

    def _by_width(self, keys: Set[str]) -> list[str]:
        return sorted(keys, key=lambda key: (-len(self._beside.get(key, ())), key))
