"""Expire memories: by the daily job, or by a store that wants the key of one whose time is over."""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from memories.lifecycle.removal import remove
from memories.models import Adaptation, AuditEntry, Memory, Tombstone
from memories.models.bulk_rows import insert
from memories.values.choices import LIVE, RevertReason
from memories.values.trust import SYSTEM

FADED, OVER = "nobody used or confirmed it", "its time was over"


def remove_expired(ids: Collection[UUID], *, at: datetime) -> None:
    """Remove these, in the caller's transaction and under its locks. The trail says that they expired; claims leave a
    tombstone that blocks nothing."""
    if not ids:
        return
    rows = list(Memory.objects.filter(pk__in=ids))
    insert(_expiries(rows, at=at))
    Tombstone.objects.mark([row for row in rows if row.is_claim and row.status in LIVE], by=SYSTEM, at=at)
    Adaptation.objects.filter(memory__in=ids).revert(why=RevertReason.EXPIRED, by=SYSTEM, at=at)
    remove(ids)


def _expiries(rows: Iterable[Memory], *, at: datetime) -> list[AuditEntry]:
    batch = uuid7()
    return [
        row.audit(
            "expire",
            by=SYSTEM,
            at=at,
            before={"status": row.status, "confidence": row.confidence},
            why=OVER if row.expires_at and row.expires_at <= at else FADED,
            batch=batch,
        )
        for row in rows
    ]
