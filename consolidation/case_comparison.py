"""The work of a run that has the language model compare cases, a success beside a failure; a step for each case.

An answer is kept in its step before anything is written, so that neither a crash nor a retry pays for it twice. It
holds words of two conversations: the step goes with either, and the answers go when the run ends.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from consolidation import llm, trying_again
from consolidation.model_lines.case_pairs import CasePair
from consolidation.model_lines.line_answers import StepOfRun, keep_answer
from consolidation.models import Run, RunStep, RunStopped


@dataclass(frozen=True)
class Comparison:
    """What a run compares. `level`: the highest sensitivity that it may read; `pairs`: asked once; `nothing`: why it is
    skipped without any; `write`: judge the answers of the steps, write what is left, and `end` the run."""

    run: Run
    level: int
    pairs: Callable[[], Sequence[CasePair]]
    nothing: str
    write: Callable[[Counter[str], str, datetime], None]
    now: Callable[[], datetime]
    should_stop: Callable[[], bool]


def compare(comparison: Comparison) -> None:
    """Ask for each case, then write. Nothing is written while the model cannot be asked, or another worker goes on."""
    run, now = comparison.run, comparison.now
    if not _plan(comparison):
        return end(run, Run.Status.SKIPPED, {}, at=now(), error=comparison.nothing)
    if not _ask_each(comparison):
        return None
    steps = list(run.steps.all())
    failed_steps = [step for step in steps if step.status == RunStep.Status.FAILED]
    counters = Counter(cases_read=sum(step.answer is not None for step in steps))
    if trying_again.may_come_again(failed_steps):
        run.progress(stage="", done=len(steps) - len(failed_steps), total=len(steps), counters=counters)
        return trying_again.come_again(run, failed_steps, at=now())
    error = trying_again.faults(failed_steps)
    if not counters["cases_read"]:
        status = Run.Status.FAILED if failed_steps else Run.Status.SKIPPED
        return end(run, status, {}, at=now(), error=error or comparison.nothing)
    run.progress(stage="judging", done=len(steps), total=len(steps), counters=counters)
    return comparison.write(counters, error, now())


def end(run: Run, status: str, counters: dict[str, int], *, at: datetime, error: str = "") -> None:
    """Finish the run and erase its answers. RunStopped, and nothing is written: another worker has it by now."""
    with transaction.atomic():
        mine = Run.objects.select_for_update().filter(pk=run.pk, attempts=run.attempts)
        if not mine.filter(status__in=(Run.Status.RUNNING, Run.Status.PAUSED)).exists():
            raise RunStopped
        run.steps.update(answer=None)
        run.finish(status, counters=dict(counters), at=at, error=error)


def _plan(comparison: Comparison) -> bool:
    """Write a step for each case, once; whether there is any."""
    run = comparison.run
    if not run.total:
        pairs = comparison.pairs()
        with transaction.atomic():
            for number, pair in enumerate(pairs, 1):
                ends = {"success_id": pair.success, "failure_id": pair.failure}
                plan = {"position": number, "scope": run.scope, **ends}
                run.steps.get_or_create(name=f"case {number}", defaults=plan)
            run.progress(stage="cases", done=0, total=len(pairs), counters={})
    return run.steps.exists()


def _ask_each(comparison: Comparison) -> bool:
    """Ask for the cases that have no answer yet; whether this worker goes on."""
    run, now = comparison.run, comparison.now
    steps = list(run.steps.all())
    for done, step in enumerate(steps):
        if not trying_again.is_unfinished(step, run):
            continue
        run.progress(stage=step.name, done=done, total=len(steps), counters=run.counters)
        if comparison.should_stop():
            run.requeue()
            return False
        if not step.begin(at=now()):  # it went with one of its conversations
            continue
        try:
            _perform(StepOfRun(run, step, comparison.level, now), at=now())
        except llm.NotNow as fault:
            trying_again.uncount(step, str(fault))
            trying_again.pause(run, fault, at=now())
            return False
    return True


def _perform(asking: StepOfRun, *, at: datetime) -> None:
    """Ask about one case; its row says how it ended. NotNow: the model cannot be asked."""
    result: dict[str, Any] = {"status": RunStep.Status.SUCCEEDED}
    try:
        keep_answer(asking)
    except llm.NotNow:
        raise
    except llm.TooSensitive as skipped:
        result = {"status": RunStep.Status.SKIPPED, "reason": str(skipped)}
    except Exception as fault:  # of this case alone; it is tried again
        reason = str(fault) if isinstance(fault, llm.ModelError) else type(fault).__name__
        result = {"status": RunStep.Status.FAILED, "reason": reason}
    asking.step.end(at=at, **result)
