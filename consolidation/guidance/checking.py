"""A call that is about to be made, beside what similar runs did with the same tool: a verdict, counts and notes.

A note says what is unlike the calls that worked, which rule of the agents' instructions the call breaks, and which of
its commands does not start in this repository, or failed there with these options.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from consolidation.guidance import choice_notes, command_notes, option_notes, precedent
from consolidation.guidance.answer import CheckedCall, CheckedRun
from consolidation.guidance.experience import Experience
from consolidation.guidance.precedent import Precedent
from consolidation.guidance.provenance import MOST_NOTES, Note, notes
from consolidation.guidance.request import GuidanceQuestion
from consolidation.learning.commands.shell import line_argument
from consolidation.learning.effects.effects import CHORES, is_edit, with_service_commands
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import code
from consolidation.learning.facts.call_rules import broken
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.harness_tools import recorded_names
from consolidation.learning.runs.run import Run
from consolidation.learning.wording import upper_first
from consolidation.models import Policy
from consolidation.models.arguments import ArgumentFact
from memories.models import Event
from memories.values.exceptions import within
from memories.values.trust import Trust

NOTHING_SIMILAR = "No run that you may see is similar to this one."
ALL_PARTIAL = "The similar runs ended partly well: they speak neither for this call nor against it."
ONLY_READS = "This call only reads: nothing speaks against looking."
NOT_TELLING = "Commands that edit files, prepare or tidy up go with any work: nothing speaks for or against them."
ADVICE = "Make sure that this request calls for it before you go on."
CALL = {"called": "call", "ran": "run"}
LONGEST_VALUE = 40
LEAST_CASES = 4  # that agree on a value before it is told: of notes by two or three, three in seven were wrong
MOST_CALLS = 200


def checked(
    question: GuidanceQuestion, experience: Experience | None, rules: ToolRules, trust: Trust, *, at: datetime
) -> CheckedCall | None:
    """None: no call is about to be made."""
    call = question.call
    if call is None:
        return None
    note = _compared(question, call, experience, rules, trust)
    policy_notes = _broken_policies(question.run, call, rules, trust, at=at)
    note = replace(note, arguments=[*policy_notes, *note.arguments])
    failing = [
        *command_notes.notes(question.run, call, rules, trust, at=at),
        *option_notes.notes(question.run, call, rules, trust, at=at),
    ]
    if not failing:
        return note
    return replace(note, text=note.text.removesuffix(ADVICE).rstrip(), arguments=[*failing, *note.arguments])


def _broken_policies(run: Run, call: Call, rules: ToolRules, trust: Trust, *, at: datetime) -> Iterator[Note]:
    """A note for each rule of agents' instructions that people accepted and the call breaks, by what it sends and what
    the run has shown."""
    in_force = Policy.objects.in_force(call.name, trust, at=at) if call.name else ()
    memories = {policy.rule: policy.memory for policy in in_force}
    for rule in broken(list(memories), run, call, rules):
        pointer = within("/arguments", rule.argument) if rule.argument else "/tool"
        yield {"pointer": pointer, "note": f"Confirmed rule {memories[rule].key}: {memories[rule].content}"}


def _compared(
    question: GuidanceQuestion, call: Call, experience: Experience | None, rules: ToolRules, trust: Trust
) -> CheckedCall:
    kinds = [kind for kind in rules.kinds(call) if rules.is_effect(kind)]
    if not kinds:
        return CheckedCall("unknown", ONLY_READS)
    command = rules.runs_commands(call.name)
    acting = _acting(kinds, command=command)
    if acting is None:
        return CheckedCall("unknown", NOT_TELLING)
    if experience is None:
        return CheckedCall("unknown", NOTHING_SIMILAR)
    case_precedent = precedent.find(experience.cases, experience.words, acting)
    return CheckedCall(
        case_precedent.verdict,
        _text(case_precedent, acting, "ran" if command else "called"),
        case_precedent.well_with,
        case_precedent.well_without,
        case_precedent.ill_with,
        case_precedent.ill_without,
        arguments=[
            *_provenance(question, call, experience, rules, trust),
            *choice_notes.notes(question.run, call, experience.profiles[0].scope, trust),
            *_notes(call, experience, case_precedent),
        ],
        runs=[_run(experience, n, acting) for n in case_precedent.runs],
    )


def _acting(kinds: Sequence[str], *, command: bool) -> str | None:
    """The first kind that tells runs apart; of a command no edit and no chore, which go with any work."""
    return next((kind for kind in kinds if not command or not (is_edit(kind) or kind in CHORES)), None)


def _text(similar: Precedent, tool: str, verb: str) -> str:
    """`verb`: "ran" or "called"; of commands only those count that started."""
    with_it, without = similar.well_with + similar.ill_with, similar.well_without + similar.ill_without
    if not with_it + without:
        return ALL_PARTIAL if similar.runs else NOTHING_SIMILAR
    sentence = f"{similar.well_with} of {with_it} similar cases that {verb} {code(tool)} ended well" if with_it else ""
    other = f"{similar.well_without} of {without} that did not {CALL[verb]} it ended well" if without else ""
    if not with_it:
        other = f"no similar case {verb} {code(tool)}; {similar.well_without} of {without} ended well without it"
    counts = upper_first("; ".join(part for part in (sentence, other) if part))
    return f"{counts}. {ADVICE}" if similar.verdict == "advised_against" else f"{counts}."


def _run(experience: Experience, n: int, tool: str) -> CheckedRun:
    profile = experience.profiles[n]
    return CheckedRun(
        profile.pk,
        profile.thread_id,
        profile.outcome,
        tool in profile.effects,
        round(min(float(experience.words[n]), 1.0), 4),
    )


def _provenance(
    question: GuidanceQuestion, call: Call, experience: Experience, rules: ToolRules, trust: Trust
) -> list[Note]:
    """Empty for a tool that none of these runs called: what its calls have in common may come from more secret runs.
    Empty too where the run's beginning is not known: a value may have been shown there."""
    if question.is_cut:
        return []
    facts = ArgumentFact.objects.visible_to(trust)
    provenance_notes: list[Note] = []
    for act in with_service_commands(replace(question.run, calls=(call,)), rules).steps:
        if any(act.name in profile.effects for profile in experience.profiles):
            about = notes(question.run, act, facts.habits(act.name, experience.profiles[0].scope), rules)
            place = within("/arguments", line_argument(call)) if act.via else ""  # the text of a line holds its values
            provenance_notes += [{**note, "pointer": place or note["pointer"]} for note in about]
    return provenance_notes[:MOST_NOTES]


