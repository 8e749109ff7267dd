"""Commands that are about to be called, and of which the runs of the same repository show that they do not start.

Counts and forms of commands alone, no path or value of another run; they come without a person's confirmation, as all
counts of a check do, and end when a person dismisses the fact.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from consolidation.guidance.provenance import Note
from consolidation.learning.commands.forms import kind_forms
from consolidation.learning.commands.purposes import may_be_named
from consolidation.learning.commands.shell import line_argument
from consolidation.learning.effects.command_starts import CONSISTENT, attempts
from consolidation.learning.effects.places import place
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.models.commands import CommandAttempt, CommandFact, CommandFactQuerySet
from memories.values.exceptions import within
from memories.values.trust import Trust

MOST_FORMS = 20  # of one command line
MOST_FACTS = 100
MOST_INSTEAD = 2

Counts = dict[str, tuple[int, int]]


def notes(run: Run, call: Call, rules: ToolRules, trust: Trust, *, at: datetime) -> list[Note]:
    """One for each command of the call that does not start where the run works; none for what started in this run."""
    line = rules.line_of(call)
    forms = list(dict.fromkeys(form for _, form in kind_forms(line) if may_be_named(form)))[:MOST_FORMS]
    if not forms:
        return []
    all_facts = CommandFact.objects.holding(trust, at=at)
    naming = all_facts.naming(forms).order_by("pk")[:MOST_FACTS]
    if not any(fact.said.get(form) is False for fact in naming for form in forms):
        return []
    facts = in_place(naming, all_facts, run, call, rules)
    working = {attempt.form for attempt in attempts(run, rules) if attempt.started}
    counts: Counts = CommandAttempt.objects.filter(fact__in=facts).counts() if facts else {}
    pointer = within("/arguments", name) if (name := line_argument(call)) else "/arguments"
    return [{"pointer": pointer, "note": note} for note in _told(facts, [f for f in forms if f not in working], counts)]


def in_place(
    facts: Iterable[CommandFact], all_facts: CommandFactQuerySet, run: Run, call: Call, rules: ToolRules
) -> list[CommandFact]:
    """Those of these facts that are of where the run works. `all_facts`: all that hold."""
    here = place(replace(run, calls=(*run.calls, replace(call, result=None))), rules, {})
    only = all_facts.order_by().values_list("place", flat=True).distinct()[:2]
    return [fact for fact in facts if _is_here(fact.place, here, alone=len(only) == 1)]


def _is_here(fact_place: str, here: str, *, alone: bool) -> bool:
    """Whether the place of a fact is where the run works: a repository is known by its name or by that of its owner,
    too. `alone`: no other place is known, so it is meant where commands name none, or name a folder of a repository."""
    if fact_place == here:
        return True
    return alone if not here else fact_place.endswith(f"/{here}") or (alone and "/" in fact_place)


def _told(facts: Sequence[CommandFact], forms: Sequence[str], counts: Counts) -> Iterator[str]:
    for form in forms:
        failing_facts = [fact for fact in facts if fact.said.get(form) is False]
        successes, runs = counts.get(form, (0, 0))
        if not failing_facts or successes > (1 - CONSISTENT) * runs:
            continue
        where = f" in {code(failing_facts[0].place)}" if failing_facts[0].place else ""
        sentence = f"{code(form)} did not start in {runs - successes} of {runs} runs{where}"
        instead = [other for fact in failing_facts for other in fact.starting if counts[other][0]]
        yield "; ".join([sentence, *(_starts(other, counts) for other in list(dict.fromkeys(instead))[:MOST_INSTEAD])])


def _starts(form: str, counts: Counts) -> str:
    successes, runs = counts[form]
    return f"{code(form)} started in {successes} of {runs}"
