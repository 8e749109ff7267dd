"""Arguments of a call that is about to be made, beside what decided them in runs that ended well.

"`team` is `support`; in 14 of 15 calls of runs that ended well, where `category` was `damage`, it was not sent".

The conditions are those that the skills of the scope tell (`learning/writing/argument_choices.py`). They come without a
person's confirmation, as all counts of a check do, and end when a person dismisses the skill.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from consolidation.guidance.provenance import Note
from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.shown_records import states
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import joined
from consolidation.learning.writing.argument_choices import ABSENT, shown
from consolidation.models import Pattern
from memories.values.exceptions import within
from memories.values.trust import Trust

LEAST_CASES = 4  # in which such calls were made
CLEAR = 0.9  # of such calls sent the value

Json = dict[str, Any]


def notes(run: Run, call: Call, scope: str, trust: Trust) -> Iterator[Note]:
    """One for each argument that differs from what nearly all calls about such records sent."""
    conditions = [one for one in Pattern.objects.choices(call.name, scope, trust) if one["tool"] == call.name]
    return told(run, call, conditions) if conditions else iter(())


def told(run: Run, call: Call, conditions: Iterable[Json]) -> Iterator[Note]:
    """`conditions`: of the tool, as the payload of a skill holds them."""
    record, sent = shown(run, call), dict(states(call.arguments))
    holding = defaultdict(list)
    for one in conditions:
        if (sent if one["together"] else record).get(one["field"]) in one["states"]:
            holding[one["argument"]].append(one)
    for argument, here in holding.items():
        value = sent.get(argument, ABSENT)
        is_word = argument in sent or argument not in call.arguments
        if is_word and value not in [one["value"] for one in here] and (clear := _clearest(here)):
            yield {"pointer": within("/arguments", argument), "note": _sentence(argument, value, clear)}


def _clearest(conditions: Sequence[Json]) -> Json | None:
    enough = [one for one in conditions if one["cases"] >= LEAST_CASES and one["calls"] >= CLEAR * one["of"]]
    return max(enough, key=lambda one: (one["calls"] / one["of"], one["calls"]), default=None)


def _sentence(argument: str, value: str, usual: Json) -> str:
    sent = f"is {code(value)}" if value != ABSENT else "is not sent"
    states_with = joined([code(state) for state in usual["states"]], "or")
    counted = f"in {usual['calls']} of {usual['of']} calls, where {code(usual['field'])} was {states_with}"
    return (
        f"{code(argument)} {sent}; {counted}, it was {code(usual['value']) if usual['value'] != ABSENT else 'not sent'}"
    )
