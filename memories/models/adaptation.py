"""Adaptations: the changes of behaviour that applied memories caused, each announced once and revertible."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import OuterRef, Q, Subquery

from memories.models.memory import Memory
from memories.models.trusted import Trusted, new_id
from memories.values import links
from memories.values.choices import Category, RevertReason
from memories.values.trust import Actor

BEHAVIOUR = {
    Category.PREFERENCE: "Now following the preference",
    Category.PATTERN: "Now going by the pattern",
    Category.WORKFLOW: "Now following the workflow",
}  # facts and contacts change no behaviour


class AdaptationQuerySet(Trusted["Adaptation"]):
    def active(self) -> Self:
        return self.filter(reverted_at=None)

    def unannounced(self, plugin: str) -> Self:
        return self.active().filter(plugin=plugin, notified_at=None).order_by("applied_at", "pk")

    def past(self) -> Self:
        return self.exclude(reverted_at=None)

    def revert(self, *, why: RevertReason, by: Actor, at: datetime) -> int:
        used = Memory.objects.filter(pk=OuterRef("memory")).order_by().values("times_used")
        columns = {"reverted_at": at, "reverted_by": by.name[:200], "revert_reason": why}
        return self.active().update(used_until=Subquery(used), **columns)

    def open(self, memory: Memory, *, by: Actor, at: datetime, again: bool) -> "Adaptation | None":
        """Create the active adaptation of a memory that became applied; None when its category changes no behaviour.

        `again`: a decision was undone; the adaptation that it had ended is reopened without a second announcement.
        """
        words = BEHAVIOUR.get(Category(memory.category)) if memory.category else None
        if words is None:
            return None
        if again:
            former = self.filter(memory=memory, content=memory.content).exclude(reverted_at=None)
            latest = former.order_by("-reverted_at", "-pk").first()
            if latest:
                self.filter(pk=latest.pk).update(reverted_at=None, reverted_by="", revert_reason="", used_until=None)
                return latest
        return self.create(
            memory=memory,
            memory_key=memory.key or "",
            content=memory.content,
            plugin=memory.source,
            description=f"{words}: {memory.content}",
            sessions=memory.times_confirmed,
            used_before=memory.times_used,
            applied_at=at,
            applied_by=by.name[:200],
            notified_at=at if again else None,
            scope=memory.scope,
            sensitivity=memory.sensitivity,
        )


class Adaptation(models.Model):
    """A change of behaviour; active while `reverted_at` is null.

    It outlives its memory with a copy of the content, unless that was forgotten.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, null=True, on_delete=models.SET_NULL, related_name="adaptations")
    memory_key = models.CharField(max_length=255, blank=True)
    content = models.TextField()
    plugin = models.CharField(max_length=512)
    description = models.TextField()
    sessions = models.IntegerField(default=0)  # number of confirmations, for the notice
    used_before = models.IntegerField(null=True)  # uses of its memory until it was applied; null: not counted then
    used_until = models.IntegerField(null=True)  # the same until it was reverted
    applied_at = models.DateTimeField()
    applied_by = models.CharField(max_length=200)
    notified_at = models.DateTimeField(null=True)
    reverted_at = models.DateTimeField(null=True)
    reverted_by = models.CharField(max_length=200, blank=True)
    revert_reason = models.CharField(max_length=16, choices=RevertReason, blank=True)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()

    objects = AdaptationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["memory"], condition=Q(reverted_at=None), name="adaptation_is_active_once_per_memory"
            ),
        ]
        indexes = [
            models.Index(
                fields=["plugin", "applied_at"],
                condition=Q(reverted_at=None, notified_at=None),
                name="adaptation_unannounced",
            ),
            models.Index(fields=["-applied_at", "-id"], name="adaptation_newest"),
            models.Index(fields=["-applied_at", "-id"], condition=Q(reverted_at=None), name="adaptation_active"),
            models.Index(
                fields=["plugin", "-applied_at", "-id"],
                condition=Q(reverted_at=None),
                name="adaptation_active_by_plugin",
            ),
            models.Index(
                fields=["-reverted_at", "-id"], condition=Q(reverted_at__isnull=False), name="adaptation_past"
            ),
        ]

    def __str__(self) -> str:
        return self.description[:80]

    @property
    def uses(self) -> int | None:
        """Uses of its memory while it was active; None where they were not counted."""
        until = self.used_until
        if self.reverted_at is None:
            until = self.memory.times_used if self.memory else None
        return None if until is None or self.used_before is None else max(0, until - self.used_before)

    @property
    def notice(self) -> str:
        doing = self.description.removeprefix("Now ")
        sentence = f"Memory adapted: I'm now {doing} based on your last {self.sessions} sessions."
        return f"{sentence}\nReview, revert or forget it at {links.memory_page(self.memory_id)}"
