"""Proposals: changes that their author may not make alone. Any part opens one, only review decides it."""

import hashlib
import json
from collections.abc import Collection
from datetime import datetime
from typing import Any, Self, Unpack
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from memories import claims
from memories.claims import Likeness
from memories.models import audit
from memories.models.audit import AuditEntry
from memories.models.memory import Memory
from memories.models.trusted import Snoozed, new_id
from memories.values.choices import LIVE, ActorKind
from memories.values.exceptions import Conflict
from memories.values.trust import Actor

PROPOSAL = "proposal"
SNOOZED = "snoozed_until"
STILL_OPEN = "open"
REJECTED = "a person has rejected this change before: nothing was changed"
CONTRADICTED = "not counted: another claim that you proposed in its place waits for a person"
MOST_COMPARED = 200  # most rejected proposals of a memory to compare with


class Rejected(Conflict):
    """The same change was proposed before, and a person rejected it. 409 at the API."""

    code = "rejected"

    def __init__(self) -> None:
        super().__init__(REJECTED)


class ProposalQuerySet(Snoozed["Proposal"]):
    def open(self) -> Self:
        return self.filter(decision=None)

    def decided(self, decisions: Collection[str]) -> Self:
        """Proposals with one of these decisions; `open` stands for none yet."""
        names = [decision for decision in decisions if decision != STILL_OPEN]
        return self.filter(Q(decision__in=names) | (Q(decision=None) if STILL_OPEN in decisions else Q()))

    def naming(self, *memory_ids: UUID) -> Self:
        """Proposals that would change, merge or cite one of these memories, or rest on it."""
        ids = [str(memory_id) for memory_id in memory_ids]
        cites = Q(change__ref__in=ids) | Q(change__memory__episode_id__in=ids)
        return self.filter(Q(memory__in=memory_ids) | Q(others__overlap=list(memory_ids)) | cites)

    def among(self, memory_ids: Collection[UUID]) -> Self:
        """Proposals about one of these memories, as the first or beside it."""
        return self.filter(Q(memory__in=memory_ids) | Q(others__overlap=list(memory_ids)))

    def contradict(self, memory: Memory, *, by: Actor) -> bool:
        """Whether this actor has proposed another claim in place of a memory, about which no person has decided yet."""
        rows = self.open().filter(kind=Proposal.Kind.REVISION, memory=memory, made_by=by.name)
        return any(_likeness(row.content, memory.content) == Likeness.CHANGED for row in rows if row.content)

    def raise_to(self, sensitivity: int) -> list[UUID]:
        """Raise the sensitivity of those that are lower; returns their ids."""
        lower_rows = self.filter(sensitivity__lt=sensitivity)
        ids = list(lower_rows.values_list("pk", flat=True))
        lower_rows.update(sensitivity=sensitivity)
        return ids

    def withdraw(self, *, by: Actor, at: datetime) -> None:
        """Withdraw open proposals, because the memory that they would change is closed."""
        columns = {"decision": Proposal.Decision.WITHDRAWN, "decided_at": at, "decided_by": by.name[:200]}
        self.open().update(**columns)

    def follow_closing(self, memory_ids: Collection[UUID], *, by: Actor, at: datetime) -> None:
        """Withdraw the proposals about memories that are closed, and let pruning check the episodes behind them."""
        self.among(memory_ids).withdraw(by=by, at=at)
        Memory.objects.released(memory_ids)

    def return_from(self, at: datetime) -> None:
        """Reopen proposals withdrawn at that instant, except where the same change was proposed since."""
        for proposal in self.filter(decision=Proposal.Decision.WITHDRAWN, decided_at=at):
            open_equals = Proposal.objects.open().filter(
                kind=proposal.kind, memory=proposal.memory_id, fingerprint=proposal.fingerprint
            )
            if not open_equals.exists():
                Proposal.objects.filter(pk=proposal.pk).update(**OPEN)

    def propose(
        self, kind: str, memory: Memory, change: dict[str, Any], *, by: Actor, why: str, at: datetime, sensitivity: int
    ) -> "Proposal":
        """Create the open proposal of this change, or return the one that exists.

        Returns the rejected one (`is_rejected`) where a person rejected this change before, in whatever words: nothing
        is asked twice. Undoing the rejection reopens it. What an agent proposed for this memory before is withdrawn.
        """
        if rejected_proposal := self._find_rejected(kind, memory, change):
            return rejected_proposal
        fingerprint = hashlib.sha256(json.dumps(change, sort_keys=True, default=str).encode()).digest()
        defaults = {
            "change": change,
            "why": why,
            "made_by": by.name,
            "scope": memory.scope,
            "sensitivity": max(memory.sensitivity, sensitivity),
            "opened_at": at,
        }
        proposal, _ = self.open().get_or_create(kind=kind, memory=memory, fingerprint=fingerprint, defaults=defaults)
        if by.kind == ActorKind.AGENT and kind == Proposal.Kind.REVISION:
            former = self.filter(kind=kind, memory=memory, made_by=by.name).exclude(pk=proposal.pk)
            former.withdraw(by=by, at=at)
        return proposal

    def _find_rejected(self, kind: str, memory: Memory, change: dict[str, Any]) -> "Proposal | None":
        """The rejected proposal of the same change; None for an empty edit, which asks for a review each time."""
        if change == {"verb": "edit"}:
            return None
        rows = self.filter(kind=kind, memory=memory, decision=Proposal.Decision.REJECTED).order_by("-decided_at")
        return next((row for row in rows[:MOST_COMPARED] if _asks_the_same(row.change, change)), None)


