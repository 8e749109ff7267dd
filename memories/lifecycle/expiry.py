"""Expire memories: by the daily job, or by a store that wants the key of one whose time is over."""

from collections.abc import Collection, Iterable
from datetime import datetime

from uuid_utils.compat import uuid7

from memories.lifecycle.removal import remove
from memories.models import Adaptation, AuditEntry, Memory, Tombstone
from memories.models.bulk_rows import insert
from memories.values.choices import LIVE, RevertReason, Status
from memories.values.trust import SYSTEM

READ = (  # what the trail and the tombstone say of a memory
    *("type", "scope", "key", "content", "category", "status", "confidence", "sensitivity", "version", "expires_at"),
)
FADED, OVER = "nobody used or confirmed it", "its time was over"


def remove_expired(rows: Collection[Memory], *, at: datetime) -> None:
    """Remove these, in the caller's transaction and under its locks. The trail says that they expired; claims leave a
    tombstone that blocks nothing. Of a row the columns of `READ` are used, as they are in the database."""
    if not rows:
        return
    insert(_expiries(rows, at=at))
    Tombstone.objects.mark([row for row in rows if row.is_claim and row.status in LIVE], by=SYSTEM, at=at)
    if applied := [row.pk for row in rows if row.status == Status.APPLIED]:  # no other memory has a behaviour
        Adaptation.objects.filter(memory__in=applied).revert(why=RevertReason.EXPIRED, by=SYSTEM, at=at)
    remove([row.pk for row in rows])


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
