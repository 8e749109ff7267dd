"""Injections: records of which memories went into which context, and why."""

from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memories.models.trusted import Trusted, new_id

KEPT = timedelta(days=30)


class InjectionQuerySet(Trusted["Injection"]):
    def of(self, memory_id: UUID) -> Self:
        """Contexts that contain this memory, latest first."""
        return self.filter(items__contains=[{"memory": str(memory_id)}]).order_by("-at", "-pk")

    def told(self, memory_id: UUID, *, agent: str, thread_id: str) -> bool:
        """Whether a context of this session told the agent the memory as what another one alone had said."""
        told = [{"memory": str(memory_id), "unreviewed": True}]
        return self.filter(items__contains=told, agent=agent, thread_id=thread_id).exists()

    def forget_expired(self, *, at: datetime) -> int:
        return self.filter(at__lt=at - KEPT).delete()[0]


class Injection(models.Model):
    """One context given to an agent.

    `items` = [{memory, why, score, unreviewed}], the last where one other agent alone had said it; `task_sha256` is a
    fingerprint of the task, not its words.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.CharField(max_length=200)
    source = models.CharField(max_length=512, blank=True)
    thread_id = models.CharField(max_length=512, blank=True, default="")
    at = models.DateTimeField()
    task_sha256 = models.BinaryField(max_length=32)
    items = models.JSONField(default=list)
    status = models.CharField(max_length=16)  # ok or degraded
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()

    objects = InjectionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["-at"], name="injection_newest"),
            GinIndex(fields=["items"], opclasses=["jsonb_path_ops"], name="injection_of_memory"),
        ]

    def __str__(self) -> str:
        return f"{len(self.items)} for {self.source}"
