"""One case put before the model, and its answer kept in the step."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.db import transaction

from consolidation import llm
from consolidation.extraction import transcripts
from consolidation.model_lines.case_pairs import TRANSCRIPT_TOKENS
from consolidation.model_lines.line_answers import PURPOSE, ModelLines, question
from consolidation.models import Run, RunStep
from consolidation.prompts import prompt
from memories.models import Episode


@dataclass(frozen=True)
class Asking:
    """The step of a run. `level`: the highest sensitivity that its runs may have."""

    run: Run
    step: RunStep
    level: int
    now: Callable[[], datetime]


def keep_answer(asking: Asking) -> None:
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
