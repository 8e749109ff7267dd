"""Relations between memories."""

from datetime import datetime
from typing import Self
from uuid import UUID

from django.db import models
from django.db.models.functions import Now

from memories.models.memory import Memory
from memories.models.trusted import Trusted, new_id
from memories.values.trust import Trust

SUPERSEDES, DERIVED_FROM, CONTESTED_BY = "supersedes", "derived_from", "contested_by"


class RelationQuerySet(Trusted["Relation"]):
    trust_path = "source__"

    def touching(self, memory_id: UUID) -> Self:
        return self.filter(models.Q(source=memory_id) | models.Q(target=memory_id)).order_by("predicate", "pk")

    def contesting(self, memory: models.OuterRef) -> models.Exists:
        """Subquery: whether a memory is contested by another one, or contests one."""
        either = models.Q(source=memory) | models.Q(target=memory)
        return models.Exists(self.filter(either, predicate=CONTESTED_BY))

    def contests(self, trust: Trust, *, at: datetime) -> Self:
        """Contests, newest first: `target` speaks against `source`; both live and visible to the caller."""
        visible_ids = Memory.objects.visible_to(trust).unexpired(at).values("pk")
        rows = self.filter(predicate=CONTESTED_BY, source__in=visible_ids, target__in=visible_ids)
        return rows.select_related("source__skill", "target__skill").order_by("-created_at", "-pk")


class Relation(models.Model):
    """A typed link between two memories.

    `weight` is 0-1. Predicates of the program: supersedes, derived_from, contested_by, supports, contradicts,
    merged_into, related_to; callers may use others.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    source = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="relations")
    predicate = models.CharField(max_length=64)
    target = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="related_from")
    weight = models.FloatField(default=1.0)
    created_at = models.DateTimeField(db_default=Now())

    objects = RelationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "predicate", "target"], name="relation_is_said_once"),
            models.CheckConstraint(condition=models.Q(weight__range=(0, 1)), name="relation_weight_is_between_0_and_1"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.predicate} {self.target_id}"
