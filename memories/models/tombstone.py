"""Tombstones: digests of dismissed, forgotten or expired claims, by which these are recognised when they come again."""

from collections.abc import Collection, Iterable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, Unpack
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q

from memories import claims
from memories.claims import Claim, Likeness
from memories.models import bulk_rows
from memories.models.audit import AuditEntry, AuditFacts, RevertFacts
from memories.models.digest_key import ITSELF, DigestKey, Way, kin_of, seal, seals
from memories.models.trusted import Trusted, all_of, new_id
from memories.values.choices import LIVE, Category
from memories.values.exceptions import Conflict
from memories.values.trust import SHARED_SCOPES, Actor

if TYPE_CHECKING:
    from memories.models.reviewable import Reviewable

TOMBSTONE = "tombstone"
_STANDS, _LIFTED = Q(lifted_at=None, blocks=True), Q(lifted_at__isnull=False, blocks=True)


class MetTombstones(NamedTuple):
    """The tombstones that a statement meets.

    `blocking`: it suppresses the statement. `near`: the newest of a similar claim. `elsewhere`: of this very
    claim, in scopes that read what the statement's scope holds; they withhold it there.
    """

    blocking: "Tombstone | None" = None
    near: "Tombstone | None" = None
    elsewhere: "tuple[Tombstone, ...]" = ()


