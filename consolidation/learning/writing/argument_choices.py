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
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Message, Run
from consolidation.learning.writing.argument_conditions import (
    ABSENT,
    LEAST_CASES,
    Condition,
    SentCall,
    cases_of,
    of_field,
    p_value,
)
from consolidation.learning.writing.record_states import Records, State, ids_in

LEAST_CALLS, MOST_VALUES = 8, 8  # of an argument
CHANCE = 0.0125  # highest p-value of an argument, over all its values, fields, and sets of their states
MOST = 5  # of one argument
MOST_RUNS = 50  # the latest


@dataclass(frozen=True)
class Choice:
    """What an argument of few values depends on; `other_values`: those without a condition, most frequent first."""

    conditions: Sequence[Condition]
    other_values: Sequence[str]


def choices(scope: Scope, tool: str) -> dict[str, Choice]:
    """Return for each argument of a tool what it depends on, if it took few values in enough calls of successful runs,
    whatever else these did."""
    runs = [run for run in scope.all if run.succeeded and any(call.name == tool for call in run.steps)]
    sent = [call for run in runs[-MOST_RUNS:] for call in _calls(run, tool)]
    kinds = {name: len({call.values[name] for call in sent if name in call.values}) for name in _names(sent)}
    by_name: dict[str, Choice] = {}
    for name, value_count in kinds.items():
        calls = [call for call in sent if name in call.values or name not in call.names]
        is_varied = 2 <= value_count <= MOST_VALUES and cases_of(calls) >= LEAST_CASES
        if is_varied and scope.may_name_argument(tool, name):
            finer = {other for other in kinds if kinds[other] >= value_count and other != name}
            by_name[name] = _choice(scope, name, calls, finer, kinds.keys())
    return by_name


def _names(sent: Sequence[SentCall]) -> list[str]:
    """The arguments of enough calls, in order."""
    counts = Counter(name for call in sent for name in call.values)
    return sorted(name for name, calls in counts.items() if calls >= LEAST_CALLS)


def _choice(
    scope: Scope, name: str, sent: Sequence[SentCall], arguments_beside: Set[str], arguments: Set[str]
) -> Choice:
    numbers = {field for call in sent for field in call.numbers}
    fields = {field for call in sent for field in call.record_states}.difference(arguments)
    conditions = deciding(scope, name, sent, fields, arguments_beside | numbers)
    condition_values = {condition.value for condition in conditions}
    holders = Holders(({call.values[name]}, call.run.thread) for call in sent if name in call.values)
    other_values = [
        value
        for value, _ in holders.common_values(LEAST_CASES)
        if value not in condition_values and scope.names_nobody(value)
    ]
    return Choice(conditions[:MOST], other_values[:MOST])


def deciding(
    scope: Scope, name: str, sent: Sequence[SentCall], record_fields: Set[str], other_arguments: Set[str] = frozenset()
) -> list[Condition]:
    """Return for each value of an argument its condition of the lowest p-value, most calls first; it tests a field of
    the records or another argument."""
    fields = record_fields | other_arguments
    best: dict[str, tuple[float, Condition]] = {}
    for field in sorted(fields):
        for ways, samples, condition in of_field(name, field, sent, together=field in other_arguments):
            chance = p_value(samples)
            better = condition.value not in best or chance < best[condition.value][0]
            is_clear = p_value(set(samples)) * ways * len(fields) <= CHANCE
            if is_clear and better and _may_tell(scope, condition):
                best[condition.value] = chance, condition
    return sorted(
        (condition for _, condition in best.values()), key=lambda condition: (-condition.calls, condition.value)
    )


def _may_tell(scope: Scope, condition: Condition) -> bool:
    texts = [value for value in (condition.value, *condition.states) if value != ABSENT]
    may_name = condition.cases >= LEAST_CASES and all(map(scope.may_name, condition.field.split(".")))
    return may_name and all(map(scope.names_nobody, texts))


def states_by_call(run: Run, call: Call, *, first: bool = False) -> dict[str, State]:
    """Return the states of the record that a call is about and of those it names, as a run has shown them by then, or
    at first."""
    shown = Records()
    for step in run.steps:
        if not step.failed:
            shown.read(step)
    return shown.about(ids_in(call), first=first)


def _calls(run: Run, tool: str) -> Sequence[SentCall]:
    """Return the calls of a tool that worked, each with the states of its record known by then. A later call about the
    same record corrects the earlier one if the user has said something in between: both count as one."""
    shown = Records()
    sent: list[SentCall] = []
    latest: dict[Set[str], tuple[int, Message | None, Mapping[str, Any]]] = {}
    for call in run.steps:
        if call.failed:
            continue
        if call.name == tool:
            ids, message = ids_in(call), run.user_message_before(call.position)
            index, message_before, arguments = latest.get(ids, (len(sent), message, {}))
            if ids and message_before != message:
                arguments = {**arguments, **call.arguments}
                sent[index] = SentCall.of(run, arguments, sent[index].record_states)
            else:
                index, arguments = len(sent), call.arguments
                sent.append(SentCall.of(run, arguments, shown.about(ids)))
            latest[ids] = index, message, arguments
        shown.read(call)
    return sent
