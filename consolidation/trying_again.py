"""A run that asks the language model: ordered once, and when it is tried again: its failed steps, and its kind while no
model answers."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from consolidation import llm
from consolidation.models import Run, RunStep

MOST_ATTEMPTS = 3  # of one step
AGAIN = timedelta(minutes=1)  # until a failed step, or a model that was out of reach, is tried again; longer each time
LONGEST = timedelta(minutes=5)  # of an outage
OTHERS_FIRST = timedelta(minutes=2)  # in which jobs begin those that wait
FINAL_STATUSES = (RunStep.Status.SUCCEEDED, RunStep.Status.SKIPPED)


def order_once(run: Run, refusal: Callable[[], str], *, at: datetime) -> Run:
    """Queue this run, or answer the unfinished one of its kind about the same. Within a lock that two requests share.

    One that cannot be done, for what `refusal` says, is answered too: with a run that is skipped, and says why.
    """
    about = (
        {"episode": run.episode} if run.episode else {"subject": run.subject} if run.subject else {"scope": run.scope}
    )
    if unfinished := Run.objects.unfinished().filter(kind=run.kind, **about).first():
        return unfinished
    if reason := refusal():
        run.status, run.error, run.started_at, run.finished_at = Run.Status.SKIPPED, reason, at, at
    run.save(force_insert=True)
    return run


def has_failed(row: RunStep) -> bool:
    """Whether it is not tried again."""
    return row.status == RunStep.Status.FAILED and row.attempts >= MOST_ATTEMPTS


def is_unfinished(row: RunStep, run: Run) -> bool:
    """Whether a step has not ended. One whose worker died three times ends here: it has failed."""
    if row.status == RunStep.Status.PENDING and row.attempts >= MOST_ATTEMPTS:
        row.finish(RunStep.Status.FAILED, at=run.moment, reason=row.reason or "its worker died each time")
    return row.status not in FINAL_STATUSES and row.attempts < MOST_ATTEMPTS


def pause(run: Run, fault: llm.NotNow, *, at: datetime) -> None:
    """Pause the run and all of its kind that wait: nothing can be asked now."""
    wait = timedelta(seconds=fault.seconds or 0.0)
    until = at + (wait if isinstance(fault, llm.DailyLimit) else max(wait, min(AGAIN * run.attempts, LONGEST)))
    columns = {"status": Run.Status.PAUSED, "paused_until": until, "error": str(fault)}
    waiting = Run.objects.queued().filter(kind=run.kind).update(**columns)
    by_text = isinstance(fault, llm.Unavailable) and fault.by_text  # then the others go first
    run.pause_until(until + OTHERS_FIRST if by_text and waiting else until, error=str(fault))


def uncount(row: RunStep, reason: str) -> None:
    """The step goes on later; it was no attempt of it."""
    row.attempts -= 1
    row.status, row.reason = RunStep.Status.PENDING, reason
    RunStep.objects.filter(pk=row.pk).update(attempts=row.attempts, status=row.status, reason=reason)


def may_come_again(failed_steps: Collection[RunStep]) -> bool:
    return any(row.attempts < MOST_ATTEMPTS for row in failed_steps)


def come_again(run: Run, failed_steps: Collection[RunStep], *, at: datetime) -> None:
    """Pause the run for a while, until those that may are tried again."""
    wait = AGAIN * max(row.attempts for row in failed_steps if row.attempts < MOST_ATTEMPTS)
    run.pause_until(at + wait, error=f"{faults(failed_steps)}; it is tried again")


def faults(failed_steps: Collection[RunStep]) -> str:
    return "; ".join(f"{row.name}: {row.reason}" for row in failed_steps)