class TombstoneQuerySet(Trusted["Tombstone"]):
    def standing(self) -> Self:
        return self.filter(lifted_at=None)

    def lifted(self) -> Self:
        """Tombstones that a person lifted on purpose, without dismissals that were undone as mistakes."""
        undo_entry = {"subject_kind": "memory", "subject_id": OuterRef("memory_id"), "at": OuterRef("lifted_at")}
        return self.exclude(lifted_at=None).exclude(Exists(AuditEntry.objects.filter(action="undo", **undo_entry)))

    def blocking(self, *scopes: str) -> Self:
        """Tombstones that block automatic writes into these scopes, or one of them."""
        return self.standing().filter(blocks=True, scope__in={*scopes, *SHARED_SCOPES})

    def met_in(self, *scopes: str) -> Self:
        """Tombstones that a write into these scopes meets: those of the scopes that read it, and the shared ones."""
        is_shared = any(scope in SHARED_SCOPES for scope in scopes)
        return self.standing().filter(blocks=True) if is_shared else self.blocking(*scopes)

    def sealed_alike(self, content: str) -> dict[Way, list[Claim]]:
        """The text as claims sealed in each way that these tombstones are sealed in."""
        return seals(content, self._former_ways())

    def _former_ways(self) -> list[Way]:
        former = self.filter(normalisation__lt=claims.NORMALISATION).order_by()
        return list(former.values_list("normalisation", "sealed_with").distinct())

    def stated_by(self, sentences: Collection[str]) -> "dict[Tombstone, set[str]]":
        """Those whose claim these sentences state, newest first, each with those that do; duplicates' claims hold."""
        stones = self.filter(duplicate=False).exclude(category=None)
        if not stones.exists():
            return {}
        ways, key = stones._former_ways(), DigestKey.current()
        by_text = {text: seals(text, ways, key) for text in sentences}
        tokens = {token for text_claims in by_text.values() for token in kin_of(text_claims)}
        blocking = stones.filter(claim_tokens__overlap=sorted(tokens)).order_by("-at", "-pk")
        pairs = ((stone, {text for text, sealed in by_text.items() if stone.is_same(sealed)}) for stone in blocking)
        return {stone: texts for stone, texts in pairs if texts}

    def met_by(
        self, content: str, *, scope: str, key: str | None, names: Collection[str] = (), exact: bool = False
    ) -> MetTombstones:
        """The tombstones that a statement meets; of a scope that does not read this one it meets none.

        The same claim is suppressed, whatever its key and category; a similar or changed one only resembles. `names`:
        by one of these it is the same in whatever words. `exact`: for rules, whose statements differ in one word: under
        another key only the identical claim is suppressed.
        """
        stones = self.met_in(scope)
        claims_by_way = stones.sealed_alike(content)
        candidates = Q(claim_tokens__overlap=kin_of(claims_by_way))
        candidates |= Q(key__in=[name for name in (key, *names) if name is not None])
        blocking: Tombstone | None = None
        duplicate: Tombstone | None = None
        near: Tombstone | None = None
        elsewhere: list[Tombstone] = []
        for tombstone in stones.filter(candidates).order_by("-at", "-pk"):
            is_here = tombstone.scope in (scope, *SHARED_SCOPES)
            same_key = is_here and key is not None and tombstone.key == key
            likeness = tombstone.likeness_to(
                claims_by_way.get(tombstone.way, ()), exact=exact and not same_key, names=names
            )
            if likeness == Likeness.SAME and not is_here:
                elsewhere += [tombstone] if tombstone.keeps_out else []
            elif likeness == Likeness.SAME and not tombstone.duplicate:
                blocking = blocking or tombstone
            elif likeness == Likeness.SAME:
                duplicate = duplicate or tombstone
            elif likeness != Likeness.OTHER or same_key:
                near = near or tombstone
        blocking = blocking or duplicate
        return MetTombstones(blocking, None if blocking else near, tuple(elsewhere))

    def hit(self, *, at: datetime) -> int:
        return self.update(hits=F("hits") + 1, last_hit_at=at)

    def lift(self, *, by: Actor, at: datetime) -> int:
        lifted_stones = list(self.standing())
        self.standing().update(lifted_at=at, lifted_by=by.name[:200])
        all_of("Memory").offer_again(lifted_stones, at=at)
        return len(lifted_stones)

    def bury(
        self, memory: "Reviewable", *, by: Actor, why: str, at: datetime, blocks: bool = True, duplicate: bool = False
    ) -> "Tombstone":
        """Write the tombstone of a memory. `blocks` false makes a watermark only."""
        stone = self.model.over(memory, by=by, why=why, at=at, blocks=blocks)
        stone.duplicate = duplicate
        if memory.locked_rows:
            memory.locked_rows.bury(stone)
            return stone
        bulk_rows.insert([stone])
        all_of("Memory").withhold(stone, at=at)
        return stone

    def mark(self, memories: "Iterable[Reviewable]", *, by: Actor, at: datetime) -> None:
        """Write watermarks for these memories."""
        bulk_rows.insert([self.model.over(memory, by=by, why="", at=at, blocks=False) for memory in memories])

    def raise_again(self, memory: "Reviewable", *, at: datetime) -> bool:
        """Reactivate the last tombstone of a memory whose dismissal is redone, with the hits that it counted."""
        if latest := self.filter(memory_id=memory.pk).order_by("-at", "-pk").first():
            self.filter(pk=latest.pk).update(lifted_at=None, lifted_by="")
            all_of("Memory").withhold(latest, at=at)
        return latest is not None


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
            models.Index(fields=["key", "scope"], condition=Q(lifted_at=None), name="tombstone_of_key"),
            models.Index(fields=["memory_id"], name="tombstone_by_memory"),
            models.Index(fields=["-at", "-id"], name="tombstone_newest"),
            models.Index(fields=["-at", "-id"], condition=_STANDS, name="tombstone_standing"),
            models.Index(fields=["-hits", "-id"], condition=_STANDS, name="tombstone_most_hit"),
            models.Index(fields=["-lifted_at", "-id"], condition=_LIFTED, name="tombstone_lifted"),
            models.Index(
                fields=["normalisation", "sealed_with"], condition=_STANDS, name="tombstone_by_way_of_sealing"
            ),
            GinIndex(fields=["claim_tokens"], condition=_STANDS, name="tombstone_by_claim"),
        ]

    def __str__(self) -> str:
        return f"tombstone of {self.key or self.memory_id}"

    @classmethod
    def over(cls, memory: "Reviewable", *, by: Actor, why: str, at: datetime, blocks: bool) -> "Tombstone":
        """Create an unsaved tombstone of a memory."""
        sealing = (memory.locked_rows.secret, memory.locked_rows.claim_of) if memory.locked_rows else ()
        tokens, hard = claims.as_lists(seal(memory.content, *sealing)) if blocks and memory.is_claim else ([], [])
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

    @cached_property
    def claim(self) -> Claim:
        return claims.from_lists(self.claim_tokens, self.claim_hard)

    @property
    def denies(self) -> bool:
        """Whether it says that its claim is wrong; the claim of a duplicate holds."""
        return self.blocks and not self.duplicate

    @property
    def keeps_out(self) -> bool:
        """Whether it withholds what is shared from its scope: one that is shared itself blocks."""
        return self.denies and self.scope not in SHARED_SCOPES

    def is_met_in(self, scopes: Collection[str]) -> bool:
        """Whether a write into these scopes meets it, see `TombstoneQuerySet.met_in`."""
        return any(scope in SHARED_SCOPES for scope in scopes) or self.scope in {*scopes, *SHARED_SCOPES}

    def likeness_to(self, text_claims: Collection[Claim], *, exact: bool, names: Collection[str]) -> Likeness:
        """Likeness to a text sealed in one of these ways; OTHER when the key is unknown.

        `exact`: the same claim in other words counts as a rewording. `names`: by one of these it is the same.
        """
        if self.key in names:
            return Likeness.SAME
        closest = Likeness.OTHER
        for claim in text_claims:
            likeness = claims.compare(self.claim, claim)
            if likeness == Likeness.SAME and exact and claim != self.claim:
                likeness = Likeness.REWORDING
            closest = likeness if likeness == Likeness.SAME or closest == Likeness.OTHER else closest
        return closest

    def is_stated_in(self, sentences: Iterable[str], key: bytes) -> bool:
        """Whether one of these sentences states its claim; skills and plans are known by their names, not stated."""
        return self.category is not None and any(self.is_same(seals(text, [self.way], key)) for text in sentences)

    def is_same(self, claims_by_way: dict[Way, list[Claim]], exact: bool = False, names: Collection[str] = ()) -> bool:
        """Whether a text, sealed in its way, claims the same, as `likeness_to` says, after a cheap look."""
        ways = claims_by_way.get(self.way, ())
        may_match = self.key in names or any(claims.may_be_same(self.claim, claim) for claim in ways)
        return may_match and self.likeness_to(ways, exact=exact, names=names) == Likeness.SAME

    def lift(self, **decision: Unpack[AuditFacts]) -> AuditEntry:
        """Let the claim come back. A dismissed memory stays dismissed. Conflict: it was lifted before."""
        with transaction.atomic():
            if not Tombstone.objects.filter(pk=self.pk).lift(by=decision["by"], at=decision["at"]):
                self.refresh_from_db()
                raise Conflict(f"cannot lift: {self.lifted_by} has lifted it before")
            self.refresh_from_db()
            return self._audit("lift", {"lifted_at": None}, **decision)

    def revert(self, entry: AuditEntry, *, by: Actor, at: datetime, batch: UUID) -> AuditEntry:
        """Undo or redo a lift. Conflict: the tombstone has changed since."""
        former, value = (models.DateTimeField().to_python(side["lifted_at"]) for side in (entry.after, entry.before))
        with transaction.atomic():
            if value is None and self._lives():
                raise Conflict("cannot undo: a live memory claims the same again")
            rows = Tombstone.objects.filter(pk=self.pk, lifted_at=former)
            if not (rows.lift(by=by, at=at) if value else rows.update(lifted_at=None, lifted_by="")):
                raise Conflict("cannot undo: the dismissal was lifted or renewed in the meantime")
            self.refresh_from_db()
            if value is None:
                all_of("Memory").withhold(self, at=at, since=former)
            action = "redo" if entry.action == "undo" else "undo"
            return self._audit(action, entry.after, by=by, at=at, batch=batch, undoes=entry.pk)

    def _lives(self) -> bool:
        return bool(self.memory_id and all_of("Memory").filter(pk=self.memory_id, status__in=LIVE).exists())

    def _audit(self, action: str, before: dict[str, Any], **facts: Unpack[RevertFacts]) -> AuditEntry:
        """Write an audit row without any content of the claim: the row outlives what is forgotten."""
        fields: dict[str, Any] = {"kind": TOMBSTONE, "subject": self.pk, "label": f"tombstone of {self.memory_id}"}
        fields |= {"scope": self.scope, "sensitivity": self.sensitivity, "action": action, "before": before}
        return AuditEntry.draft(after={"lifted_at": self.lifted_at}, **fields, **facts).written()
