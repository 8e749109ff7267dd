"""Former states of memories and episodes, and former texts that are too long for the audit trail.

A trigger of the database writes the state of a memory at every change of it: no write path has to think of it, and none
can forget it. Not kept: uses, the idle time and other columns of housekeeping. A memory that is removed takes its
states and texts along.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Count, Q
from django.db.models.functions import Coalesce

from memories.models.as_of import AsOf
from memories.models.audit import AuditEntry
from memories.models.episode import Episode, Event, EventQuerySet
from memories.models.memory import Memory, MemoryQuerySet
from memories.models.trusted import new_id
from memories.values.choices import OutcomeSource, Type


class WordingQuerySet(models.QuerySet["Wording"]):
    def keep(self, memory: Memory, *texts: str) -> None:
        rows = [Wording(memory=memory, sha256=hashlib.sha256(text.encode()).hexdigest(), text=text) for text in texts]
        self.bulk_create(rows, ignore_conflicts=True)


class Wording(models.Model):
    """A former text. The audit row holds `sha256`, this row the text; forgetting the memory deletes it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="wordings")
    sha256 = models.CharField(max_length=64)
    text = models.TextField()

    objects = WordingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "sha256"], name="wording_is_kept_once_per_memory"),
        ]

    def __str__(self) -> str:
        return self.text[:80]


@contextmanager
def changed_at(at: datetime) -> Iterator[None]:
    """The time of changes that move none of a row's own times, until its end and in this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('memos.changed_at', %s, true)", [at.isoformat()])
        yield
        cursor.execute("SELECT set_config('memos.changed_at', '', true)")


class FormerState(models.Model):
    """How a memory stood until `until`, from the state before it or its creation on.

    Content, payload and provenance are null where the next state has the same. `recorded` false: put together from the
    audit trail, for a time when states were not kept yet.
    """

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="former_states", db_index=False)
    until = models.DateTimeField()
    recorded = models.BooleanField(default=True)
    content = models.TextField(null=True)  # noqa: DJ001 - null = as in the next state
    payload = models.JSONField(null=True)
    provenance = models.JSONField(null=True)
    category = models.CharField(max_length=16, null=True)  # noqa: DJ001
    company_id = models.CharField(max_length=512, null=True)  # noqa: DJ001
    tags = ArrayField(models.CharField(max_length=256), default=list)
    sensitivity = models.SmallIntegerField()
    status = models.CharField(max_length=16)
    confidence = models.SmallIntegerField()
    hold = models.CharField(max_length=8, blank=True)
    salience = models.FloatField()
    salience_at = models.DateTimeField()
    reinforced_at = models.DateTimeField(null=True)
    pinned = models.BooleanField()
    deletion_policy = models.CharField(max_length=16)
    expires_at = models.DateTimeField(null=True)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    times_confirmed = models.IntegerField()
    flags = models.JSONField(default=list)
    speakers = ArrayField(models.CharField(max_length=64), default=list, db_default=[])
    version = models.IntegerField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "until"], name="former_state_ends_once_at_a_time"),
        ]
        indexes = [
            models.Index(fields=["until", "memory"], condition=Q(content__isnull=False), name="former_state_words"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} until {self.until}"


def with_recorded(rows: MemoryQuerySet, moment: AsOf | None) -> MemoryQuerySet:
    """Annotate `recorded`: whether the state of then was kept, rather than put together from the audit trail."""
    if moment is None:
        return rows
    states = FormerState.objects.filter(memory=models.OuterRef("pk"), until__gt=moment.at).order_by("until")
    is_recorded = Coalesce(models.Subquery(states.values("recorded")[:1]), models.Value(True))
    annotated_rows: MemoryQuerySet = rows.annotate(recorded=is_recorded)
    return annotated_rows


def first_id_after(at: datetime) -> UUID:
    """The least id of what is made after the millisecond of `at`: an id begins with its time."""
    return UUID(int=(int(at.timestamp() * 1000) + 1) << 80)


def made_at(id: UUID) -> datetime:
    """When the row of this id was made, to the millisecond."""
    return datetime.fromtimestamp((id.int >> 80) / 1000, UTC)


def arrived(events: EventQuerySet, at: datetime) -> EventQuerySet:
    """Events that were there at that instant: all of an episode that was closed by then."""
    return events.filter(Q(episode__closed_at__lte=at) | Q(pk__lt=first_id_after(at)))


def restore(rows: Iterable[Memory], at: datetime) -> None:
    """Set the episodes of loaded memories to what they were, by two statements however many."""
    episodes = {row.pk: row.episode for row in rows if row.type == Type.EPISODIC}
    open_ids = [pk for pk, episode in episodes.items() if episode.closed_at is None or episode.closed_at > at]
    if open_ids:
        counts = arrived(Event.objects.filter(episode__in=open_ids), at).order_by().values_list("episode")
        event_counts = dict(counts.annotate(n=Count("pk")))
        for pk in open_ids:
            episodes[pk].event_count, episodes[pk].closed_at = event_counts.get(pk, 0), None
    changed_episodes = (episode for episode in episodes.values() if episode.outcome_at and episode.outcome_at > at)
    _restore_outcomes({episode.pk: episode for episode in changed_episodes}, at)


def _restore_outcomes(episodes: dict[UUID, Episode], at: datetime) -> None:
    if not episodes:
        return
    entries = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=episodes, action="outcome")
    last: dict[UUID, dict[str, Any]] = {}
    for entry in entries.order_by("-at", "-pk"):  # from the latest back to the one that held then
        if entry.at > at:
            last[entry.subject_id] = {name: entry.before.get(name) for name in ("outcome", "outcome_source")}
        elif last.get(entry.subject_id, {}).get("at") is None:
            last[entry.subject_id] = {**entry.after, "at": entry.at}
    for pk, episode in episodes.items():
        values = last.get(pk, {})
        episode.outcome = values.pop("outcome", None)
        default_source = OutcomeSource.REPORTED if episode.outcome else OutcomeSource.NONE
        episode.outcome_source = values.pop("outcome_source", None) or default_source
        first = episode.memory.created_at if episode.outcome else None  # it came with the outcome
        episode.outcome_at = values.pop("at", first)
        episode.outcome_by, episode.outcome_details = "", values
