"""Execution of the steps of one conversation's run, each paid for once; `trying_again` says what comes again."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from consolidation import llm, trying_again
from consolidation.extraction import needs, transcripts
from consolidation.extraction.queue import refusal
from consolidation.extraction.steps import Done, Notes, OutOfTime, Step, StepSkipped, Work, never
from consolidation.extraction.transcripts import Transcript
from consolidation.llm.workers import ALONE, Workers
from consolidation.models import Run, RunStep, RunStopped
from memories.models import Episode


def process(
    run: Run,
    *,
    steps: Sequence[Step],
    now: Callable[[], datetime] = timezone.now,
    should_stop: Callable[[], bool] = never,
    workers: Workers = ALONE,
) -> None:
    """Read the conversation of a run that was begun, its steps side by side as far as they do not need each other; its
    row says how it ended.

    Steps that ended before are passed over, with what they paid for.
    """
    episode = Episode.objects.select_related("memory").get(pk=run.episode_id)
    transcript = transcripts.of(episode)
    if reason := refusal(episode) or _too_small(transcript):
        return run.finish(Run.Status.SKIPPED, counters={}, at=now(), error=reason)
    reading = ConversationReader(run, episode, transcript, now, should_stop, workers)
    counters: Counter[str] = Counter(run.counters)
    begun: set[str] = set()
    while due := _due(run, steps, transcript, begun):
        total = len(list(_planned(run, steps, transcript)))
        run.progress(stage=due[0].step.name, done=due[0].position, total=total, counters=counters)
        counters.update(reading.perform(due))
        if reading.halts:
            run.progress(stage=run.stage, done=run.done, total=total, counters=counters)
            return _halt(run, reading.halts, at=now())
        begun.update(step_plan.step.name for step_plan in due)
    names = [step.name for step in _planned(run, steps, transcript)]
    return _end(run, names, counters, at=now())


def _planned(run: Run, steps: Sequence[Step], transcript: Transcript) -> Iterator[Step]:
    """The steps, each followed by those that follow from its answers, as far as it has any."""
    for step in steps:
        yield step
        if step.expand is not None:
            yield from step.expand(run, transcript)


class Planned(NamedTuple):
    position: int
    step: Step


class Unwritten(NamedTuple):
    """A step that was performed, and what it writes once its notes were asked about."""

    work: Work
    notes: Notes


@dataclass
class ConversationReader:
    """One worker at one conversation. `halts`: why it must leave the rest of its steps to another one."""

    run: Run
    episode: Episode
    transcript: Transcript
    now: Callable[[], datetime]
    should_stop: Callable[[], bool]
    workers: Workers
    halts: list[llm.NotNow | OutOfTime] = field(default_factory=list)

    def perform(self, due: Sequence[Planned]) -> Counter[str]:
        """The counters of these steps: performed side by side, then asked about together, then written in order."""
        results = self.workers.together([partial(self._begin, plan) for plan in due])
        counters: Counter[str] = Counter()
        for step_counters in results:
            counters.update(step_counters if isinstance(step_counters, Counter) else {})
        for step_counters in self._write([result for result in results if isinstance(result, Unwritten)]):
            counters.update(step_counters)
        return counters

    def _write(self, unwritten: Sequence[Unwritten]) -> Iterator[Counter[str]]:
        """Ask about all notes of these steps in one question, then write them one step after the other."""
        questions = [question for step in unwritten for question in step.notes.questions]
        try:
            opinions = iter(needs.ask_about(questions, unwritten[0].work) if questions else ())
        except (llm.NotNow, OutOfTime) as fault:
            for step in unwritten:
                trying_again.uncount(step.work.step, str(fault))
            self.halts.append(fault)
            return
        except Exception as fault:
            for step in unwritten:
                _fail(step.work, fault, at=self.now())
            return
        for work, notes in unwritten:
            result = _perform(work, partial(notes.write, list(islice(opinions, len(notes.questions)))), self.now)
            yield result if isinstance(result, Counter) else Counter()

    def _runs(self) -> bool:
        """Whether the run was not paused, and no other worker has begun it."""
        return Run.objects.filter(pk=self.run.pk, status=Run.Status.RUNNING, attempts=self.run.attempts).exists()

    def _begin(self, plan: Planned) -> Counter[str] | Unwritten:
        """The counters of a step, or its notes, which are written later."""
        if not self.halts and (self.should_stop() or not self._runs()):
            self.halts.append(OutOfTime())
        if self.halts:
            return Counter()
        step = plan.step
        row = self.run.begin_step(step.name, position=plan.position, at=self.now())
        model = replace(llm.language_model(for_skills=step.for_skills), now=self.now)
        moment = self.run.moment
        work = Work(self.run, row, self.episode, self.transcript, model, moment, self.should_stop, self.workers)
        try:
            return _perform(work, partial(step.perform, work), self.now)
        except (llm.NotNow, OutOfTime) as fault:
            trying_again.uncount(row, str(fault))
            self.halts.append(fault)
            return Counter()


def _perform(work: Work, do: Callable[[], Done], now: Callable[[], datetime]) -> Counter[str] | Unwritten:
    """The counters of a step, whose row says how it ended; or its notes.

    NotNow: the model cannot be asked.
    """
    try:
        done = do()
    except (llm.NotNow, OutOfTime):
        raise
    except (StepSkipped, llm.TooSensitive) as skipped:
        work.step.finish(RunStep.Status.SKIPPED, at=now(), reason=str(skipped))
    except Exception as fault:  # of this step alone; it is tried again
        _fail(work, fault, at=now())
    else:
        if isinstance(done, Notes):
            return Unwritten(work, done)
        work.step.finish(RunStep.Status.SUCCEEDED, at=now(), reason="; ".join(work.left_out))
        return done
    return Counter()


def _fail(work: Work, fault: Exception, *, at: datetime) -> None:
    """RunStopped: the run went with its conversation."""
    if not Run.objects.filter(pk=work.run.pk).exists():
        raise RunStopped from None
    reason = str(fault) if isinstance(fault, llm.ModelError) else type(fault).__name__
    work.step.finish(RunStep.Status.FAILED, at=at, reason=reason)


def _halt(run: Run, halts: Sequence[llm.NotNow | OutOfTime], *, at: datetime) -> None:
    """Leave the run to another job: at once, or when the model can be asked again."""
    if fault := next((halt for halt in halts if isinstance(halt, llm.NotNow) and not isinstance(halt, llm.Busy)), None):
        return trying_again.pause(run, fault, at=at)
    return run.requeue()


def _too_small(transcript: Transcript) -> str:
    messages, characters = settings.EXTRACT_MIN_MESSAGES, settings.EXTRACT_MIN_CHARACTERS
    if transcript.messages >= messages and transcript.characters >= characters:
        return ""
    return f"too small to teach: under {messages} messages or {characters} characters"


def _due(run: Run, steps: Sequence[Step], transcript: Transcript, begun: Collection[str]) -> list[Planned]:
    """The steps that have not ended and were not begun by this worker, as far as all that they need have ended, if only
    in failing for good."""
    rows = {row.name: row for row in run.steps.all()}
    ended_names = {
        name for name, row in rows.items() if row.status in trying_again.FINAL_STATUSES or trying_again.has_failed(row)
    }
    plans = [Planned(position, step) for position, step in enumerate(_planned(run, steps, transcript))]
    missing = {step_plan.step.name for step_plan in plans} - ended_names
    ready = [
        step_plan
        for step_plan in plans
        if step_plan.step.name not in begun and missing.isdisjoint(step_plan.step.after)
    ]
    return [
        step_plan
        for step_plan in ready
        if step_plan.step.name not in rows or trying_again.is_unfinished(rows[step_plan.step.name], run)
    ]


def _end(run: Run, names: Collection[str], counters: Counter[str], *, at: datetime) -> None:
    """Finish the run, or let it come again for the steps that failed."""
    rows = [row for row in run.steps.all() if row.name in names]
    failed_rows = [row for row in rows if row.status == RunStep.Status.FAILED]
    if trying_again.may_come_again(failed_rows):
        run.progress(stage="", done=len(rows) - len(failed_rows), total=len(names), counters=counters)
        return trying_again.come_again(run, failed_rows, at=at)
    status = Run.Status.FAILED if failed_rows else Run.Status.SUCCEEDED
    return run.finish(status, counters=dict(counters), at=at, error=trying_again.faults(failed_rows))
