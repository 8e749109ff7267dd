"""The audit trail: append-only by a database trigger; entries outlive their subjects."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NotRequired, Self, TypedDict
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Case, Exists, OuterRef, Q, UUIDField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from memories.models import bulk_rows
from memories.models.trusted import Trusted, all_of, new_id
from memories.values import links
from memories.values.choices import ActorKind, Permission
from memories.values.field_errors import format_instant
from memories.values.trust import Actor, Trust
from memos_site.platform.correlation import request_id, run_id

LONGEST_TEXT = 2000
AGENT, PERSON = "agent", "person"  # subjects that are callers
SUBJECT = "subject"  # a name of any scope
REVISIONS = ("supersede", "fork", "merge", "contest", "retract")


def _stored_values(values: dict[str, Any]) -> dict[str, Any]:
    """Replace texts above LONGEST_TEXT by their length and hash, so that the trail shows a change but not its text."""
    return {name: _stored_value(value) for name, value in values.items()}


def _stored_value(value: Any) -> Any:
    """Format instants with microseconds: Django's encoder cuts them off, and undo compares stored values."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return {"sha256": hashlib.sha256(value.encode()).hexdigest(), "length": len(value)}
    return value


class AuditFacts(TypedDict):
    """Who decides, when, in words why, and in which batch: what is undone together."""

    by: Actor
    at: datetime
    why: NotRequired[str]
    batch: NotRequired[UUID | None]


class RevertFacts(AuditFacts):
    """Those of a decision that may be an undo: `undoes` is the entry that it takes back."""

    undoes: NotRequired[UUID | None]


class EntryFacts(RevertFacts):
    """What an audit row says beside its subject and action: the facts of a decision and the values that it changed."""

    before: NotRequired[dict[str, Any] | None]
    after: NotRequired[dict[str, Any] | None]


class AuditQuerySet(Trusted["AuditEntry"]):
    def visible_to(self, trust: Trust) -> Self:
        """Entries that the caller may see.

        Those about agents and people only with `review`, and only if these have no scope that the caller lacks; those
        about names only who reads in all scopes. Of a
        memory that is withheld from an agent's scopes none, for they quote it.
        """
        rows, about_others = self._told_to(trust), ~Q(subject_kind__in=(AGENT, PERSON))
        if not trust.may(Permission.REVIEW):
            return rows.filter(about_others)
        if trust.scopes is None:
            return rows
        within = Q(after__scopes__contained_by=sorted(trust.scopes)) & ~Q(after__scopes=[])
        return rows.filter(about_others | within)

    def _told_to(self, trust: Trust) -> Self:
        rows = super().visible_to(trust)
        if trust.scopes is not None:
            rows = rows.exclude(subject_kind=SUBJECT)
        if trust.scopes is None or trust.actor.kind != ActorKind.AGENT:
            return rows
        withheld = all_of("Memory").exclude(withheld_from=[])
        withheld = withheld.filter(withheld_from__overlap=sorted(trust.scopes))
        return rows.exclude(subject_kind="memory", subject_id__in=withheld.values("pk"))

    def with_rationale(self, trust: Trust) -> Self:
        """Annotate `shown_rationale`: empty where the decision touched a row that the caller may not see.

        The rationale may quote such a row. Touched rows are the subjects of the batch, and the ends of the relation
        that it made.
        """
        ends = ("after__relation__source", "after__relation__target")
        source, target = (Cast(KT(end), UUIDField()) for end in ends)
        hidden = all_of("Memory").exclude(trust.visible())
        names_hidden = Exists(hidden.filter(Q(pk=OuterRef("_source")) | Q(pk=OuterRef("_target"))))
        batch_hidden = Exists(AuditEntry.objects.filter(batch_id=OuterRef("batch_id")).exclude(trust.visible()))
        return self.alias(_source=source, _target=target).annotate(
            shown_rationale=Case(
                When(names_hidden | batch_hidden, then=Value("")), default="rationale", output_field=models.TextField()
            )
        )

    def with_state(self, trust: Trust) -> Self:
        """Annotate `has_state`: whether the entry is about a memory that is there, and stood before it."""
        rows = all_of("Memory").filter(trust.visible())
        before = Exists(rows.filter(pk=OuterRef("subject_id"), created_at__lt=OuterRef("at")))
        return self.annotate(has_state=Case(When(subject_kind="memory", then=before), default=Value(False)))

    def with_others(self) -> Self:
        """Annotate `has_others`: whether memories that are not this entry's were decided about along with it."""
        batch = AuditEntry.objects.filter(batch_id=OuterRef("batch_id"), subject_kind="memory")
        return self.annotate(has_others=Exists(batch.exclude(subject_id=OuterRef("subject_id"))))

    def about(self, kind: str, subject_id: UUID) -> "AuditQuerySet":
        return self.filter(subject_kind=kind, subject_id=subject_id).order_by("at", "id")

    def applied_by_a_rule(self, memory_ids: Collection[UUID]) -> set[UUID]:
        """The memories among these whose last promotion to applied was made by a rule, not by a person."""
        promotions = self.filter(
            subject_kind="memory", subject_id__in=memory_ids, action="promote", after__status="applied"
        )
        last = promotions.order_by("subject_id", "-at", "-pk").distinct("subject_id")
        return {id for id, kind in last.values_list("subject_id", "actor_kind") if kind == ActorKind.SYSTEM}

    def raise_about(self, subjects: Collection[UUID], sensitivity: int) -> None:
        """Raise the sensitivity of entries about these memories and proposals; it is never lowered."""
        entries = self.filter(subject_id__in=subjects, subject_kind__in=("memory", "proposal"))
        entries.filter(sensitivity__lt=sensitivity).update(sensitivity=sensitivity)

    def of_batch(self, batch: UUID) -> "AuditQuerySet":
        return self.filter(batch_id=batch).order_by("id")


