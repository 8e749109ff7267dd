"""Execution of the steps of one conversation's run: what fails is tried again, what was paid for is kept."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from consolidation import llm
from consolidation.extraction import transcripts
from consolidation.extraction.queue import refusal
from consolidation.extraction.steps import OutOfTime, Step, StepSkipped, Work, never
from consolidation.extraction.transcripts import Transcript
from consolidation.models import Run, RunStep, RunStopped
from memories.models import Episode

MOST_ATTEMPTS = 3  # of one step
AGAIN = timedelta(minutes=1)  # until a failed step is tried again; longer each time
OUTAGE = timedelta(minutes=5)  # until the model is asked again after it was out of reach
DONE = (RunStep.Status.SUCCEEDED, RunStep.Status.SKIPPED)


def process(
    run: Run,
    *,
    steps: Sequence[Step],
    now: Callable[[], datetime] = timezone.now,
    should_stop: Callable[[], bool] = never,
) -> None:
    """Read the conversation of a run that was begun, step by step; its row says how it ended.

    Steps that ended before are passed over, with what they paid for.
    """
    episode = Episode.objects.select_related("memory").get(pk=run.episode_id)
    transcript = transcripts.of(episode)
    if reason := refusal(episode) or _too_small(transcript):
        return run.finish(Run.Status.SKIPPED, counters={}, at=now(), error=reason)
    counters: Counter[str] = Counter(run.counters)
    for position, step in enumerate(_planned(run, steps, transcript)):
        total = len(list(_planned(run, steps, transcript)))
        run.progress(stage=step.name, done=position, total=total, counters=counters)
        if should_stop():
            return run.requeue()
        if not _is_due(run, step):
            continue
        row = run.begin_step(step.name, position=position, at=now())
        model = replace(llm.language_model(for_skills=step.for_skills), now=now)
        work = Work(run, row, episode, transcript, model, run.moment, should_stop)
        try:
            counters.update(_perform(step, work, at=now()))
        except llm.NotNow as fault:
            return pause(run, row, fault, at=now())
        except OutOfTime:
            uncount(row, "")
            return run.requeue()
    names = [step.name for step in _planned(run, steps, transcript)]
    return _end(run, names, counters, at=now())


def _planned(run: Run, steps: Sequence[Step], transcript: Transcript) -> Iterator[Step]:
    """The steps, each followed by those that follow from its answers, as far as it has any."""
    for step in steps:
        yield step
        if step.expand is not None:
            yield from step.expand(run, transcript)


def _too_small(transcript: Transcript) -> str:
    messages, characters = settings.EXTRACT_MIN_MESSAGES, settings.EXTRACT_MIN_CHARACTERS
    if transcript.messages >= messages and transcript.characters >= characters:
        return ""
    return f"too small to teach: under {messages} messages or {characters} characters"


def _is_due(run: Run, step: Step) -> bool:
    """Whether a step has not ended, and all that it needs have."""
    rows = {row.name: row for row in run.steps.all()}
    row = rows.get(step.name)
    if row is not None and not is_unfinished(row, run):
        return False
    return all(name in rows and rows[name].status in DONE for name in step.after)


def is_unfinished(row: RunStep, run: Run) -> bool:
    """Whether a step has not ended. One whose worker died three times ends here: it has failed."""
    if row.status == RunStep.Status.PENDING and row.attempts >= MOST_ATTEMPTS:
        row.finish(RunStep.Status.FAILED, at=run.moment, reason=row.reason or "its worker died each time")
    return row.status not in DONE and row.attempts < MOST_ATTEMPTS


def _perform(step: Step, work: Work, *, at: datetime) -> Counter[str]:
    """The counters of a step, whose row says how it ended. NotNow: the model cannot be asked."""
    try:
        counters = step.perform(work)
    except (llm.NotNow, OutOfTime):
        raise
    except (StepSkipped, llm.TooSensitive) as skipped:
        work.step.finish(RunStep.Status.SKIPPED, at=at, reason=str(skipped))
    except Exception as fault:  # of this step alone; it is tried again
        if not Run.objects.filter(pk=work.run.pk).exists():  # it went with its conversation
            raise RunStopped from None
        reason = str(fault) if isinstance(fault, llm.ModelError) else type(fault).__name__
        work.step.finish(RunStep.Status.FAILED, at=at, reason=reason)
    else:
        work.step.finish(RunStep.Status.SUCCEEDED, at=at)
        return counters
    return Counter()


def pause(run: Run, row: RunStep, fault: llm.NotNow, *, at: datetime) -> None:
    """Pause the run and all of its kind that wait: nothing can be asked now."""
    uncount(row, str(fault))
    wait = timedelta(seconds=fault.seconds or 0.0)
    until = at + (wait if isinstance(fault, llm.DailyLimit) else max(wait, OUTAGE))
    run.pause_until(until, error=str(fault))
    Run.objects.queued().filter(kind=run.kind).update(status=Run.Status.PAUSED, paused_until=until, error=str(fault))


def uncount(row: RunStep, reason: str) -> None:
    """The step goes on later; it was no attempt of it."""
    row.attempts -= 1
    row.status, row.reason = RunStep.Status.PENDING, reason
    RunStep.objects.filter(pk=row.pk).update(attempts=row.attempts, status=row.status, reason=reason)


def _end(run: Run, names: Collection[str], counters: Counter[str], *, at: datetime) -> None:
    """Finish the run, or let it come again for the steps that failed."""
    rows = [row for row in run.steps.all() if row.name in names]
    failed = [row for row in rows if row.status == RunStep.Status.FAILED]
    if may_come_again(failed):
        run.progress(stage="", done=len(rows) - len(failed), total=len(names), counters=counters)
        return come_again(run, failed, at=at)
    status = Run.Status.FAILED if failed else Run.Status.SUCCEEDED
    return run.finish(status, counters=dict(counters), at=at, error=faults(failed))


def may_come_again(failed: Collection[RunStep]) -> bool:
    return any(row.attempts < MOST_ATTEMPTS for row in failed)


def come_again(run: Run, failed: Collection[RunStep], *, at: datetime) -> None:
    """Pause the run for a while, until those that may are tried again."""
    wait = AGAIN * max(row.attempts for row in failed if row.attempts < MOST_ATTEMPTS)
    run.pause_until(at + wait, error=f"{faults(failed)}; it is tried again")


def faults(failed: Collection[RunStep]) -> str:
    return "; ".join(f"{row.name}: {row.reason}" for row in failed)
