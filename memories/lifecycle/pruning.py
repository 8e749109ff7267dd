"""The hourly job: remove experience whose salience has faded and that was digested.

Its cost grows only with the rows that it removes, however many there are.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from memories.lifecycle import batches
from memories.lifecycle.removal import remove
from memories.models import Episode, Memory
from memories.models.bulk_rows import insert
from memories.values.choices import Type
from memories.values.trust import SYSTEM


def prune(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Remove episodes and working states whose salience fell under a thousandth. Counters: pruned, kept.

    What a live memory rests on stays, and is marked so that no later run meets it until that memory closes. Knowledge
    is never pruned: it leaves by its confidence.
    """
    return batches.each(lambda: _prune_some(at=at), until=until)


def _prune_some(*, at: datetime) -> Counter[str] | None:
    due = Memory.objects.prunable(at).select_for_update(skip_locked=True, of=("self",))
    memories = list(due.only("key", "content", "type", "scope", "sensitivity", "version")[: batches.BATCH])
    if not memories:
        return None
    read = _still_read([row.pk for row in memories if row.type == Type.EPISODIC])
    rows = {row.pk: row for row in memories if row.type == Type.WORKING or row.pk in read}
    kept = set(Memory.objects.filter(pk__in=rows).witnessing().values_list("pk", flat=True))
    Memory.objects.filter(pk__in=kept).update(evidence_of_live=True)
    gone = [row for row in rows.values() if row.pk not in kept]
    batch = uuid7()
    insert([row.audit("prune", by=SYSTEM, at=at, batch=batch) for row in gone])
    remove([row.pk for row in gone])
    return Counter(pruned=len(gone), kept=len(kept))


def _still_read(ids: Sequence[UUID]) -> set[UUID]:
    """Those whose outcome nobody has replaced at this moment: that would have to be read again."""
    rows = Episode.objects.select_for_update().filter(pk__in=ids, digested_at__isnull=False).order_by("pk")
    return set(rows.values_list("pk", flat=True))
