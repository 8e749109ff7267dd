"""Commands that are about to be called, and of which the runs of the same repository show that they do not start.

Counts and forms of commands alone, no path or value of another run; they come without a person's confirmation, as all
counts of a check do, and end when a person dismisses the fact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from consolidation.guidance.provenance import Note
from consolidation.learning.commands.forms import called
from consolidation.learning.commands.purposes import may_be_named
from consolidation.learning.commands.shell import line_argument
from consolidation.learning.effects.command_starts import CONSISTENT, attempts
from consolidation.learning.effects.places import place
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.models.commands import CommandAttempt, CommandFact
from memories.values.exceptions import within
from memories.values.trust import Trust

MOST_FORMS = 20  # of one command line
MOST_FACTS = 100
MOST_INSTEAD = 2

Counts = dict[str, tuple[int, int]]


def notes(run: Run, call: Call, rules: ToolRules, trust: Trust, *, at: datetime) -> list[Note]:
    """One for each command of the call that does not start where the run works; none for what started in this run."""
    line = rules.line_of(call)
    forms = list(dict.fromkeys(form for _, form in called(line) if may_be_named(form)))[:MOST_FORMS]
    if not forms:
        return []
    known = CommandFact.objects.holding(trust, at=at)
    naming = known.naming(forms).order_by("pk")[:MOST_FACTS]
    if not any(fact.said.get(form) is False for fact in naming for form in forms):
        return []
    here = place(replace(run, calls=(*run.calls, replace(call, result=None))), rules, {})
    only = known.order_by().values_list("place", flat=True).distinct()[:2]
    facts = [fact for fact in naming if _is_here(fact.place, here, alone=len(only) == 1)]
    started = {attempt.form for attempt in attempts(run, rules) if attempt.started}
    counts: Counts = CommandAttempt.objects.filter(fact__in=facts).counts() if facts else {}
    pointer = within("/arguments", name) if (name := line_argument(call)) else "/arguments"
    return [{"pointer": pointer, "note": note} for note in _told(facts, [f for f in forms if f not in started], counts)]


def _is_here(known: str, here: str, *, alone: bool) -> bool:
    """Whether the place of a fact is where the run works: a repository is known by its name or by that of its owner,
    too. `alone`: no other place is known, so it is meant where commands name none, or name a folder of a repository."""
    if known == here:
        return True
    return alone if not here else known.endswith(f"/{here}") or (alone and "/" in known)


def _told(facts: Sequence[CommandFact], forms: Sequence[str], counts: Counts) -> Iterator[str]:
    for form in forms:
        saying = [fact for fact in facts if fact.said.get(form) is False]
        started, runs = counts.get(form, (0, 0))
        if not saying or started > (1 - CONSISTENT) * runs:
            continue
        where = f" in {code(saying[0].place)}" if saying[0].place else ""
        sentence = f"{code(form)} did not start in {runs - started} of {runs} runs{where}"
        instead = [other for fact in saying for other in fact.starting if counts[other][0]]
        yield "; ".join([sentence, *(_starts(other, counts) for other in list(dict.fromkeys(instead))[:MOST_INSTEAD])])


def _starts(form: str, counts: Counts) -> str:
    started, runs = counts[form]
    return f"{code(form)} started in {started} of {runs}"
