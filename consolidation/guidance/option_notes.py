"""Commands that are about to be called as they failed in earlier runs of the same repository, and how they worked.

"`gh pr merge` with `--merge` failed in 2 of 2 runs in `shop` (Merge commits are not allowed); with `--squash` it worked
in 3 of 3". They come without a person's confirmation, as all counts of a check do, and end when a person dismisses the
fact.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from consolidation.guidance.command_notes import in_place
from consolidation.guidance.provenance import Note
from consolidation.learning.commands.shell import line_argument, line_in
from consolidation.learning.effects.command_starts import LEAST_CASES, CaseAttempt
from consolidation.learning.effects.option_tries import OPTIONS_OF, option_tries, tries_in
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.option_facts import OptionFindings
from consolidation.learning.runs import errors
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import cut, joined
from consolidation.models.commands import CommandFact
from memories.models import Episode, Event
from memories.values.exceptions import within
from memories.values.trust import Trust

MOST_TRIES = 20  # of one command line
MOST_EPISODES = 4  # that are read for the error
MOST_CALLS = 100  # in them
LONGEST_ERROR = 120
_NUMBER = re.compile(r"\d+")


def notes(run: Run, call: Call, rules: ToolRules, trust: Trust, *, at: datetime) -> list[Note]:
    """One for each command of the call; none for what worked in this run."""
    working = {option_try for option_try, ok in option_tries(run, rules).items() if ok}
    tries = {option_try: None for option_try in tries_in(rules.line_of(call))[:MOST_TRIES] if option_try not in working}
    facts_in_force = CommandFact.objects.holding(trust, at=at)
    relevant = (
        list(facts_in_force.filter(purpose__in={f"{OPTIONS_OF}{option_try.form}" for option_try in tries}))
        if tries
        else []
    )
    if not relevant:
        return []
    pointer = within("/arguments", name) if (name := line_argument(call)) else "/arguments"
    sentences: dict[str, None] = {}
    for fact in in_place(relevant, facts_in_force, run, call, rules):
        findings = fact.findings()
        assert isinstance(findings, OptionFindings)
        if any(
            option_try.form == fact.command and findings.predicts_failure(option_try.options, fact.said)
            for option_try in tries
        ):
            sentences[_sentence(fact, findings, trust, at=at)] = None
    return [{"pointer": pointer, "note": note} for note in sentences]


def _sentence(fact: CommandFact, findings: OptionFindings, trust: Trust, *, at: datetime) -> str:
    failing, working = findings.sides(fact.said)
    working_options, failing_options = (
        joined([code(name.replace(", ", " ")) for name, works in fact.said.items() if works == is_well], "or")
        for is_well in (True, False)
    )
    failures, successes = sum(not case.started for case in failing), sum(case.started for case in working)
    with_what = f"with {failing_options}" if failing_options else f"without {working_options}"
    where = f" in {code(fact.place)}" if fact.place else ""
    error = f" ({error_text})" if (error_text := _error(fact, failing, trust, at=at)) else ""
    instead = f"with {working_options}" if working_options else "without"
    return (
        f"{code(fact.command)} {with_what} failed in {failures} of {len(failing)} runs{where}{error};"
        f" {instead} it worked in {successes} of {len(working)}"
    )


def _error(fact: CommandFact, failing: Sequence[CaseAttempt], trust: Trust, *, at: datetime) -> str:
    """The command's error, if it was the same in LEAST_CASES cases, compared without numbers; else ''."""
    forms = {failing_case.form for failing_case in failing}
    rows = fact.shown.filter(
        started=False, form__in=forms, episode_id__in=Episode.objects.visible_to(trust).values("pk")
    )
    cases = dict(rows.order_by("-at", "-pk").values_list("episode_id", "case")[:MOST_EPISODES])
    calls = Event.objects.filter(episode__in=cases).exclude(tool="").containing(fact.command)
    messages: dict[str, dict[UUID, str]] = defaultdict(dict)
    latest = calls.order_by("-at", "-pk").values_list("episode_id", "args", "result", "ok")
    for episode, args, result, ok in latest[:MOST_CALLS]:
        call = Call(0, fact.command, args, result, ok, at, None)
        if call.failed and any(option_try.words in forms for option_try in tries_in(line_in(args))):
            message = errors.message(call.parsed_result)
            messages[_NUMBER.sub("", message)][cases[episode]] = message
    common = max(messages.values(), key=len, default={})
    return cut(next(iter(common.values())), LONGEST_ERROR) if len(common) >= LEAST_CASES else ""
