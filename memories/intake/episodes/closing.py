"""Close episodes: by their outcome, or after silence."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from memories.models import Episode
from memories.values.choices import Outcome, Permission
from memories.values.exceptions import NotAllowed
from memories.values.trust import Trust

SILENCE = timedelta(minutes=30)
MOVED = ("outcome", "outcome_at", "outcome_by", "outcome_details", "digested_at", "digest_attempts", "closed_at")


def close_silent(*, at: datetime) -> int:
    """Close every episode that nothing was added to for half an hour. An event that comes at the same moment wins."""
    return Episode.objects.filter(closed_at=None, last_event_at__lt=at - SILENCE).update(closed_at=at)


def set_outcome(
    episode: Episode,
    outcome: Outcome,
    *,
    trust: Trust,
    source: str,
    at: datetime,
    details: dict[str, Any] | None = None,
) -> bool:
    """Set or replace how it ended; a digested episode is read again, so that counts follow. False: it was so already.

    `source` says so, on behalf of the caller. Only who opened the episode may, or a reviewer (NotAllowed).
    """
    with transaction.atomic():
        row = Episode.objects.select_for_update().get(pk=episode.pk)
        if row.outcome == outcome:
            return False
        _check_reporter(row, trust)
        before, after = {"outcome": row.outcome}, {"outcome": outcome.value, **(details or {})}
        row.outcome, row.outcome_at, row.outcome_by = outcome, at, source
        row.outcome_details = details or {}
        row.digested_at, row.digest_attempts, row.closed_at = None, 0, row.closed_at or at
        row.save(update_fields=MOVED)
        entry = row.memory.audit("outcome", by=trust.actor, at=at, before=before, after=after)
        entry.save(force_insert=True)
    for name in MOVED:
        setattr(episode, name, getattr(row, name))
    return True


def _check_reporter(episode: Episode, trust: Trust) -> None:
    if episode.memory.created_by_id != trust.actor.identity and not trust.may(Permission.REVIEW):
        raise NotAllowed("only the agent that opened this episode, or a reviewer, may set its outcome")
