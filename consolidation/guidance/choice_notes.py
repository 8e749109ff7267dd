"""Arguments of a call that is about to be made, beside what decided them in runs that ended well.

"`team` is `support`; where `category` was `damage`, 14 of 15 calls of runs that ended well did not send it". And the
call itself, where runs made none for such a record.

The conditions are those that the skills of the scope tell (`learning/writing/argument_choices.py`, of the call itself
`call_conditions.py`). They come without a person's confirmation, as all counts of a check do, and end when a person
dismisses the skill.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from consolidation.guidance.provenance import Note
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import joined
from consolidation.learning.writing.argument_choices import states_by_call
from consolidation.learning.writing.argument_conditions import ABSENT, Condition, number_text
from consolidation.learning.writing.call_conditions import CALL
from consolidation.learning.writing.record_states import State, described
from consolidation.models import Pattern
from memories.values.exceptions import within
from memories.values.trust import Trust

LEAST_CASES = 4  # in which such calls were made
CLEAR = 0.9  # of such calls sent the value

Conditions = Mapping[str, Sequence[Condition]]  # by argument


def notes(run: Run, call: Call, scope: str, trust: Trust) -> Iterator[Note]:
    """One for each argument that differs from what nearly all calls about such records sent, and one where no such
    record got the call."""
    conditions = read(Pattern.objects.choices(call.name, scope, trust), call.name)
    return notes_of_conditions(run, call, conditions) if conditions else iter(())


def read(choices: Iterable[Mapping[str, Any]], tool: str) -> Conditions:
    """Return the conditions of a tool, of the `choices` in the payloads of skills."""
    by_argument = defaultdict(list)
    for choice in choices:
        fields = {name: value for name, value in choice.items() if name not in ("tool", "argument")}
        if choice["tool"] == tool:
            by_argument[choice["argument"]].append(Condition(**fields))
    return by_argument


def notes_of_conditions(run: Run, call: Call, conditions: Conditions) -> Iterator[Note]:
    """Yield the notes by these conditions. No note for a value that any of the matching conditions names."""
    record, arguments = states_by_call(run, call), described(call.arguments)
    for argument, argument_conditions in conditions.items():
        if argument == CALL:
            yield from _of_call(run, call, record, argument_conditions)
            continue
        matching = [
            condition
            for condition in argument_conditions
            if condition.holds((arguments if condition.together else record).get(condition.field))
        ]
        value = arguments.get(argument, ABSENT)
        is_word = isinstance(value, str) and (argument in arguments or call.arguments.get(argument) is None)
        if is_word and value not in [condition.value for condition in matching] and (clear := _clearest(matching)):
            yield {"pointer": within("/arguments", argument), "note": _sentence(argument, str(value), clear)}


def _of_call(run: Run, call: Call, record: Mapping[str, State], conditions: Sequence[Condition]) -> Iterator[Note]:
    """Note a call whose record matched a condition from the start and still does, where runs that ended well never
    made the call; a single exception prevents the note."""
    at_first = states_by_call(run, call, first=True)
    matching = [
        condition
        for condition in conditions
        if condition.holds(at_first.get(condition.field)) and condition.holds(record.get(condition.field))
    ]
    never = [condition for condition in matching if condition.value == ABSENT and condition.calls == condition.of]
    if (clear := _clearest(never)) and len(never) == len(matching):
        counts = f"runs that ended well called it for none of {clear.of} such records"
        yield {
            "pointer": "/tool",
            "note": f"{code(call.name)}: where {code(clear.field)} was {_state(clear)}, {counts}",
        }


def _clearest(conditions: Sequence[Condition]) -> Condition | None:
    candidates = [
        condition
        for condition in conditions
        if condition.cases >= LEAST_CASES and condition.calls >= CLEAR * condition.of
    ]
    return max(candidates, key=lambda condition: (condition.calls / condition.of, condition.calls), default=None)


def _sentence(argument: str, value: str, usual: Condition) -> str:
    value_text = f"is {code(value)}" if value != ABSENT else "is not sent"
    counts = f"{usual.calls} of {usual.of} calls of runs that ended well"
    usual_text = f"sent {code(usual.value)}" if usual.value != ABSENT else "did not send it"
    return f"{code(argument)} {value_text}; where {code(usual.field)} was {_state(usual)}, {counts} {usual_text}"


def _state(usual: Condition) -> str:
    if usual.over is not None:
        return f"more than {number_text(usual.over)}"
    if usual.upto is not None:
        return f"at most {number_text(usual.upto)}"
    return joined([code(state) for state in usual.states], "or")
