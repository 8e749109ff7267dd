"""Guidance as its caller reads it: as lines of the block for a prompt, and with the names of its own tools.

A caller's harness has names of its own for common tools: Gemini CLI is told "`replace`", not "`edit`". Pure.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from consolidation.guidance.answer import Guidance
from consolidation.guidance.guide import FILES, NOT_STARTING
from consolidation.guidance.request import GuidanceQuestion
from consolidation.learning.effects.effects import is_edit
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs.harness_tools import EDIT, names_of
from consolidation.learning.wording import joined
from consolidation.learning.writing.phrases import is_one_of
from memories.search.context.rendering import in_one_line, quarters
from memories.values.trust import Trust

HEADING = "## Guidance"
BUDGET = 300  # tokens
MOST_STEPS, MOST_CHECKS, MOST_AVOIDED = 8, 2, 1
SENTENCE = re.compile(r"(?<=[.。])\s+(?=[A-Z])")
OF = 20  # pieces of advice, of which so many were right
NAMING = frozenset({"effects", "tool"})  # fields that hold names of tools
SPEAKING = frozenset({"text", "note", "summary", "steps", "checks", "avoid", "said"})  # of ours, with names in code


def block(guidance: Guidance) -> str:
    """Guidance as a section of the block; '' when unsure, and where all that is known is that a command wrote files.
    Whole lines, as many as BUDGET holds; always the heading and the first line."""
    effects = guidance.expected.effects
    if guidance.needs_more or (effects and not guidance.skill and all(map(is_edit, effects))):
        return ""
    lines, room = [HEADING], 4 * BUDGET
    for number, text in enumerate(_lines(guidance)):
        line = in_one_line(text)
        room -= quarters(line) + 1
        if number and room < 0:
            room += quarters(line) + 1
            continue
        lines.append(f"- {line}")
    return "\n".join(lines)


def _lines(guidance: Guidance) -> Iterator[str]:
    cases = "case" if guidance.expected.cases == 1 else "cases"
    right = min(round(guidance.confidence * OF), OF - 1)
    yield (
        f"Requests like this one ended well {_how(guidance)}: {guidance.expected.cases} similar {cases}. "
        f"Tested on past runs, advice this sure was right about {right} times in {OF}"
    )
    if guidance.skill is None:
        return
    skill = guidance.skill
    yield f"{'Skill' if skill.steps else 'Lessons of skill'} {skill.name}, to be downloaded at {skill.url}"
    yield from (f"{number}. {_brief(step)}" for number, step in enumerate(skill.steps[:MOST_STEPS], start=1))
    yield from (f"Check: {line}" for line in skill.checks[:MOST_CHECKS])
    for line in skill.avoid[: MOST_AVOIDED if skill.steps else None]:
        yield line if is_one_of(line, NOT_STARTING) else f"Avoid: {line}"


def _how(guidance: Guidance) -> str:
    """By which effects. Runs of command lines change files too, which is no effect of theirs: a step says so."""
    effects = joined([code(tool) for tool in guidance.expected.effects])
    if not effects:
        return "without any change"
    skill = guidance.skill
    if skill and EDIT not in guidance.expected.effects and any(is_one_of(step, FILES) for step in skill.steps):
        return f"by changing files and running {effects}"
    chores = joined([code(tool) for tool in guidance.optional], "or")
    beside = f", some with {chores} beside," if chores else ""
    return f"by calling {effects}{beside} and no other tool that changes something"


def _brief(step: str) -> str:
    """What a step does, and to which record; where its arguments come from stands in the skill."""
    first, *rest = SENTENCE.split(step)
    chosen = [sentence.split(":")[0].rstrip(".") + "." for sentence in rest if is_one_of(sentence, ("choose",))]
    return " ".join([first, *chosen])


def of_caller(question: GuidanceQuestion, trust: Trust) -> dict[str, str]:
    """Common name -> the caller's, by the source that it speaks for, else by the tools that it has called."""
    about = question.request.about_to
    tools = [call.tool for call in question.run.steps] + ([about.tool] if about else [])
    return names_of(question.request.source or trust.actor.name, tuple(tools))


def in_names(value: Any, names: Mapping[str, str], field: str = "") -> Any:
    """The JSON value with common names of tools replaced where they name tools, and nowhere else."""
    if isinstance(value, dict):
        return {key: in_names(item, names, key) for key, item in value.items()}
    if isinstance(value, list):
        return [in_names(item, names, field) for item in value]
    if isinstance(value, str) and field in NAMING:
        return names.get(value, value)
    return text_in_names(value, names) if isinstance(value, str) and field in SPEAKING else value


def text_in_names(text: str, names: Mapping[str, str]) -> str:
    """The text with the names that stand in it as code replaced."""
    return re.sub(r"`([a-z]+)`", lambda match: f"`{names.get(match[1], match[1])}`", text)
