"""The audit trail of what is forgotten: who, when and which fields stay, or nothing at all."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connection

from memories.models import AuditEntry

TOLD = {"status", "confidence", "hold", "sensitivity", "pinned", "outcome", "decision"}  # no words of anybody's
PLAIN = (str, int, float, bool, type(None))


@contextmanager
def erasing() -> Iterator[None]:
    """Until its end, in this transaction, the database lets the trail be changed."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL memos.erasing = 'on'")
        yield
        cursor.execute("SET LOCAL memos.erasing = ''")


def reduce_to_skeleton(subjects: Collection[UUID]) -> None:
    """No text is left of what was done to these: of each field only that it was changed."""
    entries = list(AuditEntry.objects.filter(subject_id__in=subjects))
    for entry in entries:
        entry.label = entry.rationale = ""
        entry.before, entry.after = _bare(entry.before), _bare(entry.after)
    with erasing():
        AuditEntry.objects.bulk_update(entries, ["label", "rationale", "before", "after"], batch_size=200)


def silence(entries: Collection[UUID]) -> None:
    """Why these were done is not said any more; what was done stays."""
    with erasing():
        AuditEntry.objects.filter(pk__in=entries).update(rationale="")


def remove(subjects: Collection[UUID]) -> int:
    with erasing():
        return AuditEntry.objects.filter(subject_id__in=subjects).delete()[0]


def _bare(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in TOLD and isinstance(value, PLAIN) else None for name, value in values.items()}
