"""One run for each scope whose cases the language model compares where no skill fits; what is kept becomes lessons."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial

from django.db import connection, transaction
from django.utils import timezone

from consolidation import execution, llm
from consolidation.case_comparison import Comparison, compare, end
from consolidation.execution import never
from consolidation.model_lines import lesson_writing
from consolidation.model_lines.case_pairs import LESSONS, NO_NEW_CASE, pairs_of_scope, refusal_of_scope
from consolidation.model_lines.kept_lines import judge
from consolidation.model_lines.line_losses import ScopeStore
from consolidation.models import Run

KIND = LESSONS
LEAST_GAINED = 1


def request(scope: str, level: int, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue the comparison for a scope, of runs up to a level, or the unfinished run that is there already.

    One that cannot be done is answered too: with a run that is skipped, and says why.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:  # two requests make one run
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"memos:lessons:{scope}"])
        unfinished = Run.objects.unfinished().filter(kind=KIND, scope=scope).first()
        if unfinished is not None:
            return unfinished
        run = Run(kind=KIND, scope=scope, sensitivity=min(level, llm.highest_sensitivity()), trigger=trigger)
        if reason := refusal_of_scope() or ("" if pairs_of_scope(scope, level) else NO_NEW_CASE):
            run.status, run.error, run.started_at, run.finished_at = Run.Status.SKIPPED, reason, at, at
        run.save(force_insert=True)
    return run


def process_queue(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many."""
    work = partial(process, now=now, should_stop=should_stop)
    return execution.process_queue(KIND, work, now=now, should_stop=should_stop)


def process(run: Run, *, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run that was begun: ask for each case, then judge and write what is left."""
    if reason := refusal_of_scope():
        return end(run, Run.Status.SKIPPED, {}, at=now(), error=reason)
    write, pairs = partial(_write, run), partial(pairs_of_scope, run.scope, run.sensitivity)
    return compare(Comparison(run, run.sensitivity, pairs, NO_NEW_CASE, write, now, should_stop))


def _write(run: Run, counters: Counter[str], error: str, at: datetime) -> None:
    """A lesson is measured on runs that are no more secret than those that it comes from."""
    store = cache(partial(ScopeStore, run.scope))
    whole = store(run.sensitivity).whole
    lines, judged = judge(
        run.steps.all(), whole, measured_on=lambda runs, level: store(level).like(runs), least_gained=LEAST_GAINED
    )
    with transaction.atomic():
        counters += judged + lesson_writing.write(lines, run.scope, at=at)
        end(run, Run.Status.SUCCEEDED, +counters, at=at, error=error)
