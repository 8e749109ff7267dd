"""What a person decides about one row: each verb is a compare-and-set together with its audit row."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db import IntegrityError, models, transaction
from django.db.models import F
from django.db.models.functions import Now

from memories.choices import LIVE, Hold, Sensitivity, Status
from memories.exceptions import Conflict
from memories.models.audit import AuditEntry
from memories.trust import Actor


class Reviewable(models.Model):
    """The part of a memory that decisions move. `version` moves with every decision and edit, not with use or decay."""

    scope = models.CharField(max_length=128, blank=True)
    key = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001 - null = no key; '' would be one
    content = models.TextField()
    sensitivity = models.SmallIntegerField(choices=Sensitivity)
    status = models.CharField(max_length=16, choices=Status)
    confidence = models.SmallIntegerField()
    hold = models.CharField(max_length=8, choices=Hold, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    version = models.IntegerField(default=1)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        abstract = True

    def audit(self, action: str, *, by: Actor, at: datetime, **facts: Any) -> AuditEntry:
        """The draft of an audit row about this memory; `facts` are those of AuditEntry.draft."""
        return AuditEntry.draft(
            kind="memory",
            subject=self.pk,
            label=self.key or self.content,
            action=action,
            by=by,
            at=at,
            scope=self.scope,
            sensitivity=self.sensitivity,
            version=self.version,
            **facts,
        )

    def promote(
        self, *, by: Actor, at: datetime, to: Status = Status.CONFIRMED, why: str = "", batch: UUID | None = None
    ) -> AuditEntry:
        """A person vouches: confidence is at least 60 (confirmed) or 80 (applied), and no rule takes it lower again."""
        least = {Status.CONFIRMED: 60, Status.APPLIED: 80}[to]
        below = {Status.CONFIRMED: (Status.CANDIDATE, Status.CONTESTED)}.get(
            to, (Status.CANDIDATE, Status.CONTESTED, Status.CONFIRMED)
        )
        with transaction.atomic():
            self.lock_for("promote", below)
            change = {
                "status": to,
                "confidence": max(self.confidence, least),
                "hold": Hold.FLOOR,
                "snoozed_until": None,
            }
            return self.revise("promote", change, by=by, why=why, at=at, batch=batch)

    def dismiss(self, *, by: Actor, why: str, at: datetime, batch: UUID | None = None) -> AuditEntry:
        """It does not hold and does not come back; confidence is kept as it was, for a restore."""
        with transaction.atomic():
            self.lock_for("dismiss", LIVE)
            return self.revise("dismiss", {"status": Status.DISMISSED}, by=by, why=why, at=at, batch=batch)

    def restore(self, *, by: Actor, why: str = "", at: datetime, batch: UUID | None = None) -> AuditEntry:
        """A dismissed or contested memory waits for a decision again, with the confidence it had; clears the hold."""
        with transaction.atomic():
            self.lock_for("restore", (Status.DISMISSED, Status.CONTESTED))
            change = {"status": Status.CANDIDATE, "hold": Hold.NONE}
            return self.revise("restore", change, by=by, why=why, at=at, batch=batch)

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """The inverse of one decision, if the memory still has the version that it left. Undo of undo is redo."""
        with transaction.atomic():
            self.lock_for("undo", Status.values)
            if self.version != entry.subject_version:
                raise Conflict(f"cannot undo: it was changed since and is {self.status} now{self._last_decision()}")
            action = "redo" if entry.undoes else "undo"
            return self.revise(action, dict(entry.before), by=by, why="", at=at, batch=batch, undoes=entry.pk)

    def note(self, action: str, *, by: Actor, at: datetime, why: str = "", batch: UUID | None = None) -> AuditEntry:
        """Something that belongs to this memory was decided beside it (a skill's version): its version moves too."""
        with transaction.atomic():
            self.lock_for(action, Status.values)
            return self.revise(action, {}, by=by, why=why, at=at, batch=batch)

    def raise_sensitivity(self, before: int, *, by: Actor, at: datetime) -> None:
        """Something more secret became part of it: the row rises to the sensitivity that this instance carries."""
        change = {"sensitivity": self.sensitivity}
        self._rows().filter(pk=self.pk).update(**change, version=F("version") + 1, updated_at=at)
        self.refresh_from_db(fields=["version", "updated_at"])
        self.audit("revise", by=by, at=at, before={"sensitivity": before}, after=change).save(force_insert=True)

    def lock_for(self, verb: str, allowed: Collection[str]) -> None:
        """Locks the row for this transaction and reads it afresh; Conflict unless its status allows the verb."""
        try:
            self.refresh_from_db(from_queryset=self._rows().select_for_update())
        except type(self).DoesNotExist:
            raise Conflict(f"cannot {verb}: this memory has been forgotten meanwhile") from None
        if self.status not in allowed:
            raise Conflict(f"cannot {verb} a memory that is {self.status}{self._last_decision()}")

    def _last_decision(self) -> str:
        last = AuditEntry.objects.about("memory", self.pk).exclude(action="create").last()
        return f" ({last.action} by {last.actor})" if last else ""

    def revise(
        self, action: str, change: dict[str, Any], *, by: Actor, why: str, at: datetime, **facts: Any
    ) -> AuditEntry:
        """Writes `change` and its audit row, in the caller's transaction and under its lock (`lock_for`)."""
        before = {name: getattr(self, name) for name in change}
        try:
            with transaction.atomic():
                self._rows().filter(pk=self.pk).update(**change, version=F("version") + 1, updated_at=at)
        except IntegrityError:  # of its key or thread only one memory is live, and meanwhile that is another
            place = f"the key {self.key!r}" if self.key else "its thread"
            raise Conflict(f"cannot {action}: another live memory holds {place} meanwhile") from None
        self.refresh_from_db(fields=[*change, "version", "updated_at"])
        entry = self.audit(action, by=by, at=at, why=why, before=before, after=change, **facts)
        entry.save(force_insert=True)
        return entry

    @classmethod
    def _rows(cls) -> models.QuerySet[Self]:
        return cls._default_manager.all()
