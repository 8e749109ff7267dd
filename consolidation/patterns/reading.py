"""Events are read as they come, oldest first: a batch is one transaction with all that it taught.

The event's `ruled_at` is the queue. What one rule cannot read is left behind as a row for that rule alone, tried three
times and then set aside; an event that kills its worker three times is set aside for all of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from consolidation.models.groups import MOST_ATTEMPTS, Reading, Unread
from consolidation.patterns import sessions
from consolidation.patterns.applying import OUTAGE, RULES, apply, apply_one
from consolidation.patterns.plugin_run import Ran
from memories.models import Event, claim_locks

SLICE = 5_000  # events of the queue that are looked at once
BATCH = 50
MOST_AGAIN = 200  # failed readings that a run tries again in a scope
DIED = "its worker died three times"


@dataclass
class Progress:
    """Of one run, over all scopes: what it counted, what went wrong, what its rules may still write."""

    at: datetime
    counters: Counter[str] = field(default_factory=lambda: Counter(events_read=0))
    errors: dict[str, None] = field(default_factory=dict)  # in their order, each once
    left: dict[str, int] = field(default_factory=lambda: {rule.name: rule.most for rule in RULES if rule.most})

    def failed(self, what: str) -> None:
        self.counters["failed"] += 1
        self.errors[what[:300]] = None


def unread() -> Iterator[dict[str, list[UUID]]]:
    """The queue, slice by slice: the ids of the events of each scope, in the order in which they are read."""
    after: tuple[datetime, UUID] | None = None
    while rows := list(Event.objects.unruled(after).values_list("at", "pk", "episode__scope")[:SLICE]):
        by_scope: dict[str, list[UUID]] = defaultdict(list)
        for _, pk, scope in rows:
            by_scope[scope].append(pk)
        yield by_scope
        after = rows[-1][:2]


def read(scope: str, events: Sequence[UUID], progress: Progress) -> Iterator[None]:
    """Reads these events; yields after each batch. The scope is the caller's alone."""
    hand = Reading.of(scope)
    while hand.events:  # a worker died with these: each alone, so that only the one that kills is set aside
        _alone(hand, progress)
        yield
    for start in range(0, len(events), BATCH):
        batch = events[start : start + BATCH]
        hand.take(batch)
        try:
            progress.counters.update(_batch(scope, batch, hand, [], progress))
        except Exception as error:  # no rule's fault (`apply` keeps those): all of it stays in the queue
            hand.leave()
            progress.failed(f"{scope or 'unscoped'}: {_plain(error)}")
            return
        yield


def read_again(scope: str, progress: Progress) -> None:
    """Gives each rule once more what it could not read, or had to put off."""
    rows = Unread.objects.filter(scope=scope)
    room = sum(progress.left.values())
    for row in [*rows.failing()[:MOST_AGAIN], *rows.waiting()[:room]]:
        Unread.objects.filter(pk=row.pk).update(attempts=F("attempts") + 1)  # before the work: it may kill its worker
        try:
            with transaction.atomic():
                claim_locks.to_store(scope)
                progress.counters.update(_once_more(row, progress))
        except Exception as error:  # kept on the row, which is tried again; the other rows go on
            said = f"{type(error).__name__}: {error}"
            Unread.objects.filter(pk=row.pk).update(error=said[:2000], waiting=False)
            progress.failed(f"{row.rule or 'every rule'}: {type(error).__name__}")


def _once_more(row: Unread, progress: Progress) -> Counter[str]:
    Unread.objects.filter(pk=row.pk).delete()
    runs = sessions.place(_load([row.event_id]))
    counters: Counter[str] = Counter()
    for rule in RULES:
        if row.rule in ("", rule.name):
            counters.update(apply_one(rule, runs, progress))
    return counters


def _alone(hand: Reading, progress: Progress) -> None:
    first, rest = hand.events[0], hand.events[1:]
    if hand.attempts >= MOST_ATTEMPTS:
        _set_aside(first, hand, rest, progress)
        return
    hand.take(hand.events, hand.attempts + 1)
    try:
        progress.counters.update(_batch(hand.scope, [first], hand, rest, progress))
    except Exception as error:  # what did not kill the worker this time is left in the queue
        progress.failed(f"{hand.scope or 'unscoped'}: {_plain(error)}")
        hand.take(rest)  # it is in the queue still


def _plain(error: Exception) -> str:
    """A run is shown to everybody: an error that may quote what was read has only its name there."""
    return f"{type(error).__name__}: {error}" if isinstance(error, OUTAGE) else type(error).__name__


def _set_aside(event_id: UUID, hand: Reading, rest: Sequence[UUID], progress: Progress) -> None:
    with transaction.atomic():
        for run in _load([event_id], ruled_at=None):
            facts = {"attempts": MOST_ATTEMPTS, "error": DIED}
            Unread.objects.note("", event_id, run.episode_id, run.scope, **facts)
            Event.objects.filter(pk=event_id).update(ruled_at=progress.at)
            progress.failed(f"an event was set aside: {DIED}")
        hand.take(rest)


def _batch(scope: str, events: Sequence[UUID], hand: Reading, rest: Sequence[UUID], progress: Progress) -> Counter[str]:
    """One transaction: what the events taught and their mark, or nothing of it."""
    with transaction.atomic():
        claim_locks.to_store(scope)
        runs = sessions.place(_load(events, ruled_at=None))  # another worker may have read them meanwhile
        counters = Counter(events_read=len(runs))
        for rule in RULES:
            counters.update(apply(rule, scope, runs, progress))
        Event.objects.filter(pk__in=[run.event_id for run in runs]).update(ruled_at=progress.at)
        hand.take(rest)
    return counters


def _load(events: Sequence[UUID], **still: Any) -> list[Ran]:
    """Those that are there and `still` as they were, held, in their order."""
    rows = Event.objects.select_for_update(of=("self",)).filter(pk__in=events, **still).order_by("at", "pk")
    told = rows.values_list(
        "pk", "episode", "episode__scope", "episode__source", "episode__thread_id", "at",
        "episode__memory__sensitivity", "context",
    )  # fmt: skip
    return [Ran(*row) for row in told if isinstance(row[-1], dict)]
