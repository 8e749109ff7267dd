"""Decisions of people about one row: each verb is a compare-and-set together with its audit row."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any, Self, Unpack
from uuid import UUID

from django.db import IntegrityError, models, transaction
from django.db.models import F
from django.db.models.functions import Now

from memories.models import bulk_rows, claim_locks
from memories.models.audit import AuditEntry, AuditFacts, EntryFacts, RevertFacts, stands_as
from memories.values.choices import LIVE, Hold, Sensitivity, Status
from memories.values.exceptions import Conflict
from memories.values.trust import Actor

LEAST = {Status.CONFIRMED: 60, Status.APPLIED: 80}  # least confidence after a promotion by a person
PROMOTABLE = {
    Status.CONFIRMED: (Status.CANDIDATE, Status.CONTESTED),
    Status.APPLIED: (Status.CANDIDATE, Status.CONTESTED, Status.CONFIRMED),
}
OF_CLOSED_TOO = {"sensitivity", "deletion_policy"}  # columns that an edit may change in any status
DEMOTABLE = {
    Status.CANDIDATE: (Status.CONFIRMED, Status.APPLIED),
    Status.CONFIRMED: (Status.APPLIED,),
}


class Reviewable(models.Model):
    """The part of a memory that decisions change. `version` rises with every decision and edit, not with use or decay.

    What must stay consistent with status and content (adaptation, tombstone, passages) is updated by `follow`, in the
    same transaction, for every verb including undo.
    """

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

    locked_rows: Any = None  # the rows that a decision about many has locked (locked_rows.py), this one among them

    class Meta:
        abstract = True

    @property
    def known_as(self) -> str | None:
        """The name by which it would be recognised if it were stored again."""
        return self.key

    @property
    def is_claim(self) -> bool:
        """Whether it is knowledge that can hold or not, rather than experience."""
        return True

    def audit(self, action: str, **facts: Unpack[EntryFacts]) -> AuditEntry:
        """Draft an audit row about this memory."""
        return AuditEntry.draft(
            kind="memory",
            subject=self.pk,
            label=self.key or self.content,
            action=action,
            scope=self.scope,
            sensitivity=self.sensitivity,
            version=self.version,
            **facts,
        )

    def promote(self, *, to: Status = Status.CONFIRMED, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Promote by a person: confidence rises to at least LEAST, and no rule lowers it again."""
        with self._atomic():
            self.lock_for("promote", PROMOTABLE[to], new_status=to)
            person_columns = {"confidence": max(self.confidence, LEAST[to]), "hold": Hold.FLOOR}
            change = {"status": to, **person_columns, "snoozed_until": None}
            return self.revise("promote", change, **decision)

    def demote(self, *, to: Status = Status.CANDIDATE, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Demote by a person; no rule moves it afterwards."""
        with self._atomic():
            self.lock_for("demote", DEMOTABLE[to], new_status=to)
            return self.revise("demote", {"status": to, "hold": Hold.FIXED}, **decision)

    def dismiss(self, *, duplicate: bool = False, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Dismiss, so that the claim does not come back; confidence is kept for a restore.

        `duplicate`: the claim does hold, and another memory says it.
        """
        with self._atomic():
            self._lock_scope()
            self.lock_for("dismiss", LIVE, new_status=Status.DISMISSED)
            details = {"duplicate": True} if duplicate else None
            return self.revise("dismiss", {"status": Status.DISMISSED}, details=details, **decision)

    def restore(self, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Make a dismissed or contested memory a candidate again, with the confidence it had; clears the hold."""
        with self._atomic():
            self._lock_scope()
            self.lock_for("restore", (Status.DISMISSED, Status.CONTESTED), new_status=Status.CANDIDATE)
            return self.revise("restore", {"status": Status.CANDIDATE, "hold": Hold.NONE}, **decision)

    def snooze(self, until: datetime | None, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Hide from the inbox until then; None ends a snooze. Conflict: the snooze was changed since it was read."""
        former_snooze = self.snoozed_until
        with self._atomic():
            self.lock_for("snooze", LIVE)
            if self.snoozed_until != former_snooze:
                raise Conflict(f"cannot snooze a memory that is snoozed or woken anew{self._last_decision()}")
            return self.revise("snooze", {"snoozed_until": until}, **decision)

    def edit(
        self,
        change: dict[str, Any],
        *,
        by: Actor,
        at: datetime,
        why: str = "",
        batch: UUID | None = None,
        extra_columns: dict[str, Any] | None = None,
        **facts: Any,
    ) -> AuditEntry:
        """Change content, category, tags, sensitivity, expiry or deletion policy.

        `facts`: columns written along, such as a hold; `extra_columns`: those that are no part of the audit row. Of a
        closed memory only sensitivity and deletion policy may change.
        """
        with transaction.atomic():
            self.lock_for("edit", Status.values if change.keys() <= OF_CLOSED_TOO else LIVE)
            return self.revise(
                "revise", {**change, **facts}, by=by, why=why, at=at, batch=batch, extra_columns=extra_columns
            )

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """Undo one decision, if the memory is still as the decision left it. Undo of undo is redo."""
        with self._atomic():
            self._lock_scope()
            self.lock_for("undo", Status.values)
            trail = self.trail()
            if any(other.undoes == entry.pk for other in trail):
                raise Conflict("cannot undo: it was undone before; to redo it, undo that undo")
            action = "redo" if entry.action == "undo" else "undo"
            if not entry.subject_version:
                return self.tell(action, entry.after, by=by, at=at, batch=batch, undoes=entry.pk)
            if stands_as(trail, self.version) != stands_as(trail, entry.subject_version):
                raise Conflict(f"cannot undo: it was changed since and is {self.status} now{self._last_decision()}")
            return self.revise(action, self.former(entry), by=by, at=at, batch=batch, undoes=entry.pk)

    def note(self, action: str, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Record a decision about something that belongs to this memory (a skill's version); raises its version."""
        with transaction.atomic():
            self.lock_for(action, Status.values)
            return self.revise(action, {}, **decision)

    def tell(
        self, action: str, details: dict[str, Any], *, sensitivity: int = 0, **facts: Unpack[RevertFacts]
    ) -> AuditEntry:
        """Record an audit row that changes nothing of the memory, nor its version. `sensitivity`: of the recorded
        facts.
        """
        entry = self.audit(action, after=details, **facts)
        entry.subject_version, entry.sensitivity = 0, max(entry.sensitivity, sensitivity)
        entry.save(force_insert=True)
        self.follow(entry, {}, by=facts["by"], at=facts["at"])
        return entry

    def raise_sensitivity(self, before: int, *, by: Actor, at: datetime) -> None:
        """Raise the row to the sensitivity of this instance, because something more sensitive became part of it.

        A row that was raised higher meanwhile stays.
        """
        change = {"sensitivity": self.sensitivity}
        below = self._rows().filter(pk=self.pk, sensitivity__lt=self.sensitivity)
        updated_rows = below.update(**change, version=F("version") + 1, updated_at=at)
        self.refresh_from_db(fields=["sensitivity", "version", "updated_at"])
        if not updated_rows:
            return
        entry = self.audit("revise", by=by, at=at, before={"sensitivity": before}, after=change).written()
        self.follow(entry, {"sensitivity": before}, by=by, at=at)

    def lock_for(self, verb: str, statuses: Collection[str], *, new_status: str = "") -> None:
        """Lock the row for this transaction and reload it; Conflict unless its status allows the verb.

        `new_status`: the status that the verb gives; the conflict names it too.
        """
        if not self.locked_rows:
            self._lock_row(verb)
        if self.status not in statuses:
            reason = f": it does not become {new_status}" if new_status not in ("", self.status) else ""
            raise Conflict(f"cannot {verb} a memory that is {self.status}{self._last_decision()}{reason}")

    def _atomic(self) -> Any:
        """The transaction of a verb; none where its changes wait, so that a refusal has nothing to take back."""
        return nullcontext() if self.locked_rows and self.locked_rows.defers(self) else transaction.atomic()

    def _lock_row(self, verb: str) -> None:
        try:
            self.refresh_from_db(from_queryset=self._rows().select_for_update())
        except type(self).DoesNotExist:
            raise Conflict(f"cannot {verb}: this memory has been forgotten meanwhile") from None

    def _lock_scope(self) -> None:
        if not self.locked_rows:
            claim_locks.to_decide(self.scope)

    def trail(self) -> "Sequence[AuditEntry]":
        """The audit entries about it, oldest first."""
        if self.locked_rows and self.locked_rows.trails is not None:
            entries: list[AuditEntry] = self.locked_rows.trails[self.pk]
            return entries
        return list(AuditEntry.objects.about("memory", self.pk))

    def _last_decision(self) -> str:
        latest = self.locked_rows and self.locked_rows.latest.get(self.pk)
        last = latest or AuditEntry.objects.about("memory", self.pk).exclude(action="create").last()
        return f" ({last.action} by {last.actor})" if last else ""

    def revise(
        self,
        action: str,
        change: dict[str, Any],
        *,
        details: dict[str, Any] | None = None,
        extra_columns: dict[str, Any] | None = None,
        undoes: UUID | None = None,
        **decision: Unpack[AuditFacts],
    ) -> AuditEntry:
        """Write `change` and its audit row, in the caller's transaction and under its lock (`lock_for`).

        `details`: facts of the audit row besides the changed columns. `extra_columns`: columns that follow from the
        change and are no part of the audit row, where the caller knows them.
        """
        by, at, before = decision["by"], decision["at"], {name: getattr(self, name) for name in change}
        new_values = {**change, **(extra_columns or {})}
        columns = {**new_values, **self.along(action, new_values, by=by, at=at), "updated_at": at}
        fields: EntryFacts = {**decision, "before": before, "after": {**change, **(details or {})}, "undoes": undoes}
        try:
            with transaction.atomic(savepoint=False):  # a Conflict ends what the caller has begun
                entry = (
                    self._change_held(action, columns, fields)
                    if self.locked_rows
                    else self._change(action, columns, fields)
                )
        except IntegrityError:  # another memory with its key or thread is live now
            place = f"the key {self.key!r}" if self.key else "its thread"
            raise Conflict(f"cannot {action}: another live memory holds {place} meanwhile") from None
        self.follow(entry, before, by=by, at=at)
        return entry

    def _change(self, action: str, columns: dict[str, Any], facts: EntryFacts) -> AuditEntry:
        self._rows().filter(pk=self.pk).update(**columns, version=F("version") + 1)
        self.refresh_from_db(fields=[*columns, "version"])
        entry = self.audit(action, **facts)
        bulk_rows.insert([entry])
        return entry

    def _change_held(self, action: str, columns: dict[str, Any], facts: EntryFacts) -> AuditEntry:
        columns["version"] = self.version + 1
        self.__dict__.update(columns)
        entry = self.audit(action, **facts)
        self.locked_rows.change(self, columns, entry)
        return entry

    def along(self, action: str, change: dict[str, Any], *, by: Actor, at: datetime) -> dict[str, Any]:
        """Columns that change along with a change and are not part of the audit row."""
        return {}

    def follow(self, entry: AuditEntry, before: dict[str, Any], *, by: Actor, at: datetime) -> None:
        """Update what depends on the changed columns."""

    def former(self, entry: AuditEntry) -> dict[str, Any]:
        """The full values before a decision of the columns that it changed, for undo.

        Other columns may have changed since without a decision, as confidence does with each confirmation.
        Confidence that the decision changed keeps what was gained or lost since, unless that was about other words.
        """
        values = {name: value for name, value in entry.before.items() if value != entry.after.get(name, ...)}
        if "confidence" in values and "content" not in values:
            since = self.confidence - entry.after["confidence"]
            values["confidence"] = min(100, max(0, values["confidence"] + since))
        return values

    @classmethod
    def _rows(cls) -> models.QuerySet[Self]:
        return cls._default_manager.all()
