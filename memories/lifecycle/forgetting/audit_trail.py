"""Reduce the audit trail of what is forgotten to who, when and which fields, or remove it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connection

from memories.models import AuditEntry

WORDLESS = {"status", "confidence", "hold", "sensitivity", "pinned", "outcome", "decision"}  # fields that keep values
PLAIN = (str, int, float, bool, type(None))


@contextmanager
def erasing() -> Iterator[None]:
    """Until its end, in this transaction, the database lets the trail be changed."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL memos.erasing = 'on'")
        yield
        cursor.execute("SET LOCAL memos.erasing = ''")


def reduce_to_skeleton(subjects: Collection[UUID]) -> None:
    """Remove all texts from the trail of these; of each field it stays that it was changed."""
    entries = list(AuditEntry.objects.filter(subject_id__in=subjects))
    for entry in entries:
        entry.label = entry.rationale = ""
        entry.before, entry.after = _bare(entry.before), _bare(entry.after)
    with erasing():
        AuditEntry.objects.bulk_update(entries, ["label", "rationale", "before", "after"], batch_size=200)


def silence(entries: Collection[UUID]) -> None:
    """Remove the rationale of these entries."""
    with erasing():
        AuditEntry.objects.filter(pk__in=entries).update(rationale="")


def remove(subjects: Collection[UUID]) -> int:
    with erasing():
        return AuditEntry.objects.filter(subject_id__in=subjects).delete()[0]


def _bare(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in WORDLESS and isinstance(value, PLAIN) else None for name, value in values.items()}
