"""Episodes as they stood at an instant: from when their events arrived, and from the audit trail of their outcomes."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q

from memories.models.audit import AuditEntry
from memories.models.episode import Episode, Event, EventQuerySet
from memories.models.memory import Memory
from memories.values.choices import OutcomeSource, Type


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
    grown = [pk for pk, episode in episodes.items() if episode.closed_at is None or episode.closed_at > at]
    if grown:
        counts = arrived(Event.objects.filter(episode__in=grown), at).order_by().values_list("episode")
        counted = dict(counts.annotate(n=Count("pk")))
        for pk in grown:
            episodes[pk].event_count, episodes[pk].closed_at = counted.get(pk, 0), None
    _restore_outcomes({pk: one for pk, one in episodes.items() if one.outcome_at and one.outcome_at > at}, at)


def _restore_outcomes(episodes: dict[UUID, Episode], at: datetime) -> None:
    if not episodes:
        return
    told = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=episodes, action="outcome")
    last: dict[UUID, dict[str, Any]] = {}
    for entry in told.order_by("-at", "-pk"):  # from the latest back to the one that held then
        if entry.at > at:
            last[entry.subject_id] = {name: entry.before.get(name) for name in ("outcome", "outcome_source")}
        elif last.get(entry.subject_id, {}).get("at") is None:
            last[entry.subject_id] = {**entry.after, "at": entry.at}
    for pk, episode in episodes.items():
        held = last.get(pk, {})
        episode.outcome = held.pop("outcome", None)
        untold = OutcomeSource.REPORTED if episode.outcome else OutcomeSource.NONE
        episode.outcome_source = held.pop("outcome_source", None) or untold
        first = episode.memory.created_at if episode.outcome else None  # it came with the outcome
        episode.outcome_at = held.pop("at", first)
        episode.outcome_by, episode.outcome_details = "", held