def _asks_the_same(change: dict[str, Any], other_change: dict[str, Any]) -> bool:
    if any(change.get(name) != other_change.get(name) for name in ("verb", "ids")):
        return False
    content, other_content = _content(change), _content(other_change)
    if not content or not other_content:
        return change == other_change
    return _likeness(content, other_content) == Likeness.SAME


def _likeness(text: str, other_text: str) -> Likeness:
    return claims.compare(claims.claim_of(text), claims.claim_of(other_text), same_subject=True)


def _content(change: dict[str, Any]) -> str:
    """The text that a change would write."""
    memory = change.get("memory")
    content = memory.get("content") if isinstance(memory, dict) else change.get("content")
    return content if isinstance(content, str) else ""


OPEN: dict[str, Any] = {"decision": None, "decided_at": None, "decided_by": ""}


class Proposal(models.Model):
    """A change that waits for a person. `change`: the values to write when accepted; `decision` is null while open."""

    class Kind(models.TextChoices):
        REVISION = "revision", _("Revision")
        MERGE = "merge", _("Merge")
        CONFLICT = "conflict", _("Conflict")
        FAILING = "failing", _("Failing")

    class Decision(models.TextChoices):
        ACCEPTED = "accepted", _("Accepted")
        REJECTED = "rejected", _("Rejected")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=16, choices=Kind)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="proposals")
    resembles = models.UUIDField(null=True)  # a tombstone of a similar claim
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

    @property
    def subjects(self) -> list[UUID]:
        """The memories that it is about: the one that it would change, and those beside it."""
        return [self.memory_id, *self.others]

    @property
    def content(self) -> str:
        """The text that it would write; '' where it writes none."""
        return _content(self.change)

    @property
    def is_rejected(self) -> bool:
        return self.decision == self.Decision.REJECTED

    def decide(self, decision: str, **facts: Unpack[audit.AuditFacts]) -> AuditEntry:
        """Record acceptance or rejection; does not write the change. Conflict: decided before, with by whom."""
        action = "accept" if decision == self.Decision.ACCEPTED else "reject"
        return self._move(None, decision, action, **facts)

    def snooze(self, until: datetime | None, **facts: Unpack[audit.AuditFacts]) -> AuditEntry:
        """Hide from the inbox until then; None ends a snooze. Conflict: it is decided."""
        return self._sleep(self.snoozed_until, until, "snooze", **facts)

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """Undo a decision or a snooze, or redo it. Conflict: the proposal has changed since."""
        action = "redo" if entry.action == "undo" else "undo"
        if SNOOZED in entry.after:
            former, value = (models.DateTimeField().to_python(side[SNOOZED]) for side in (entry.after, entry.before))
            return self._sleep(former, value, action, by=by, at=at, batch=batch, undoes=entry.pk)
        former, value = entry.after["decision"], entry.before["decision"]
        self.memory.refresh_from_db(fields=["status"])
        if value is None and self.memory.status not in LIVE:
            raise Conflict(f"cannot {action}: what it would change is {self.memory.status}")
        return self._move(former, value, action, by=by, at=at, batch=batch, undoes=entry.pk)

    def _move(
        self, old_decision: str | None, new_decision: str | None, action: str, **facts: Unpack[audit.RevertFacts]
    ) -> AuditEntry:
        decision_columns = {"decision": new_decision, "decided_at": facts["at"], "decided_by": facts["by"].name[:200]}
        columns = decision_columns if new_decision else OPEN
        with transaction.atomic():
            try:
                with transaction.atomic():
                    updated_rows = Proposal.objects.filter(pk=self.pk, decision=old_decision).update(**columns)
            except IntegrityError:
                raise Conflict(f"cannot {action}: the same change is proposed again meanwhile") from None
            self.refresh_from_db(fields=[*OPEN])
            if not updated_rows:
                state = f"{self.decision} by {self.decided_by}" if self.decision else "open"
                raise Conflict(f"cannot {action} a proposal that is {state}")
            return self._audit(action, "decision", old_decision, self.decision, **facts)

    def _sleep(
        self, old_until: datetime | None, until: datetime | None, action: str, **facts: Unpack[audit.RevertFacts]
    ) -> AuditEntry:
        with transaction.atomic():
            updated_rows = (
                Proposal.objects.open().filter(pk=self.pk, snoozed_until=old_until).update(snoozed_until=until)
            )
            self.refresh_from_db(fields=[*OPEN, SNOOZED])
            if not updated_rows:
                state = f"{self.decision} by {self.decided_by}" if self.decision else "snoozed anew"
                raise Conflict(f"cannot {action} a proposal that is {state}")
            return self._audit(action, SNOOZED, old_until, until, **facts)

    def _audit(self, action: str, name: str, former: Any, value: Any, **facts: Unpack[audit.RevertFacts]) -> AuditEntry:
        """Write an audit row without any content of the change: the row outlives what is forgotten."""
        subject: dict[str, Any] = {"kind": PROPOSAL, "subject": self.pk, "label": str(self)}
        place: dict[str, Any] = {"scope": self.scope, "sensitivity": self.sensitivity}
        values: dict[str, Any] = {"before": {name: former}, "after": {name: value}}
        return AuditEntry.draft(action=action, **subject, **place, **values, **facts).written()
