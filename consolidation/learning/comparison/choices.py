"""What an argument of few values depends on: a field of the record that the call is about, of one that this names, or
another argument.

"`team` is `key-accounts` where `account_type` is `business`": work through a queue is the same calls for each record,
and what differs is decided by what the record holds. Told where it separates more clearly than chance, of values that
several runs hold.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from consolidation.learning.chance import by_chance
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.facts.shown_records import given, records, states
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import Counted
from consolidation.learning.runs.run import Run

LEAST_CALLS, MOST_VALUES = 8, 8  # of an argument
LEAST_RUNS, LEAST_CASES = 3, 3
NEARLY_ALL = 0.95
CHANCE = 0.001  # highest p-value: many fields are looked at
MOST = 4  # of one argument


@dataclass(frozen=True)
class Choice(Counted):
    """`argument` of `tool` was `value` in `calls` of the `of` calls about a record whose `field` is `state`."""

    tool: str
    argument: str
    value: str
    field: str
    state: str
    calls: int
    of: int


@dataclass(frozen=True)
class _Sent:
    """One value that a call sent, with its other arguments and the states of its record, by field, as last shown."""

    run: Run
    value: str
    shown: Mapping[str, str]


def choices(scope: Scope, tool: str) -> list[Choice]:
    """Return for each argument of a tool up to MOST conditions, one for a value; those of most calls first."""
    sent: dict[str, list[_Sent]] = defaultdict(list)
    for run in scope.successes:
        for name, value in _sent_by(run, tool) if any(call.name == tool for call in run.steps) else ():
            sent[name].append(value)
    kinds = {name: (len({one.value for one in each}), name) for name, each in sent.items()}
    found: list[Choice] = []
    for name in sorted(sent):
        coarser = {other for other in kinds if kinds[other] <= kinds[name]}  # refund decides accounts, not the reverse
        if (
            len(sent[name]) >= LEAST_CALLS
            and 2 <= kinds[name][0] <= MOST_VALUES
            and scope.may_name_argument(tool, name)
        ):
            found += _of_argument(scope, tool, name, sent[name], without=coarser)
    return found


def _of_argument(scope: Scope, tool: str, name: str, sent: Sequence[_Sent], without: Set[str]) -> list[Choice]:
    best: dict[str, tuple[float, Choice]] = {}
    for field in sorted({field for one in sent for field in one.shown}.difference(without)):
        for chance, choice in _of_field(tool, name, field, sent):
            better = choice.value not in best or chance < best[choice.value][0]
            if chance <= CHANCE and better and _may_tell(scope, choice):
                best[choice.value] = chance, choice
    return sorted((choice for _, choice in best.values()), key=lambda one: (-one.calls, one.value))[:MOST]


def _of_field(tool: str, name: str, field: str, sent: Sequence[_Sent]) -> Iterator[tuple[float, Choice]]:
    """Yield each value that nearly all calls about records with a state sent, with the chance of that."""
    known = [one for one in sent if field in one.shown]
    all_sent = Counter(one.value for one in known)
    for state, of in Counter(one.shown[field] for one in known).items():
        holding = [one for one in known if one.shown[field] == state]
        value, calls = Counter(one.value for one in holding).most_common(1)[0]
        ids = tuple(dict.fromkeys(one.run.id for one in holding if one.value == value))
        if calls >= NEARLY_ALL * of and len(ids) >= LEAST_RUNS and _cases(holding) >= LEAST_CASES:
            chance = by_chance(calls, of, all_sent[value] - calls, len(known) - of)
            yield chance, Choice(tool, name, value, field, state, calls, of, ids=ids)


def _cases(sent: Sequence[_Sent]) -> int:
    return len({one.run.thread for one in sent})


def _may_tell(scope: Scope, choice: Choice) -> bool:
    return scope.may_name(choice.field) and scope.names_nobody(choice.value) and scope.names_nobody(choice.state)


def _sent_by(run: Run, tool: str) -> Iterator[tuple[str, _Sent]]:
    """Yield (argument, value) of the calls of a tool that worked."""
    known = _Records()
    for call in run.steps:
        if call.failed:
            continue
        if call.name == tool:
            sent = dict(states(call.arguments))
            shown = known.about(call) | sent
            for name, value in sent.items():
                yield name, _Sent(run, value, {field: shown[field] for field in shown if field != name})
        known.read(call)


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
            for key in keys:
                self._states[key].update(states(record))
                self._beside[key] |= keys
                if key in sent:
                    self._looked_up[key].update(states(record))

    def about(self, call: Call) -> dict[str, str]:
        """Return the states of the records that a call names, and of those that were looked up by an id in these."""
        keys = [key for _, key in given(call.arguments)]
        others = sorted({other for key in keys for other in self._beside.get(key, ())}.difference(keys))
        shown: dict[str, str] = {}
        for states_of in [*map(self._looked_up.get, others), *map(self._states.get, keys)]:
            shown |= states_of or {}
        return shown
