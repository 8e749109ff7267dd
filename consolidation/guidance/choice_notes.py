"""Arguments of a call that is about to be made, beside what decided them in runs that ended well.

"`team` is `support`; where `category` was `damage`, 14 of 15 calls of runs that ended well did not send it".

The conditions are those that the skills of the scope tell (`learning/writing/argument_choices.py`). They come without a
person's confirmation, as all counts of a check do, and end when a person dismisses the skill.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from consolidation.guidance.provenance import Note
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import joined
from consolidation.learning.writing.argument_choices import shown
from consolidation.learning.writing.argument_conditions import ABSENT, Condition, written
from consolidation.learning.writing.record_states import described
from consolidation.models import Pattern
from memories.values.exceptions import within
from memories.values.trust import Trust

LEAST_CASES = 4  # in which such calls were made
CLEAR = 0.9  # of such calls sent the value

Conditions = Mapping[str, Sequence[Condition]]  # by argument


def notes(run: Run, call: Call, scope: str, trust: Trust) -> Iterator[Note]:
    """One for each argument that differs from what nearly all calls about such records sent."""
    conditions = read(Pattern.objects.choices(call.name, scope, trust), call.name)
    return told(run, call, conditions) if conditions else iter(())


def read(choices: Iterable[Mapping[str, Any]], tool: str) -> Conditions:
    """Return the conditions of a tool, of the `choices` in the payloads of skills."""
    by_argument = defaultdict(list)
    for choice in choices:
        fields = {name: value for name, value in choice.items() if name not in ("tool", "argument")}
        if choice["tool"] == tool:
            by_argument[choice["argument"]].append(Condition(**fields))
    return by_argument


def told(run: Run, call: Call, conditions: Conditions) -> Iterator[Note]:
    """The same of known conditions. A value that one of those that hold names is right."""
    record, sent = shown(run, call), described(call.arguments)
    for argument, known in conditions.items():
        here = [one for one in known if one.holds((sent if one.together else record).get(one.field))]
        value = sent.get(argument, ABSENT)
        is_word = isinstance(value, str) and (argument in sent or call.arguments.get(argument) is None)
        if is_word and value not in [one.value for one in here] and (clear := _clearest(here)):
            yield {"pointer": within("/arguments", argument), "note": _sentence(argument, str(value), clear)}


def _clearest(conditions: Sequence[Condition]) -> Condition | None:
    enough = [one for one in conditions if one.cases >= LEAST_CASES and one.calls >= CLEAR * one.of]
    return max(enough, key=lambda one: (one.calls / one.of, one.calls), default=None)


def _sentence(argument: str, value: str, usual: Condition) -> str:
    sent = f"is {code(value)}" if value != ABSENT else "is not sent"
    counted = f"{usual.calls} of {usual.of} calls of runs that ended well"
    did = f"sent {code(usual.value)}" if usual.value != ABSENT else "did not send it"
    return f"{code(argument)} {sent}; where {code(usual.field)} was {_state(usual)}, {counted} {did}"


def _state(usual: Condition) -> str:
    if usual.over is not None:
        return f"more than {written(usual.over)}"
    if usual.upto is not None:
        return f"at most {written(usual.upto)}"
    return joined([code(state) for state in usual.states], "or")
