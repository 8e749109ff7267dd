"""How far a background job has read the audit trail."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.db import models

from memories.models import AuditEntry

LATEST_COMMIT = timedelta(minutes=5)  # longer than any transaction: an entry may be committed after a newer one


class AuditCursor(models.Model):
    """The last entry that a job has read. Ids of entries grow with time, so the table needs no other order."""

    job = models.CharField(primary_key=True, max_length=32)
    entry = models.UUIDField(default=UUID(int=0))

    def __str__(self) -> str:
        return f"{self.job} at {self.entry}"

    @classmethod
    def of(cls, job: str) -> Self:
        return cls.objects.get_or_create(job=job)[0]

    def start(self, *, at: datetime) -> UUID:
        """The entry to go on after: one of the last minutes before `at` at the latest, for others may yet be committed
        among them. After a clock was set back it is that of the new time, whose entries have smaller ids again.
        """
        return min(self.entry, _first_id(at - LATEST_COMMIT))

    def after(self, actions: Collection[str], size: int, *, at: datetime) -> Iterator[list[tuple[UUID, UUID]]]:
        """Yield the entries about memories with one of these actions, in order, in lists of (entry, memory)."""
        rows = AuditEntry.objects.filter(subject_kind="memory", action__in=actions).order_by("pk")
        last = self.start(at=at)
        while batch := list(rows.filter(pk__gt=last).values_list("pk", "subject_id")[:size]):
            yield batch
            last = batch[-1][0]

    def advance(self, entry: UUID, *, at: datetime) -> None:
        """Go on after this entry the next time."""
        self.entry = entry
        self.entry = self.start(at=at)
        self.save(update_fields=["entry"])


def _first_id(at: datetime) -> UUID:
    """The first id of an instant: one of version 7 begins with its milliseconds."""
    return UUID(int=int(at.timestamp() * 1000) << 80)
