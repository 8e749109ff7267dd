"""Expire memories: by the daily job, or by a store that wants the key of one whose time is over.

The trail and the tombstones of many are drawn from their rows by the statement that writes them: to read a thousand
claims and to make their rows took Python a third of the time of all that the database does to expire them.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from memories.lifecycle.removal import remove
from memories.models import Adaptation, Memory, Tombstone, bulk_rows
from memories.models.built import literal
from memories.values.choices import EXPERIENCE, LIVE, RevertReason, Status, Type
from memories.values.trust import SYSTEM

FADED, OVER = "nobody used or confirmed it", "its time was over"
GONE = """
gone AS MATERIALIZED (
    SELECT entry, stone, id, type, scope, key, content, category, status, confidence, sensitivity, version, expires_at
    FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[]) AS given (id, entry, stone) JOIN memories_memory USING (id)
)"""
PLACE = {"scope": "gone.scope", "sensitivity": "gone.sensitivity"}
ENTRY = PLACE | {
    "id": "gone.entry",
    "subject_id": "gone.id",
    "label": "left(coalesce(nullif(gone.key, ''), gone.content), 200)",
    "rationale": f"CASE WHEN gone.expires_at <= same.at THEN '{OVER}' ELSE '{FADED}' END",
    "before": "jsonb_build_object('status', gone.status, 'confidence', gone.confidence)",
    "subject_version": "gone.version",
}
STONE = PLACE | {
    "id": "gone.stone",
    "memory_id": "gone.id",
    "key": "gone.key",
    "category": "gone.category",
}
MARKED = "gone WHERE gone.type <> ALL(%s) AND gone.status = ANY(%s)"
UNNAMED = (*EXPERIENCE, Type.COMPETENCE)  # what leaves no tombstone, or one whose name is no column
# Behind them only what else has to be done: few have a behaviour, and hardly a competence has an end.
LEFT = """
SELECT pg_current_xact_id()::text, ARRAY(SELECT id FROM gone WHERE status = %s),
    ARRAY(SELECT id FROM gone WHERE type = %s AND status = ANY(%s))
"""


def remove_expired(ids: Collection[UUID], *, at: datetime) -> None:
    """Remove these, in the caller's transaction and under its locks. The trail says that they expired; claims leave a
    tombstone that blocks nothing."""
    if not ids:
        return
    applied, competences = _recorded(ids, at=at)
    if competences:
        Tombstone.objects.mark(Memory.objects.filter(pk__in=competences), by=SYSTEM, at=at)
    if applied:  # no other memory has a behaviour
        Adaptation.objects.filter(memory__in=applied).revert(why=RevertReason.EXPIRED, by=SYSTEM, at=at)
    remove(ids)


def _recorded(ids: Collection[UUID], *, at: datetime) -> tuple[list[UUID], list[UUID]]:
    """Write entries and tombstones; which of these are applied, and which are competences without a tombstone yet."""
    like = bulk_rows.new(Memory, {"type": Type.SEMANTIC, "content": "", "sensitivity": 0})
    entries = bulk_rows.insert_select(like.audit("expire", by=SYSTEM, at=at, batch=uuid7()), ENTRY, "gone")
    stones = bulk_rows.insert_select(Tombstone.over(like, by=SYSTEM, why="", at=at, blocks=False), STONE, MARKED)
    statement = f"WITH {GONE}, entries AS ({entries.sql}), stones AS ({stones.sql}) {LEFT}"
    given = [literal(map(str, ids)), *(literal(str(uuid7()) for _ in ids) for _ in ("entries", "stones"))]
    live, left = [*LIVE], [Status.APPLIED, Type.COMPETENCE]
    with bulk_rows.prepared() as cursor:
        cursor.execute(statement, [*given, *entries.parameters, *stones.parameters, [*UNNAMED], live, *left, live])
        transaction_id, applied, competences = cursor.fetchone()
    bulk_rows.learn_transaction_id(transaction_id)
    return applied, competences
