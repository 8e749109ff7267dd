"""One run for each closed conversation that the language model reads: steps that need nothing of each other at once.

The queued run is the queue. A step that fails is tried again with the next attempt of its run, three times, without
those that succeeded; while the model is out of reach or the day's tokens are used up the runs pause, and go on by
themselves.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.utils import timezone

from consolidation import execution
from consolidation.extraction import episode_facts
from consolidation.extraction.processing import process
from consolidation.extraction.queue import KIND
from consolidation.extraction.steps import CHUNKS, Step, never
from consolidation.guidance.skill_votes import ends_of_similar
from consolidation.llm.workers import Workers
from consolidation.pipelines import outcome_judge, skills
from consolidation.policies import policy_reading as policies

__all__ = ["KIND", "STEPS", "process", "process_queue"]

STEPS: tuple[Step, ...] = (
    Step("facts", episode_facts.perform, after=(CHUNKS,)),
    *skills.steps(ends_of_similar),
    Step(policies.NAME, policies.perform),
    Step(outcome_judge.NAME, outcome_judge.perform, after=(CHUNKS,)),
)


def process_queue(
    *,
    now: Callable[[], datetime] = timezone.now,
    should_stop: Callable[[], bool] = never,
    steps: Sequence[Step] = STEPS,
    threads: int = 1,
) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many.

    `threads`: so many conversations, or steps of one, at once.
    """
    with Workers(threads if threads > 1 else 0) as workers:
        work = partial(process, steps=steps, now=now, should_stop=should_stop, workers=workers)
        return execution.process_queue(KIND, work, now=now, should_stop=should_stop, workers=workers)
