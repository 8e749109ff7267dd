"""Tombstones: digests of dismissed, forgotten or expired claims, by which these are recognised when they come again."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q

from memories import claims
from memories.claims import Claim, Likeness
from memories.models import bulk_rows
from memories.models.audit import AuditEntry
from memories.models.digest_key import ITSELF, DigestKey, secrets_of
from memories.models.trusted import Trusted, new_id
from memories.values.choices import LIVE, Category
from memories.values.exceptions import Conflict
from memories.values.trust import SHARED_SCOPES, Actor

if TYPE_CHECKING:
    from memories.models.reviewable import Reviewable

TOMBSTONE = "tombstone"
Way = tuple[int, str]  # a way of sealing: normalisation, mark of the key


def seal(text: str) -> Claim:
    """The claim of a text as stored in a tombstone: comparable, not readable."""
    return claims.sealed(claims.claim_of(text), DigestKey.current())


def seals(text: str, former: Iterable[Way]) -> dict[Way, list[Claim]]:
    """The text sealed in the current way and in former ways.

    Under a former normalisation it is also compared as it is parsed today: the dismissed text was plain, a disguised
    copy of it need not be.
    """
    own = DigestKey.current()
    found = {CURRENT: [claims.sealed(claims.claim_of(text), own)]}
    former = list(former)
    keys = {ITSELF: [own], **secrets_of(mark for _, mark in former)}
    for normalisation, mark in former:
        read = {claims.claim_of(text, normalisation), claims.claim_of(text)}
        found[normalisation, mark] = [claims.sealed(claim, key) for claim in read for key in keys[mark]]
    return found


CURRENT: Way = (claims.NORMALISATION, ITSELF)


class TombstoneQuerySet(Trusted["Tombstone"]):
    def standing(self) -> Self:
        return self.filter(lifted_at=None)

    def lifted(self) -> Self:
        """Tombstones that a person lifted on purpose, without dismissals that were undone as mistakes."""
        undone = {"subject_kind": "memory", "subject_id": OuterRef("memory_id"), "at": OuterRef("lifted_at")}
        return self.exclude(lifted_at=None).exclude(Exists(AuditEntry.objects.filter(action="undo", **undone)))

    def for_scope(self, scope: str) -> Self:
        """Tombstones that apply in this scope: its own and the shared ones."""
        return self.filter(scope__in={scope, *SHARED_SCOPES})

    def blocking(self, scope: str) -> Self:
        """Tombstones that block automatic writes into this scope."""
        return self.standing().for_scope(scope).filter(blocks=True)

    def met_by(
        self, content: str, *, scope: str, key: str | None, exact: bool = False
    ) -> "tuple[Tombstone | None, Tombstone | None]":
        """Return (the tombstone that suppresses this statement, the newest one that it resembles), each or None.

        The same claim is suppressed, whatever its key and category; a similar or changed one only resembles. `exact`:
        for rules, whose statements differ in one word: under another key only the identical claim is suppressed.
        """
        stones = self.blocking(scope)
        former = stones.filter(normalisation__lt=claims.NORMALISATION).order_by()
        sealed = seals(content, former.values_list("normalisation", "sealed_with").distinct())
        near = Q(claim_tokens__overlap=[token for ways in sealed.values() for way in ways for token in claims.kin(way)])
        if key is not None:
            near |= Q(key=key)
        resembled: Tombstone | None = None
        duplicate: Tombstone | None = None
        for tombstone in stones.filter(near).order_by("-at", "-pk"):
            same_key = key is not None and tombstone.key == key
            likeness = tombstone.likeness_to(sealed.get(tombstone.way, ()), exact=exact and not same_key)
            if likeness == Likeness.SAME and not tombstone.duplicate:
                return tombstone, None
            if likeness == Likeness.SAME:
                duplicate = duplicate or tombstone
            elif likeness != Likeness.OTHER or same_key:
                resembled = resembled or tombstone
        return duplicate, None if duplicate else resembled

    def hit(self, *, at: datetime) -> int:
        return self.update(hits=F("hits") + 1, last_hit_at=at)

    def lift(self, *, by: Actor, at: datetime) -> int:
        return self.standing().update(lifted_at=at, lifted_by=by.name[:200])

    def bury(
        self, memory: "Reviewable", *, by: Actor, why: str, at: datetime, blocks: bool = True, duplicate: bool = False
    ) -> "Tombstone":
        """Write the tombstone of a memory. `blocks` false makes a watermark only."""
        stone = self.model.over(memory, by=by, why=why, at=at, blocks=blocks)
        stone.duplicate = duplicate
        stone.save(force_insert=True)
        return stone

    def mark(self, memories: "Iterable[Reviewable]", *, by: Actor, at: datetime) -> None:
        """Write watermarks for these memories."""
        bulk_rows.insert([self.model.over(memory, by=by, why="", at=at, blocks=False) for memory in memories])

    def raise_again(self, memory: "Reviewable") -> bool:
        """Reactivate the last tombstone of a memory whose dismissal is redone, with the hits that it counted."""
        latest = self.filter(memory_id=memory.pk).order_by("-at", "-pk").first()
        return bool(latest and self.filter(pk=latest.pk).update(lifted_at=None, lifted_by=""))


class Tombstone(models.Model):
    """The digest of a claim that must not come back. `blocks` false: a watermark of an expired or agent-deleted claim.

    The claim is kept as HMACs: sets of them compare as well as words, and none can be read. Their key is the database's
    own (`sealed_with` blank), so that no change of settings ends a dismissal. Older tombstones whose text is gone
    cannot be sealed again; for these `sealed_with` is the mark of the SECRET_KEY of then. `duplicate`: dismissed as the
    double of another memory, which stays.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    scope = models.CharField(max_length=128, blank=True)
    key = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null = the memory had none
    memory_id = models.UUIDField(null=True)  # no foreign key: it outlives the memory
    category = models.CharField(max_length=16, choices=Category, null=True)  # noqa: DJ001
    claim_tokens = ArrayField(models.TextField(), default=list)
    claim_hard = ArrayField(models.TextField(), default=list)
    normalisation = models.SmallIntegerField(default=claims.NORMALISATION)
    sealed_with = models.CharField(max_length=16, blank=True, default=ITSELF)
    sensitivity = models.SmallIntegerField()
    duplicate = models.BooleanField(default=False)
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
            models.Index(fields=["-at", "-id"], condition=Q(lifted_at=None, blocks=True), name="tombstone_standing"),
            models.Index(fields=["-hits", "-id"], condition=Q(lifted_at=None, blocks=True), name="tombstone_most_hit"),
            models.Index(
                fields=["-lifted_at", "-id"], condition=Q(lifted_at__isnull=False, blocks=True), name="tombstone_lifted"
            ),
            models.Index(
                fields=["normalisation", "sealed_with"],
                condition=Q(lifted_at=None, blocks=True),
                name="tombstone_by_way_of_sealing",
            ),
            GinIndex(fields=["claim_tokens"], condition=Q(lifted_at=None, blocks=True), name="tombstone_by_claim"),
        ]

    def __str__(self) -> str:
        return f"tombstone of {self.key or self.memory_id}"

    @classmethod
    def over(cls, memory: "Reviewable", *, by: Actor, why: str, at: datetime, blocks: bool) -> "Tombstone":
        """Create an unsaved tombstone of a memory."""
        known_again = blocks and memory.is_claim
        tokens, hard = claims.as_lists(seal(memory.content)) if known_again else ([], [])
        facts = {
            "scope": memory.scope,
            "key": memory.known_as,
            "memory_id": memory.pk,
            "category": getattr(memory, "category", None),
            "claim_tokens": tokens,
            "claim_hard": hard,
            "sensitivity": memory.sensitivity,
            "reason": why[:2000],
            "by": by.name[:200],
            "at": at,
            "blocks": blocks,
        }
        return bulk_rows.new(cls, facts)

    @property
    def way(self) -> Way:
        return self.normalisation, self.sealed_with

    @property
    def claim(self) -> Claim:
        return claims.from_lists(self.claim_tokens, self.claim_hard)

    def likeness_to(self, sealed: Collection[Claim], *, exact: bool) -> Likeness:
        """Likeness to a text sealed in one of these ways; OTHER when the key is unknown.

        `exact`: the same claim in other words counts as a rewording.
        """
        found = Likeness.OTHER
        for claim in sealed:
            likeness = claims.compare(self.claim, claim)
            if likeness == Likeness.SAME and exact and claim != self.claim:
                likeness = Likeness.REWORDING
            found = likeness if found == Likeness.OTHER else found
        return found

    def lift(self, *, by: Actor, at: datetime, why: str = "", batch: UUID | None = None) -> AuditEntry:
        """Let the claim come back. A dismissed memory stays dismissed. Conflict: it was lifted before."""
        with transaction.atomic():
            if not Tombstone.objects.filter(pk=self.pk).lift(by=by, at=at):
                self.refresh_from_db()
                raise Conflict(f"cannot lift: {self.lifted_by} has lifted it before")
            self.refresh_from_db()
            return self._audit("lift", {"lifted_at": None}, by=by, at=at, why=why, batch=batch)

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """Undo or redo a lift. Conflict: the tombstone has changed since."""
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
        from memories.models.memory import Memory  # imported here: a cycle

        return bool(self.memory_id and Memory.objects.filter(pk=self.memory_id, status__in=LIVE).exists())

    def _audit(self, action: str, before: dict[str, Any], *, by: Actor, at: datetime, **facts: Any) -> AuditEntry:
        """Draft an audit row without any content of the claim: the row outlives what is forgotten."""
        about: dict[str, Any] = {"kind": TOMBSTONE, "subject": self.pk, "label": f"tombstone of {self.memory_id}"}
        place: dict[str, Any] = {"scope": self.scope, "sensitivity": self.sensitivity}
        after = {"lifted_at": self.lifted_at}
        entry = AuditEntry.draft(action=action, by=by, at=at, before=before, after=after, **about, **place, **facts)
        entry.save(force_insert=True)
        return entry