class AuditEntry(models.Model):
    """One action on one subject.

    `subject_version`: the subject's version after the action; 0: no column of a memory was changed. `run`: the id of
    the background run that did it, also after that run was removed; null for what a request did, and in entries that
    are older than the column.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    subject_kind = models.CharField(max_length=32)
    subject_id = models.UUIDField()
    label = models.CharField(max_length=200)
    action = models.CharField(max_length=32)
    actor = models.CharField(max_length=200)
    actor_kind = models.CharField(max_length=8, choices=ActorKind)
    at = models.DateTimeField()
    rationale = models.TextField(blank=True)
    before = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    after = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    subject_version = models.IntegerField(default=0)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    request_id = models.CharField(max_length=64, blank=True)
    batch_id = models.UUIDField(default=new_id)
    undoes = models.UUIDField(null=True)
    run = models.UUIDField(null=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["subject_kind", "subject_id", "at"], name="audit_by_subject"),
            models.Index(fields=["batch_id"], name="audit_by_batch"),
            models.Index(fields=["-at"], name="audit_newest"),
            models.Index(fields=["actor", "-at"], condition=Q(actor_kind=ActorKind.PERSON), name="audit_of_people"),
            models.Index(
                fields=["at"], condition=Q(action__in=REVISIONS, subject_kind="memory"), name="audit_of_revisions"
            ),
            models.Index(fields=["run", "-at", "-id"], condition=Q(run__isnull=False), name="audit_of_runs"),
        ]

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.label}"

    @property
    def found_at(self) -> datetime:
        """The last instant before the decision, as of which its subject stands as it was found."""
        return self.at - timedelta(microseconds=1)

    @property
    def state_address(self) -> str | None:
        """The address of the memory as the decision found it; of rows from `with_state`."""
        has_state = getattr(self, "has_state")  # noqa: B009 - an annotation
        return links.memory_as_of(self.subject_id, format_instant(self.found_at)) if has_state else None

    @classmethod
    def draft(  # noqa: PLR0913 - an audit row has that many facts
        cls,
        *,
        kind: str,
        subject: UUID,
        label: str,
        action: str,
        by: Actor,
        at: datetime,
        scope: str,
        sensitivity: int,
        why: str = "",
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
        version: int = 0,
        batch: UUID | None = None,
        undoes: UUID | None = None,
    ) -> "AuditEntry":
        """Create an unsaved entry, so that many can be written in one statement."""
        facts = {
            "subject_kind": kind,
            "subject_id": subject,
            "label": label[:200],
            "action": action,
            "actor": by.name[:200],
            "actor_kind": by.kind,
            "at": at,
            "rationale": why,
            "before": _stored_values(before or {}),
            "after": _stored_values(after or {}),
            "subject_version": version,
            "scope": scope,
            "sensitivity": sensitivity,
            "request_id": request_id.get(),
            "run": run_id.get(),
            "batch_id": batch or new_id(),
            "undoes": undoes,
        }
        return bulk_rows.new(cls, facts)

    def written(self) -> Self:
        """This entry, stored as a new row."""
        self.save(force_insert=True)
        return self


def stands_as(trail: "Sequence[AuditEntry]", version: int) -> int:
    """The oldest version of a memory with the same state as this one, following the undos in its trail back.

    So decisions can be undone one after the other, each finding the row as the decision had left it.
    """
    versions = {entry.pk: entry.subject_version for entry in trail}
    undoes: dict[int, UUID | None] = {}
    for entry in trail:
        undoes.setdefault(entry.subject_version, entry.undoes)
    while (undone := undoes.get(version)) is not None and undone in versions:
        version = versions[undone] - 1
    return version
