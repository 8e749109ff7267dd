"""Reading new events with the pattern rules, oldest first: a batch with all its effects is one transaction.

The event's `ruled_at` is the queue. What one rule cannot read becomes a `RuleRetry` row for that rule alone, tried
three times and then set aside; an event that kills its worker three times is set aside for all rules.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from consolidation.models.groups import EventBatch, RuleRetry
from consolidation.patterns import sessions
from consolidation.patterns.applying import RULES, apply, apply_one
from consolidation.patterns.sessions import ReportedRun
from memories.models import Event, claim_locks
from memories.models.row_queue import MOST_ATTEMPTS, message_of
from memos_site.platform.outages import UNAVAILABLE

SLICE = 5_000  # events of the queue that are loaded at once
BATCH = 50
MAX_RETRIES = 200  # failed readings that one run retries in a scope
WORKER_DIED = "its worker died three times"


@dataclass
class Progress:
    """The progress of one run over all scopes: counters, errors, and how many memories each rule may still create.

    `count` is told in the transaction that reads them how many events were read.
    """

    at: datetime
    counters: Counter[str] = field(default_factory=lambda: Counter(events_read=0))
    errors: dict[str, None] = field(default_factory=dict)  # in their order, each once
    remaining: dict[str, int] = field(
        default_factory=lambda: {rule.name: rule.max_new for rule in RULES if rule.max_new}
    )
    count: Callable[[int], None] = lambda number: None

    def record_failure(self, reason: str) -> None:
        self.counters["failed"] += 1
        self.errors[reason[:300]] = None


def pending_events() -> Iterator[dict[str, list[UUID]]]:
    """The queue in slices: the ids of the new events by scope, in the order in which they are read."""
    after: tuple[datetime, UUID] | None = None
    while rows := list(Event.objects.unruled(after).values_list("at", "pk", "episode__scope")[:SLICE]):
        by_scope: dict[str, list[UUID]] = defaultdict(list)
        for _, pk, scope in rows:
            by_scope[scope].append(pk)
        yield by_scope
        after = rows[-1][:2]


def read_events(scope: str, events: Sequence[UUID], progress: Progress) -> Iterator[None]:
    """Read these events; yields after each batch. The caller holds the lock of the scope."""
    reading = EventBatch.of(scope)
    while reading.events:  # a worker died with these: each alone, to set aside only the one that kills
        _read_first_alone(reading, progress)
        yield
    for start in range(0, len(events), BATCH):
        batch = events[start : start + BATCH]
        reading.take(batch)
        try:
            progress.counters.update(_read_batch(scope, batch, reading, [], progress))
        except Exception as error:  # not of a rule (`apply` records those): all of it stays in the queue
            reading.leave()
            progress.record_failure(f"{scope or 'unscoped'}: {_public_message(error)}")
            return
        yield


def retry_unread(scope: str, progress: Progress, *, scopes: int) -> None:
    """Retry what a rule could not read, or had to postpone: of the new memories that remain the share of one of so many
    scopes, for what waits in one of them may be endless."""
    rows = RuleRetry.objects.filter(scope=scope)
    room = -(-sum(progress.remaining.values()) // scopes)
    for row in [*rows.failing()[:MAX_RETRIES], *rows.waiting()[:room]]:
        RuleRetry.objects.attempted([row.pk])
        try:
            with transaction.atomic():
                claim_locks.to_store(scope)
                progress.counters.update(_retry(row, progress))
        except Exception as error:  # recorded on the row, which is retried; the other rows go on
            RuleRetry.objects.filter(pk=row.pk).update(error=message_of(error), waiting=False)
            progress.record_failure(f"{row.rule or 'every rule'}: {type(error).__name__}")


def _retry(row: RuleRetry, progress: Progress) -> Counter[str]:
    RuleRetry.objects.filter(pk=row.pk).delete()
    runs = sessions.assign(_load([row.event_id]))
    counters: Counter[str] = Counter()
    for rule in RULES:
        if row.rule in ("", rule.name):
            counters.update(apply_one(rule, runs, progress))
    return counters


def _read_first_alone(reading: EventBatch, progress: Progress) -> None:
    first, rest = reading.events[0], reading.events[1:]
    if reading.attempts >= MOST_ATTEMPTS:
        _set_aside(first, reading, rest, progress)
        return
    reading.take(reading.events, reading.attempts + 1)
    try:
        progress.counters.update(_read_batch(reading.scope, [first], reading, rest, progress))
    except Exception as error:  # it did not kill the worker this time: it stays in the queue
        progress.record_failure(f"{reading.scope or 'unscoped'}: {_public_message(error)}")
        reading.take(rest)


def _public_message(error: Exception) -> str:
    """The message of an error for the run, which everybody sees: only its name if it may quote an event."""
    return f"{type(error).__name__}: {error}" if isinstance(error, UNAVAILABLE) else type(error).__name__


def _set_aside(event_id: UUID, reading: EventBatch, rest: Sequence[UUID], progress: Progress) -> None:
    with transaction.atomic():
        for run in _load([event_id], ruled_at=None):
            facts = {"attempts": MOST_ATTEMPTS, "error": WORKER_DIED}
            RuleRetry.objects.note("", event_id, run.episode_id, run.scope, **facts)
            Event.objects.filter(pk=event_id).update(ruled_at=progress.at)
            progress.record_failure(f"an event was set aside: {WORKER_DIED}")
        reading.take(rest)


def _read_batch(
    scope: str, events: Sequence[UUID], reading: EventBatch, rest: Sequence[UUID], progress: Progress
) -> Counter[str]:
    """Read a batch in one transaction: everything that its rules write, and the mark of its events."""
    with transaction.atomic():
        claim_locks.to_store(scope)
        runs = sessions.assign(_load(events, ruled_at=None))  # another worker may have read some in the meantime
        counters = Counter(events_read=len(runs))
        for rule in RULES:
            counters.update(apply(rule, scope, runs, progress))
        Event.objects.filter(pk__in=[run.event_id for run in runs]).update(ruled_at=progress.at)
        reading.take(rest)
        progress.count(len(runs))
    return counters


def _load(events: Sequence[UUID], **conditions: Any) -> list[ReportedRun]:
    """The runs of those events that exist and still meet the conditions, locked, in order of time."""
    rows = Event.objects.select_for_update(of=("self",)).filter(pk__in=events, **conditions).order_by("at", "pk")
    columns = rows.values_list(
        "pk", "episode", "episode__scope", "episode__source", "episode__thread_id", "at",
        "episode__memory__sensitivity", "context",
    )  # fmt: skip
    return [ReportedRun(*row) for row in columns if isinstance(row[-1], dict)]
