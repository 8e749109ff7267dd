"""Which conversations the language model reads. A queued run is the queue; each conversation is read once.

The price of those that no model has read is that of what was read lately, where there is enough; else it is estimated
by length.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, IntegerField, Min, OuterRef, Q, QuerySet, Sum, TextField
from django.db.models.functions import Cast, Coalesce, Length

from consolidation import llm
from consolidation.llm.tokens import CHARACTERS_PER_TOKEN, cost, estimate
from consolidation.models import LLMCall, Run
from consolidation.prompts import prompt
from consolidation.trying_again import order_once
from memories.intake.episodes.copies import copies
from memories.models import AuditEntry, Episode, Event
from memories.models.episode import EpisodeQuerySet
from memories.values.choices import Outcome
from memories.values.trust import Actor

KIND = "extract"
NOT_WANTED = "it was reported with extract false"
REMOVED = "its transcript was removed"
COPY = "others reported the same conversation before"
NO_MODEL, TOO_SENSITIVE = str(llm.NotConfigured()), str(llm.TooSensitive())


def readable() -> EpisodeQuerySet:
    """Closed conversations that the model may read and has not read: large enough, and not above its level."""
    over = Q(status=Run.Status.SKIPPED, error__in=(NO_MODEL, TOO_SENSITIVE))  # the settings may be others by now
    reads = Run.objects.filter(kind=KIND, episode=OuterRef("pk")).exclude(over)
    rows: EpisodeQuerySet = Episode.objects.filter(
        ~Exists(reads),
        closed_at__isnull=False,
        transcript_removed_at=None,
        extract=True,
        event_count__gte=settings.EXTRACT_MIN_MESSAGES,
        memory__sensitivity__lte=llm.highest_sensitivity(),
    )
    return rows


def queue_digested(episode_ids: Collection[UUID]) -> int:
    """Queue conversations that were just digested, in the same transaction; none without a model."""
    return queue_all(readable().filter(pk__in=episode_ids), Run.Trigger.SCHEDULE) if llm.configured() else 0


def queue_all(episodes: EpisodeQuerySet, trigger: Run.Trigger) -> int:
    """Queue these conversations; how many. One that waits already is left out."""
    rows = episodes.order_by("closed_at", "pk").select_related("memory").only("scope", "memory__sensitivity")
    runs = [_run(episode, trigger) for episode in rows]
    return len(Run.objects.bulk_create(runs, ignore_conflicts=True, batch_size=1_000))


def request(episode: Episode, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue one conversation because somebody asks for it, as `order_once`."""
    with transaction.atomic():
        Episode.objects.select_for_update(of=("self",)).get(pk=episode.pk)  # two requests make one run
        return order_once(_run(episode, trigger), partial(refusal, episode), at=at)


def refusal(episode: Episode) -> str:
    """Why the model may not read it at all; '' if it may."""
    if not llm.configured():
        return NO_MODEL
    if not episode.extract:
        return NOT_WANTED
    if episode.transcript_removed_at:
        return REMOVED
    if copies(Episode.objects.filter(pk=episode.pk)).exists():
        return COPY
    return TOO_SENSITIVE if episode.memory.sensitivity > llm.highest_sensitivity() else ""


def _run(episode: Episode, trigger: Run.Trigger) -> Run:
    place = {"scope": episode.scope, "sensitivity": episode.memory.sensitivity}
    return Run(kind=KIND, episode=episode, subject=episode.pk, trigger=trigger, **place)


SAMPLE = 200  # episodes whose tokens are counted for an estimate
LEAST_READ, MOST_READ = 5, 50  # conversations that were read, whose tokens are the price of others
# What one conversation is asked, where none was read: its tasks and facts, and the skill of one task, with all that
# was said; whether an agent needs what came of it, about notes alone; beside the tasks, how it ended if nobody knows.
WHOLE, NOTES = (("facts", "and_tasks", "task_chunking", "and_together"), ("skill_extraction",)), ("need",)
JUDGE = ("and_outcome", "outcome")
ANSWER_TOKENS = 150  # of one answer
RATE_OVER = timedelta(hours=1)
WAITING = (Run.Status.QUEUED, Run.Status.PAUSED)
RESTS = Q(status=Run.Status.PAUSED, paused_until=None)  # until a person resumes it, not only until the model is back
QueueVerb = Literal["pause", "resume", "thin"]


@dataclass(frozen=True)
class Choice:
    """Which conversations: those with one of these outcomes (none: any), the newest `limit` of them (0: all)."""

    outcomes: tuple[str, ...] = ()
    limit: int = 0

    def of(self, episodes: EpisodeQuerySet) -> EpisodeQuerySet:
        rows = episodes.ended(self.outcomes) if self.outcomes else episodes
        rows = rows.order_by("-closed_at", "-pk")
        return rows[: self.limit] if self.limit else rows


EVERYTHING = Choice()


@dataclass(frozen=True)
class Backlog:
    """Closed conversations that no run has read; what reading them once takes. `successes`: of all that were not read.

    `measured`: by what was read lately, else estimated; `cost`: None without prices.
    """

    episodes: int
    successes: int
    tokens: int
    tokens_out: int
    measured: bool

    @property
    def cost(self) -> float | None:
        return cost(self.tokens, self.tokens_out)


@dataclass(frozen=True)
class ReadingQueue:
    """Runs that wait or are under way, and those that rest until a person resumes them.

    `per_hour`: conversations that ended in the last hour, or since these were ordered; `ends_at`: at that rate, None
    where none has ended.
    """

    queued: int
    running: int
    paused: int
    per_hour: float
    ends_at: datetime | None
    cost: float | None


