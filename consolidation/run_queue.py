"""The queue of ordered runs: its rows are runs that are queued, and a job of the worker is only a nudge."""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django_q.tasks import async_task

from consolidation import consolidation_run, duplicates_run, import_run, pattern_run, reembedding_run
from consolidation.execution import abandon_dead_runs, execute, never
from consolidation.models import Run
from memories.models import claim_locks
from memories.values.exceptions import Conflict
from memories.values.trust import Actor


class Process(Protocol):
    """The work of one run: until it is done or `should_stop`."""

    def __call__(self, run: Run, /, *, should_stop: Callable[[], bool]) -> None: ...


TASK = "consolidation.tasks.queued"
KINDS: dict[str, Process] = {
    consolidation_run.KIND: consolidation_run.process,
    pattern_run.KIND: pattern_run.process,
    duplicates_run.KIND: duplicates_run.process,
    reembedding_run.KIND: reembedding_run.process,
    import_run.KIND: import_run.process,
}
OVER_EVERYTHING = tuple(kind for kind in KINDS if kind != import_run.KIND)  # the others are about one file or order
IN_SLICES = (reembedding_run.KIND,)  # their runs are running between two jobs, too


def order(kind: str, *, trigger: Run.Trigger, by: Actor, at: datetime) -> Run:
    """Queue a run over everything; the one that waits already is answered, however many ask.

    Conflict: this kind of work is paused.
    """
    with transaction.atomic():
        claim_locks.alone(f"memos:order:{kind}")  # of several at once, one inserts
        if Run.objects.pauses(kind):
            raise Conflict(f"a {kind} run is paused: resume it")
        waiting = [Run.Status.QUEUED, *([Run.Status.RUNNING] if kind in IN_SLICES else [])]
        run = Run.objects.filter(kind=kind, status__in=waiting, episode=None, subject=None).first()
        if run is None:
            run = Run.objects.create(kind=kind, trigger=trigger)
            run.audit("start", by=by, at=at).save(force_insert=True)
    nudge()
    return run


def nudge(task: str = TASK) -> None:
    """Have the worker look at the queue once this transaction is stored. A lost nudge costs a minute."""
    transaction.on_commit(lambda: async_task(task))  # type: ignore[no-untyped-call]  # django-q has no types


def work(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> int:
    """Do queued runs until there is none or `should_stop`; how many. Of one kind one runs at a time."""
    for kind in KINDS:
        if kind not in IN_SLICES:
            abandon_dead_runs(kind, at=now())
    Run.objects.filter(kind__in=KINDS).resume_due(at=now())
    done: set[UUID] = set()  # each once: one that was given back is for another job
    while not should_stop() and (run := _next(done)):
        done.add(run.pk)
        execute(run, lambda run: KINDS[run.kind](run, should_stop=should_stop), at=now())
    return len(done)


def _next(done: Collection[UUID]) -> Run | None:
    busy = set(Run.objects.filter(status=Run.Status.RUNNING).exclude(kind__in=IN_SLICES).values_list("kind", flat=True))
    return Run.objects.queued().filter(kind__in=KINDS.keys() - busy).exclude(pk__in=done).first()
