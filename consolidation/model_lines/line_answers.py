"""What the model is asked about two runs of a case, and the lines that it answers, which a step keeps."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Annotated

from django.db import transaction
from pydantic import BaseModel

from consolidation import llm
from consolidation.extraction import transcripts
from consolidation.extraction.transcript_question import LISTED, Words
from consolidation.extraction.transcripts import Transcript
from consolidation.learning.wording import Language
from consolidation.llm import fenced
from consolidation.models import Run, RunStep
from consolidation.prompts import prompt
from memories.models import Episode
from skills import markdown

PURPOSE = "contrast"
TRANSCRIPT_TOKENS = 4_000  # of one transcript in a question
MOST_LINES = 3  # of one case; the first ones count
WELL = {"en": "the transcript of the run that ended well", "zh": "成功的那次运行的记录"}
ILL = {"en": "the transcript of the run that failed", "zh": "失败的那次运行的记录"}
_WHEN = re.compile(r"^(?:(?:when|if)\b|当|如果)[ ,:：，]*|(?<=.)时$", re.IGNORECASE)
_DO = re.compile(r"^do\b(?! not)\s*", re.IGNORECASE)
_DO_NOT = re.compile(r"^(?:(?:do not|don't|never)\b|不要)\s*", re.IGNORECASE)
_LINE = {
    "en": ("When {when}, do {what}", "When {when}, do not {what}"),
    "zh": ("当{when}时，要{what}", "当{when}时，不要{what}"),
}


class ModelLine(BaseModel):
    """A line "when ... do / do not ..." as the model proposes it; not kept yet. See prompts/en/contrast.md."""

    when: Words
    do: bool
    what: Words
    tool: Words
    argument: Words = ""
    value: Words = ""
    sign: Words
    success_quote: Words
    failure_quote: Words

    @property
    def is_contradictory(self) -> bool:
        """Whether it says do and do not at once."""
        return self.do and bool(_DO_NOT.match(self.what.strip()))

    def sentence(self, language: Language) -> str:
        """The line as a skill says it, without the counts behind it."""
        when, what = (markdown.one_line(text).strip().rstrip(".。") for text in (self.when, self.what))
        verb, form = (_DO, 0) if self.do else (_DO_NOT, 1)
        return _LINE[language][form].format(when=_WHEN.sub("", when), what=verb.sub("", what))


class ModelLines(BaseModel):
    lines: Annotated[list[ModelLine], LISTED]


def question(success: Transcript, failure: Transcript, most: int) -> tuple[str, str]:
    """System prompt and text of the question. `most`: tokens of each transcript."""
    language = success.language
    well = fenced(success.within(most), what=WELL[language], language=language)
    ill = fenced(failure.within(most), what=ILL[language], language=language)
    return prompt(PURPOSE, language), f"{well}\n\n{ill}"


@dataclass(frozen=True)
class StepOfRun:
    """The step of a run. `level`: the highest sensitivity that its runs may have."""

    run: Run
    step: RunStep
    level: int
    now: Callable[[], datetime]


def keep_answer(asking: StepOfRun) -> None:
    """Ask about the two runs of the step and keep the answer, unless there is one. Gone: so is its row.

    TooSensitive: one of them became more secret than the level, or than what may leave. ModelError: no usable answer.
    """
    run, step = asking.run, asking.step
    if step.answer is not None:
        return
    ids = [step.success_id, step.failure_id]
    episodes = Episode.objects.select_related("memory").in_bulk([episode_id for episode_id in ids if episode_id])
    if len(episodes) < len(ids):
        return
    levels = [episode.memory.sensitivity for episode in episodes.values()]
    if max(levels) > asking.level or not all(episode.extract for episode in episodes.values()):
        raise llm.TooSensitive
    success, failure = (transcripts.of(episodes[episode_id]) for episode_id in ids if episode_id)
    model = replace(llm.language_model(for_skills=True), now=asking.now)
    ask = partial(model.ask, ModelLines, purpose=PURPOSE, sensitivity=asking.level, run=run)
    most = min(TRANSCRIPT_TOKENS, llm.part_tokens(prompt(PURPOSE, success.language)) // 2)

    def about(tokens: int) -> ModelLines:
        system, text = question(success, failure, tokens)
        return ask(system=system, text=text)

    answer = llm.in_halves(about, most)
    with transaction.atomic(durable=True):
        RunStep.objects.filter(pk=step.pk).update(answer=answer.model_dump(mode="json"))
