"""One run for each skill whose cases the language model compares, a success beside a failure; a step for each case.

An answer is kept in its step before anything is written, so that neither a crash nor a retry pays for it twice. It
holds words of two conversations: the step goes with either, and the answers go when the run ends.
"""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from consolidation import llm, model_queue
from consolidation.execution import never
from consolidation.extraction import processing
from consolidation.model_lines import line_versions
from consolidation.model_lines.asking import Asking, keep_answer
from consolidation.model_lines.case_pairs import NO_CASE, NOT_LIVE, pairs_of, refusal
from consolidation.model_lines.judging import judge
from consolidation.models import Run, RunStep, RunStopped
from memories.models import Memory
from memories.values.exceptions import Conflict

KIND = "contrast"


def request(memory: Memory, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue the comparison for a skill, or the unfinished run that is there already.

    One that cannot be done is answered too: with a run that is skipped, and says why.
    """
    with transaction.atomic():
        Memory.objects.select_for_update(of=("self",)).get(pk=memory.pk)  # two requests make one run
        unfinished = Run.objects.unfinished().filter(kind=KIND, subject=memory.pk).first()
        if unfinished is not None:
            return unfinished
        place = {"scope": memory.scope, "sensitivity": memory.sensitivity}
        run = Run(kind=KIND, subject=memory.pk, trigger=trigger, **place)
        if reason := refusal(memory) or ("" if pairs_of(memory) else NO_CASE):
            run.status, run.error, run.started_at, run.finished_at = Run.Status.SKIPPED, reason, at, at
        run.save(force_insert=True)
    return run


def process_queue(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many."""
    work = partial(process, now=now, should_stop=should_stop)
    return model_queue.process_queue(KIND, work, now=now, should_stop=should_stop)


def process(run: Run, *, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run that was begun: ask for each case, then judge and write what is left."""
    memory = Memory.objects.filter(pk__in=[run.subject]).first()
    if reason := refusal(memory):
        return _end(run, Run.Status.SKIPPED, {}, at=now(), error=reason)
    assert memory is not None
    if not _plan(run, memory):
        return _end(run, Run.Status.SKIPPED, {}, at=now(), error=NO_CASE)
    if not _ask_each(run, memory, now=now, should_stop=should_stop):
        return None
    steps = list(run.steps.all())
    failed = [step for step in steps if step.status == RunStep.Status.FAILED]
    counters = Counter(cases_read=sum(step.answer is not None for step in steps))
    if processing.may_come_again(failed):
        run.progress(stage="", done=len(steps) - len(failed), total=len(steps), counters=counters)
        return processing.come_again(run, failed, at=now())
    error = processing.faults(failed)
    if not counters["cases_read"]:
        return _end(run, Run.Status.FAILED if failed else Run.Status.SKIPPED, {}, at=now(), error=error or NO_CASE)
    run.progress(stage="judging", done=len(steps), total=len(steps), counters=counters)
    return _write(run, memory, counters, error, at=now())


def _plan(run: Run, memory: Memory) -> bool:
    """Write a step for each case, once; whether there is any."""
    if not run.total:
        pairs = pairs_of(memory)
        with transaction.atomic():
            for number, pair in enumerate(pairs, 1):
                ends = {"success_id": pair.success, "failure_id": pair.failure}
                plan = {"position": number, "scope": memory.scope, **ends}
                run.steps.get_or_create(name=f"case {number}", defaults=plan)
            run.progress(stage="cases", done=0, total=len(pairs), counters={})
    return run.steps.exists()


def _ask_each(run: Run, memory: Memory, *, now: Callable[[], datetime], should_stop: Callable[[], bool]) -> bool:
    """Ask for the cases that have no answer yet; whether this worker goes on."""
    steps = list(run.steps.all())
    for done, step in enumerate(steps):
        if not processing.is_unfinished(step, run):
            continue
        run.progress(stage=step.name, done=done, total=len(steps), counters=run.counters)
        if should_stop():
            run.requeue()
            return False
        if not step.begin(at=now()):  # it went with one of its conversations
            continue
        try:
            _perform(Asking(run, step, memory, now), at=now())
        except llm.NotNow as fault:
            processing.uncount(step, str(fault))
            processing.pause(run, fault, at=now())
            return False
    return True


def _perform(asking: Asking, *, at: datetime) -> None:
    """Ask about one case; its row says how it ended. NotNow: the model cannot be asked."""
    ended: dict[str, Any] = {"status": RunStep.Status.SUCCEEDED}
    try:
        keep_answer(asking)
    except llm.NotNow:
        raise
    except llm.TooSensitive as skipped:
        ended = {"status": RunStep.Status.SKIPPED, "reason": str(skipped)}
    except Exception as fault:  # of this case alone; it is tried again
        reason = str(fault) if isinstance(fault, llm.ModelError) else type(fault).__name__
        ended = {"status": RunStep.Status.FAILED, "reason": reason}
    asking.step.end(at=at, **ended)


def _write(run: Run, memory: Memory, counters: Counter[str], error: str, *, at: datetime) -> None:
    lines, judged = judge(memory, run.steps.all())
    counters += judged

    def end(written: int) -> None:
        counters["lines_written"], counters["versions_proposed"] = written, int(written > 0)
        _end(run, Run.Status.SUCCEEDED, +counters, at=at, error=error)

    try:
        line_versions.propose(memory, lines, run=run, at=at, and_then=end)
    except Conflict:
        _end(run, Run.Status.SKIPPED, {}, at=at, error=NOT_LIVE)


def _end(run: Run, status: str, counters: dict[str, int], *, at: datetime, error: str = "") -> None:
    """Finish the run and erase its answers. RunStopped, and nothing is written: another worker has it by now."""
    with transaction.atomic():
        mine = Run.objects.select_for_update().filter(pk=run.pk, attempts=run.attempts)
        if not mine.filter(status__in=(Run.Status.RUNNING, Run.Status.PAUSED)).exists():
            raise RunStopped
        run.steps.update(answer=None)
        run.finish(status, counters=dict(counters), at=at, error=error)
