"""Rows of other stores that were imported: by them a second import knows what it has brought already."""

import hashlib
from collections.abc import Collection, Mapping
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models.functions import Now


def digest_of(*parts: str) -> bytes:
    """A hash of these texts, each within its bounds: ("ab", "c") is not ("a", "bc")."""
    return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")).digest()


class ImportedRowQuerySet(models.QuerySet["ImportedRow"]):
    def named(self, names: Collection[bytes]) -> Self:
        return self.filter(name__in=list(names))

    def record(self, rows: Collection["ImportedRow"]) -> None:
        """Insert rows, or update the ones of the same name and scope."""
        latest = {(bytes(row.name), row.scope): row for row in rows}
        self.bulk_create(
            latest.values(),
            update_conflicts=True,
            unique_fields=["name", "scope"],
            update_fields=["content_sha256", "memory_id"],
        )

    def memories_of(self, names: Collection[bytes]) -> Mapping[bytes, list[tuple[str, UUID]]]:
        """What came of the rows of these names: name -> (scope, memory), in the order of the scopes."""
        by_name: dict[bytes, list[tuple[str, UUID]]] = {}
        rows = self.named(names).order_by("scope").values_list("name", "scope", "memory_id")
        for name, scope, memory_id in rows:
            if memory_id is not None:
                by_name.setdefault(bytes(name), []).append((scope, memory_id))
        return by_name


class ImportedRow(models.Model):
    """One row of a foreign file, and the memory that came of it, without a foreign key: it outlives the memory.

    `name`: a hash of format, table and row id; no text of the row is kept. `memory_id` None: nothing came of it.
    """

    name = models.BinaryField(max_length=32)
    scope = models.CharField(max_length=128, blank=True)
    content_sha256 = models.BinaryField(max_length=32)
    memory_id = models.UUIDField(null=True)
    at = models.DateTimeField(db_default=Now())

    objects = ImportedRowQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "scope"], name="imported_row_is_known_once")]

    def __str__(self) -> str:
        return bytes(self.name).hex()[:16]
