"""Proposals: what somebody may not change alone waits for a person. Any room opens one, only the desk decides it."""

import hashlib
import json
from datetime import datetime
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from memories.models.memory import Memory
from memories.models.trusted import Trusted, new_id
from memories.trust import Actor


class ProposalQuerySet(Trusted["Proposal"]):
    def open(self) -> Self:
        return self.filter(decision=None)

    def propose(
        self, kind: str, memory: Memory, change: dict[str, Any], *, by: Actor, why: str, at: datetime, sensitivity: int
    ) -> "Proposal":
        """The open proposal of this change, made unless it is there already."""
        fingerprint = hashlib.sha256(json.dumps(change, sort_keys=True, default=str).encode()).digest()
        opened = {
            "change": change,
            "why": why,
            "made_by": by.name,
            "scope": memory.scope,
            "sensitivity": max(memory.sensitivity, sensitivity),
            "opened_at": at,
        }
        proposal, _ = self.open().get_or_create(kind=kind, memory=memory, fingerprint=fingerprint, defaults=opened)
        return proposal


class Proposal(models.Model):
    """`change` is what accepting would write; `decision` null while it is open."""

    class Kind(models.TextChoices):
        REVISION = "revision"
        MERGE = "merge"
        CONFLICT = "conflict"
        FAILING = "failing"

    class Decision(models.TextChoices):
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=16, choices=Kind)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="proposals")
    resembles = models.UUIDField(null=True)  # the tombstone that the change is like
    evidence = models.JSONField(default=list)
    others = ArrayField(models.UUIDField(), default=list)
    change = models.JSONField(default=dict)
    fingerprint = models.BinaryField(max_length=32)
    why = models.TextField(blank=True)
    score = models.FloatField(null=True)
    made_by = models.CharField(max_length=200)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    opened_at = models.DateTimeField()
    snoozed_until = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.CharField(max_length=200, blank=True)
    decision = models.CharField(max_length=16, choices=Decision, null=True)  # noqa: DJ001 - null = still open

    objects = ProposalQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "memory", "fingerprint"],
                condition=Q(decision=None),
                name="proposal_is_open_once_per_change",
            ),
        ]
        indexes = [models.Index(fields=["-opened_at"], condition=Q(decision=None), name="proposal_open")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.memory_id}"
