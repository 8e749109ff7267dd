"""Former texts of a memory that are too long for the audit trail, kept for undo and deleted with the memory."""

import hashlib

from django.db import models

from memories.models.memory import Memory
from memories.models.trusted import new_id


class WordingQuerySet(models.QuerySet["Wording"]):
    def keep(self, memory: Memory, *texts: str) -> None:
        rows = [Wording(memory=memory, sha256=hashlib.sha256(text.encode()).hexdigest(), text=text) for text in texts]
        self.bulk_create(rows, ignore_conflicts=True)


class Wording(models.Model):
    """A former text. The audit row holds `sha256`, this row the text; forgetting the memory deletes it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="wordings")
    sha256 = models.CharField(max_length=64)
    text = models.TextField()

    objects = WordingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "sha256"], name="wording_is_kept_once_per_memory"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
