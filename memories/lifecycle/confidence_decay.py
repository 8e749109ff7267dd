"""The daily job: take confidence from idle claims, demote or expire those that fade, remove what is past its TTL.

Rows are found by an index over when they are due, met once a week at most, and passed by when another has them in hand.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import F
from uuid_utils.compat import uuid7

from memories.lifecycle import batches
from memories.lifecycle.removal import FADED, remove_expired
from memories.models import Adaptation, Memory
from memories.models.ageing import BY_HAND
from memories.models.bulk_rows import insert
from memories.models.former_state import changed_at
from memories.values.choices import BELIEVED, LIVE, Hold, RevertReason, Status
from memories.values.decay import Pace
from memories.values.trust import SYSTEM

FACTS = ("confidence", "status", "hold", "pinned", "deletion_policy", "idle_since", "decay_steps", "decay_due_at")
WRITE = """
UPDATE memories_memory AS m
SET confidence = settled.confidence, decay_steps = settled.steps, decay_due_at = settled.due_at
FROM unnest(%s::uuid[], %s::smallint[], %s::smallint[], %s::timestamptz[]) AS settled (id, confidence, steps, due_at)
WHERE m.id = settled.id
"""


def settle(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Subtract from each claim that is due the confidence it has lost by now. Counters: settled, demoted, expired.

    `until`: see batches. Twice on one day subtracts once; after weeks it comes to what day by day would have come to.
    """
    pace = Pace.of_settings()
    return batches.each(lambda: _settle_some(pace, at=at), until=until)


def expire(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Remove what is past its TTL, which readers have not seen since. Counter: expired."""
    return batches.each(lambda: _expire_some(at=at), until=until)


def _settle_some(pace: Pace, *, at: datetime) -> Counter[str] | None:
    due = Memory.objects.due_to_decay(at).select_for_update(skip_locked=True, of=("self",))
    rows = list(due.only(*FACTS)[: batches.BATCH])
    if not rows:
        return None
    lowered_ids = {row.pk for row in rows if _step(row, pace, at=at)}
    values = zip(*((row.pk, row.confidence, row.decay_steps, row.decay_due_at) for row in rows), strict=True)
    with changed_at(at), connection.cursor() as cursor:
        cursor.execute(WRITE, [list(column) for column in values])
    free_rows = [row for row in rows if row.pk in lowered_ids and row.hold == Hold.NONE]
    expired_ids = [row.pk for row in free_rows if row.confidence < pace.expire_below]
    faded_ids = [row.pk for row in free_rows if _fades(row, pace) and row.confidence >= pace.expire_below]
    _demote(faded_ids, at=at)
    remove_expired(expired_ids, at=at)
    return Counter(settled=len(rows), demoted=len(faded_ids), expired=len(expired_ids))


def _step(row: Memory, pace: Pace, *, at: datetime) -> bool:
    """Set the confidence and the next look of a row as of `at`; True if it has lost confidence.

    What is exempt loses nothing for that time; what is closed is not looked at again until it comes back.
    """
    if row.status not in LIVE or row.idle_since is None:
        row.decay_due_at = None
        return False
    steps = max(row.decay_steps, pace.steps_due(at - row.idle_since))
    due, row.decay_steps = steps - row.decay_steps, steps
    row.decay_due_at = pace.next_look(row.idle_since, steps)
    if row.pinned or row.deletion_policy in BY_HAND:
        return False
    row.confidence = pace.left(row.confidence, due)
    return due > 0


def _fades(row: Memory, pace: Pace) -> bool:
    return pace.demotes and row.status in BELIEVED and row.confidence < pace.demote_below


def _demote(ids: Sequence[UUID], *, at: datetime) -> None:
    """Do to many rows what `Memory.revise` does to one, in a statement a table; a test holds the two equal."""
    if not ids:
        return
    rows = list(Memory.objects.filter(pk__in=ids).defer("payload"))
    change = {"status": Status.CANDIDATE}
    Memory.objects.filter(pk__in=ids).update(**change, version=F("version") + 1, updated_at=at)
    Adaptation.objects.filter(memory__in=ids).revert(why=RevertReason.DEMOTED, by=SYSTEM, at=at)
    batch, entries = uuid7(), []
    for row in rows:
        before = {"status": row.status}
        row.version += 1
        entries.append(row.audit("decay", by=SYSTEM, at=at, before=before, after=change, why=FADED, batch=batch))
    insert(entries)


def _expire_some(*, at: datetime) -> Counter[str] | None:
    due = Memory.objects.expired(at).select_for_update(skip_locked=True, of=("self",))
    ids = list(due.values_list("pk", flat=True)[: batches.BATCH])
    if not ids:
        return None
    remove_expired(ids, at=at)
    return Counter(expired=len(ids))