def _notes(call: Call, experience: Experience, similar: Precedent) -> Iterator[dict[str, str]]:
    """Arguments for which the similar cases that ended well agree on another word. Ids and amounts differ anyway."""
    well = {experience.profiles[n].pk: experience.cases[n].case for n in similar.runs if experience.cases[n].well}
    if not well:
        return
    tools = [call.tool_name] if call.is_operation else recorded_names(call.name)
    calls = Event.objects.filter(episode__in=well, kind="tool_call", tool__in=tools).exclude(ok=False)
    cases_by_value: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for episode_id, tool, args in calls.values_list("episode_id", "tool", "args")[:MOST_CALLS]:
        past = replace(call, tool=tool, args=args)
        for name, value in _words(past.arguments) if past.name == call.name else ():
            cases_by_value[name][value].add(well[episode_id])
    for name, value in _words(call.arguments):
        cases = Counter({other: len(case_ids) for other, case_ids in cases_by_value[name].items()})
        if cases and value not in cases and len(cases) == 1 and cases.total() >= LEAST_CASES:
            usual, n = cases.most_common(1)[0]
            yield {
                "pointer": within("/arguments", name),
                "note": f"{code(name)} is {value}; in {n} similar cases that ended well it was {usual}",
            }


def _words(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The arguments that are a choice among few words: short, without digits."""
    for name, value in arguments.items():
        word = str(value).lower() if isinstance(value, bool) else value
        if isinstance(word, str) and word and len(word) <= LONGEST_VALUE and not any(map(str.isdigit, word)):
            yield str(name), word