def backlog(choice: Choice = EVERYTHING) -> Backlog:
    """What `queue_backlog` would read."""
    counts = _unread().aggregate(successes=Count("pk", filter=Q(outcome=Outcome.SUCCESS)))
    episodes = choice.of(_unread()).count()
    incoming, outgoing, is_measured = _tokens_of_one(choice)
    return Backlog(episodes, counts["successes"], round(incoming * episodes), round(outgoing * episodes), is_measured)


def queue_backlog(choice: Choice, *, trigger: Run.Trigger) -> int:
    """Queue conversations that were closed before there was a model; how many."""
    chosen = list(choice.of(_unread()).values_list("pk", flat=True))
    return queue_all(Episode.objects.filter(pk__in=chosen), trigger)


def reading_queue(*, at: datetime) -> ReadingQueue:
    """How long the queue is, how fast it gets shorter, and when it ends at that rate."""
    runs = Run.objects.unfinished().filter(kind=KIND)
    counts = runs.aggregate(
        paused=Count("pk", filter=RESTS),
        running=Count("pk", filter=Q(status=Run.Status.RUNNING)),
        queued=Count("pk", filter=~RESTS & ~Q(status=Run.Status.RUNNING)),
        since=Min("created_at"),
    )
    per_hour = _rate(counts["since"], at=at) if counts["since"] else 0.0
    unfinished = counts["queued"] + counts["running"]
    ends_at = at + timedelta(hours=unfinished / per_hour) if unfinished and per_hour else None
    incoming, outgoing, _measured = _tokens_of_one(EVERYTHING) if unfinished + counts["paused"] else (0.0, 0.0, False)
    price = cost(round(incoming * (unfinished + counts["paused"])), round(outgoing * (unfinished + counts["paused"])))
    return ReadingQueue(counts["queued"], counts["running"], counts["paused"], per_hour, ends_at, price)


def _rate(since: datetime, *, at: datetime) -> float:
    """Conversations that were read in an hour."""
    start = max(since, at - RATE_OVER)
    finished_runs = Run.objects.filter(kind=KIND, finished_at__gt=start, finished_at__lte=at).exclude(started_at=None)
    seconds = (at - start).total_seconds()
    return 3_600 * finished_runs.count() / seconds if seconds > 0 else 0.0


def decide(verb: QueueVerb, choice: Choice, *, by: Actor, at: datetime) -> int:
    """Let what waits rest until it is resumed, resume it, or take out what `choice` does not name; how many.

    What is taken out is unread as before, and can be ordered again. What a worker has begun is left as it is.
    """
    with transaction.atomic():
        waiting = Run.objects.select_for_update(of=("self",)).filter(kind=KIND, episode__isnull=False)
        if verb == "thin":
            return _thin(waiting.filter(status__in=WAITING, attempts=0), choice, by=by, at=at)
        after = Run.Status.PAUSED if verb == "pause" else Run.Status.QUEUED
        rows = list(waiting.filter(~RESTS if verb == "pause" else RESTS, status__in=WAITING))
        for run in rows:
            run.status = after
        _audit(rows, verb, by=by, at=at)
        return Run.objects.filter(pk__in=[run.pk for run in rows]).update(status=after, paused_until=None, error="")


def _thin(rows: QuerySet[Run], choice: Choice, *, by: Actor, at: datetime) -> int:
    episode_ids = choice.of(Episode.objects.filter(runs__in=rows.values("pk"))).values_list("pk", flat=True)
    runs_to_remove = list(rows.exclude(episode__in=list(episode_ids)))
    _audit(runs_to_remove, "thin", by=by, at=at)
    Run.objects.filter(pk__in=[run.pk for run in runs_to_remove]).delete()
    return len(runs_to_remove)


def _audit(runs: list[Run], verb: str, *, by: Actor, at: datetime) -> None:
    AuditEntry.objects.bulk_create([run.audit(verb, by=by, at=at) for run in runs], batch_size=500)


def _unread() -> EpisodeQuerySet:
    """Digested ones only: others are queued when they are digested."""
    return readable().filter(digested_at__isnull=False)


def _tokens_of_one(choice: Choice) -> tuple[float, float, bool]:
    """Tokens in and out to read one conversation, and whether that was measured."""
    latest_reads = Run.objects.filter(kind=KIND, status=Run.Status.SUCCEEDED, llm_calls__isnull=False).order_by(
        "-created_at"
    )
    run_ids = list(dict.fromkeys(latest_reads.values_list("pk", flat=True)[: 10 * MOST_READ]))[:MOST_READ]
    if len(run_ids) >= LEAST_READ:
        sums = LLMCall.objects.filter(run__in=run_ids).aggregate(tin=Sum("tokens_in"), tout=Sum("tokens_out"))
        return sums["tin"] / len(run_ids), sums["tout"] / len(run_ids), True
    sample = list(choice.of(_unread()).values_list("pk", flat=True)[:SAMPLE])
    length = sum(
        (Coalesce(Length(Cast(name, TextField())), 0) for name in ("args", "result")), Coalesce(Length("text"), 0)
    )
    events = Event.objects.filter(episode__in=sample, instruction=None)
    total = events.aggregate(total=Sum(length, output_field=IntegerField()))["total"] or 0
    judged_share = Episode.objects.filter(pk__in=sample, outcome=None).count() / max(len(sample), 1)
    instructions = sum(map(_prompt_tokens, (*chain(*WHOLE), *NOTES))) + round(
        judged_share * sum(map(_prompt_tokens, JUDGE))
    )
    tokens = len(WHOLE) * total / CHARACTERS_PER_TOKEN / max(len(sample), 1) + instructions
    return tokens, ANSWER_TOKENS * (len(WHOLE) + len(NOTES)), False


def _prompt_tokens(name: str) -> int:
    return estimate(prompt(name, "en"))
