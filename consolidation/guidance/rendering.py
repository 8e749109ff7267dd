"""Guidance as lines of the block for an agent's prompt. Pure."""

import re
from collections.abc import Iterator

from consolidation.guidance.answer import Guidance
from consolidation.learning.effects.toolnames import code
from consolidation.learning.wording import joined
from consolidation.learning.writing.phrases import is_one_of
from memories.search.context.rendering import in_one_line, quarters

HEADING = "## Guidance"
BUDGET = 200  # tokens
MOST_STEPS, MOST_CHECKS, MOST_AVOIDED = 5, 2, 1
SENTENCE = re.compile(r"(?<=[.。])\s+(?=[A-Z])")
OF = 20  # answers, of which so many were right


def block(told: Guidance) -> str:
    """'' when unsure. Whole lines, as many as the budget holds; the heading and the first line always."""
    if told.needs_more:
        return ""
    kept, room = [HEADING], 4 * BUDGET
    for number, text in enumerate(_lines(told)):
        line = in_one_line(text)
        room -= quarters(line) + 1
        if number and room < 0:
            room += quarters(line) + 1
            continue
        kept.append(f"- {line}")
    return "\n".join(kept)


def _lines(told: Guidance) -> Iterator[str]:
    effects = joined([code(tool) for tool in told.expected.effects])
    how = f"by calling {effects} and no other tool that changes something" if effects else "without any change"
    cases = "case" if told.expected.cases == 1 else "cases"
    sure = f"right in {min(round(told.confidence * OF), OF - 1)} of {OF} such answers"
    yield f"Requests like this one ended well {how}: {told.expected.cases} similar {cases}; {sure}"
    if told.skill is None:
        return
    skill = told.skill
    yield f"{'Skill' if skill.steps else 'Lessons of skill'} {skill.name}, to be downloaded at {skill.url}"
    yield from (f"{number}. {_brief(step)}" for number, step in enumerate(skill.steps[:MOST_STEPS], start=1))
    yield from (f"Check: {line}" for line in skill.checks[:MOST_CHECKS])
    yield from (f"Avoid: {line}" for line in skill.avoid[: MOST_AVOIDED if skill.steps else None])


def _brief(step: str) -> str:
    """What a step does, and to which record; where its arguments come from stands in the skill."""
    first, *rest = SENTENCE.split(step)
    chosen = [sentence.split(":")[0].rstrip(".") + "." for sentence in rest if is_one_of(sentence, ("choose",))]
    return " ".join([first, *chosen])
