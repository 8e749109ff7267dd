"""What an argument of few values depends on: a field of the record that the call is about, of one that this names, or
another argument.

"`team` is `key-accounts` where `account_type` is `business`", "`high` where `amount` is more than 500": work through a
queue is the same calls for each record, and what differs is decided by what the record holds. Told where it separates
more clearly than chance, of values that several runs hold. Equal calls about equal records count once in a case: what a
run does all day is one choice.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.facts.shown_records import given
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Message, Run
from consolidation.learning.writing.argument_conditions import (
    ABSENT,
    LEAST_CASES,
    Condition,
    Sent,
    cases_of,
    of_field,
    p_value,
)
from consolidation.learning.writing.record_states import Records, State

LEAST_CALLS, MOST_VALUES = 8, 8  # of an argument
CHANCE = 0.0125  # highest p-value of an argument, over all its values, fields, and sets of their states
MOST = 5  # of one argument
MOST_RUNS = 50  # the latest


@dataclass(frozen=True)
class Choice:
    """What an argument of few values depends on; `others`: values of which nothing is known, most frequent first."""

    conditions: Sequence[Condition]
    others: Sequence[str]


def choices(scope: Scope, tool: str) -> dict[str, Choice]:
    """Return by argument of a tool on what it depends, if it took few values in enough calls that ended well, whatever
    else their runs did."""
    runs = [run for run in scope.all if run.succeeded and any(call.name == tool for call in run.steps)]
    sent = [call for run in runs[-MOST_RUNS:] for call in _calls(run, tool)]
    kinds = {name: len({call.values[name] for call in sent if name in call.values}) for name in _names(sent)}
    told: dict[str, Choice] = {}
    for name, several in kinds.items():
        calls = [call for call in sent if name in call.values or name not in call.names]
        is_varied = 2 <= several <= MOST_VALUES and cases_of(calls) >= LEAST_CASES
        if is_varied and scope.may_name_argument(tool, name):
            finer = {other for other in kinds if kinds[other] >= several and other != name}
            told[name] = _choice(scope, name, calls, finer, kinds.keys())
    return told


def _names(sent: Sequence[Sent]) -> list[str]:
    """The arguments of enough calls, in order."""
    counted = Counter(name for call in sent for name in call.values)
    return sorted(name for name, calls in counted.items() if calls >= LEAST_CALLS)


def _choice(scope: Scope, name: str, sent: Sequence[Sent], beside: Set[str], arguments: Set[str]) -> Choice:
    numbers = {field for call in sent for field in call.numbers}
    fields = {field for call in sent for field in call.shown}.difference(arguments) | beside | numbers
    best: dict[str, tuple[float, Condition]] = {}
    for field in sorted(fields):
        for tried, seen, condition in of_field(name, field, sent, together=field in beside | numbers):
            chance = p_value(seen)
            better = condition.value not in best or chance < best[condition.value][0]
            is_clear = p_value(set(seen)) * tried * len(fields) <= CHANCE
            if is_clear and better and _may_tell(scope, condition):
                best[condition.value] = chance, condition
    conditions = sorted((condition for _, condition in best.values()), key=lambda one: (-one.calls, one.value))
    holders = Holders(({call.values[name]}, call.run.thread) for call in sent if name in call.values)
    rest = [value for value, _ in holders.held(LEAST_CASES) if value not in best and scope.names_nobody(value)]
    return Choice(conditions[:MOST], rest[:MOST])


def _may_tell(scope: Scope, condition: Condition) -> bool:
    named = [value for value in (condition.value, *condition.states) if value != ABSENT]
    may_name = condition.cases >= LEAST_CASES and all(map(scope.may_name, condition.field.split(".")))
    return may_name and all(map(scope.names_nobody, named))


def shown(run: Run, call: Call) -> dict[str, State]:
    """Return the states of the record that a call is about and of those it names, as a run has shown them by then."""
    known = Records()
    for step in run.steps:
        if not step.failed:
            known.read(step)
    return known.about(call)


def _calls(run: Run, tool: str) -> Sequence[Sent]:
    """Return the calls of a tool that worked, each with what was known of its record, and as the user had it mended: a
    later call about the same record is the same one when the user has said something in between."""
    known = Records()
    sent: list[Sent] = []
    latest: dict[Set[str], tuple[int, Message | None, Mapping[str, Any]]] = {}
    for call in run.steps:
        if call.failed:
            continue
        if call.name == tool:
            ids, said = frozenset(key for _, key in given(call.arguments)), run.said_before(call.position)
            at, before, arguments = latest.get(ids, (len(sent), said, {}))
            if ids and before != said:
                arguments = {**arguments, **call.arguments}
                sent[at] = Sent.of(run, arguments, sent[at].shown)
            else:
                at, arguments = len(sent), call.arguments
                sent.append(Sent.of(run, arguments, known.about(call)))
            latest[ids] = at, said, arguments
        known.read(call)
    return sent
