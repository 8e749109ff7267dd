"""Tombstones: what was dismissed, forgotten or expired, so that it does not come back unseen."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q

from memories import claims, rows
from memories.choices import LIVE, Category
from memories.claims import Claim, Likeness
from memories.exceptions import Conflict
from memories.models.audit import AuditEntry
from memories.models.trusted import Trusted, new_id
from memories.trust import SHARED_SCOPES, Actor

if TYPE_CHECKING:
    from memories.models.reviewable import Reviewable

TOMBSTONE = "tombstone"
Meeting = tuple["Tombstone | None", "Tombstone | None"]


def seal(text: str) -> Claim:
    """The claim of a text as it stands in a tombstone: comparable, and no word of it readable."""
    return claims.sealed(claims.claim_of(text), settings.SECRET_KEY.encode())


class TombstoneQuerySet(Trusted["Tombstone"]):
    def standing(self) -> Self:
        return self.filter(lifted_at=None)

    def lifted(self) -> Self:
        """What somebody meant to let come back; not what was only dismissed by mistake, and undone."""
        undone = {"subject_kind": "memory", "subject_id": OuterRef("memory_id"), "at": OuterRef("lifted_at")}
        return self.exclude(lifted_at=None).exclude(Exists(AuditEntry.objects.filter(action="undo", **undone)))

    def for_scope(self, scope: str) -> Self:
        """What holds in this scope: its own, and what is dismissed everywhere."""
        return self.filter(scope__in={scope, *SHARED_SCOPES})

    def blocking(self, scope: str) -> Self:
        """What an automatic write into this scope must not bring back."""
        return self.standing().for_scope(scope).filter(blocks=True)

    def met_by(
        self, content: str, *, scope: str, key: str | None, category: str | None, any_category: bool = False
    ) -> "tuple[Tombstone | None, Tombstone | None]":
        """(what suppresses this statement, what it merely resembles), each None when there is none.

        The same claim suppresses under the same key or in the same category (`any_category`: whatever it was filed
        under); a similar or a changed one only resembles.
        """
        claim = seal(content)
        filed = Q(category__isnull=False) if any_category else Q(category=category)
        near = Q(claim_tokens__overlap=claims.kin(claim)) & filed
        if key is not None:
            near |= Q(key=key)
        resembled: Tombstone | None = None
        for tombstone in self.blocking(scope).filter(near).order_by("-at"):
            likeness = claims.compare(tombstone.claim, claim)
            if likeness == Likeness.SAME:
                return tombstone, None
            same_key = key is not None and tombstone.key == key
            if likeness != Likeness.OTHER or same_key:
                resembled = resembled or tombstone
        return None, resembled

    def hit(self, *, at: datetime) -> int:
        return self.update(hits=F("hits") + 1, last_hit_at=at)

    def lift(self, *, by: Actor, at: datetime) -> int:
        return self.standing().update(lifted_at=at, lifted_by=by.name[:200])

    def bury(self, memory: "Reviewable", *, by: Actor, why: str, at: datetime, blocks: bool = True) -> "Tombstone":
        """`blocks` false leaves a watermark only."""
        stone = self.model.over(memory, by=by, why=why, at=at, blocks=blocks)
        stone.save(force_insert=True)
        return stone

    def mark(self, memories: "Iterable[Reviewable]", *, by: Actor, at: datetime) -> None:
        """Watermarks where these have stood."""
        rows.insert([self.model.over(memory, by=by, why="", at=at, blocks=False) for memory in memories])

    def raise_again(self, memory: "Reviewable") -> bool:
        """The dismissal of a memory is redone: its last tombstone holds again, with the hits that it counted."""
        latest = self.filter(memory_id=memory.pk).order_by("-at", "-pk").first()
        return bool(latest and self.filter(pk=latest.pk).update(lifted_at=None, lifted_by=""))


class Tombstone(models.Model):
    """`blocks` false is a watermark only: what expired, or what an agent deleted itself, may be stored again.

    The claim is kept as HMACs under the secret key: sets of them compare as well as words, and none can be read.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    scope = models.CharField(max_length=128, blank=True)
    key = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null = the memory had none
    memory_id = models.UUIDField(null=True)  # no foreign key: it outlives the memory
    category = models.CharField(max_length=16, choices=Category, null=True)  # noqa: DJ001
    claim_tokens = ArrayField(models.TextField(), default=list)
    claim_hard = ArrayField(models.TextField(), default=list)
    sensitivity = models.SmallIntegerField()
    reason = models.TextField(blank=True)
    by = models.CharField(max_length=200)
    at = models.DateTimeField()
    blocks = models.BooleanField(default=True)
    hits = models.IntegerField(default=0)
    last_hit_at = models.DateTimeField(null=True)
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.CharField(max_length=200, blank=True)

    objects = TombstoneQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["scope", "key"], condition=Q(lifted_at=None), name="tombstone_by_key"),
            models.Index(fields=["memory_id"], name="tombstone_by_memory"),
            models.Index(fields=["-at", "-id"], name="tombstone_newest"),
            GinIndex(fields=["claim_tokens"], condition=Q(lifted_at=None, blocks=True), name="tombstone_by_claim"),
        ]

    def __str__(self) -> str:
        return f"tombstone of {self.key or self.memory_id}"

    @classmethod
    def over(cls, memory: "Reviewable", *, by: Actor, why: str, at: datetime, blocks: bool) -> "Tombstone":
        """Not yet saved."""
        known_again = blocks and memory.is_claim
        claim = seal(memory.content) if known_again else Claim(frozenset(), frozenset())
        return cls(
            scope=memory.scope,
            key=memory.known_as,
            memory_id=memory.pk,
            category=getattr(memory, "category", None),
            claim_tokens=sorted(claim.tokens),
            claim_hard=sorted(claim.hard),
            sensitivity=memory.sensitivity,
            reason=why[:2000],
            by=by.name[:200],
            at=at,
            blocks=blocks,
        )

    @property
    def claim(self) -> Claim:
        return Claim(frozenset(self.claim_tokens), frozenset(self.claim_hard))

    def lift(self, *, by: Actor, at: datetime, why: str = "", batch: UUID | None = None) -> AuditEntry:
        """What it blocked may come back. A dismissed memory stays dismissed. Conflict: it was lifted before."""
        with transaction.atomic():
            if not Tombstone.objects.filter(pk=self.pk).lift(by=by, at=at):
                self.refresh_from_db()
                raise Conflict(f"cannot lift: {self.lifted_by} has lifted it before")
            self.refresh_from_db()
            return self._audit("lift", {"lifted_at": None}, by=by, at=at, why=why, batch=batch)

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """A lift is undone (it holds again), or that is redone. Conflict: it is no longer as it was left."""
        was, becomes = (models.DateTimeField().to_python(side["lifted_at"]) for side in (entry.after, entry.before))
        with transaction.atomic():
            if becomes is None and self._lives():
                raise Conflict("cannot undo: what it is about is believed again")
            lifted = {"lifted_at": becomes and at, "lifted_by": by.name[:200] if becomes else ""}
            if not Tombstone.objects.filter(pk=self.pk, lifted_at=was).update(**lifted):
                raise Conflict("cannot undo: it was lifted or holds again meanwhile")
            self.refresh_from_db()
            action = "redo" if entry.action == "undo" else "undo"
            return self._audit(action, entry.after, by=by, at=at, batch=batch, undoes=entry.pk)

    def _lives(self) -> bool:
        from memories.models.memory import Memory  # which buries: a cycle

        return bool(self.memory_id and Memory.objects.filter(pk=self.memory_id, status__in=LIVE).exists())

    def _audit(self, action: str, before: dict[str, Any], *, by: Actor, at: datetime, **facts: Any) -> AuditEntry:
        """No word of what it is about: the row outlives what is forgotten."""
        about: dict[str, Any] = {"kind": TOMBSTONE, "subject": self.pk, "label": f"tombstone of {self.memory_id}"}
        place: dict[str, Any] = {"scope": self.scope, "sensitivity": self.sensitivity}
        after = {"lifted_at": self.lifted_at}
        entry = AuditEntry.draft(action=action, by=by, at=at, before=before, after=after, **about, **place, **facts)
        entry.save(force_insert=True)
        return entry
