"""One run for each skill whose cases the language model compares; what is kept becomes a proposed version."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone

from consolidation import execution
from consolidation.case_comparison import Comparison, compare, end
from consolidation.execution import never
from consolidation.model_lines import line_versions
from consolidation.model_lines.case_pairs import NO_CASE, NOT_LIVE, pairs_of, refusal
from consolidation.model_lines.kept_lines import judge
from consolidation.model_lines.line_losses import store_of
from consolidation.models import Run
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
    return execution.process_queue(KIND, work, now=now, should_stop=should_stop)


def process(run: Run, *, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run that was begun: ask for each case, then judge and write what is left."""
    memory = Memory.objects.filter(pk__in=[run.subject]).first()
    if reason := refusal(memory):
        return end(run, Run.Status.SKIPPED, {}, at=now(), error=reason)
    assert memory is not None
    write, pairs = partial(_write, run, memory), partial(pairs_of, memory)
    return compare(Comparison(run, memory.sensitivity, pairs, NO_CASE, write, now, should_stop))


def _write(run: Run, memory: Memory, counters: Counter[str], error: str, at: datetime) -> None:
    lines, judged = judge(run.steps.all(), store_of(memory))
    counters += judged

    def finish(written: int) -> None:
        counters["lines_written"], counters["versions_proposed"] = written, int(written > 0)
        end(run, Run.Status.SUCCEEDED, +counters, at=at, error=error)

    try:
        line_versions.propose(memory, lines, run=run, at=at, and_then=finish)
    except Conflict:
        end(run, Run.Status.SKIPPED, {}, at=at, error=NOT_LIVE)
