"""Tombstones: what was dismissed, forgotten or expired, so that it does not come back unseen."""

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from memories import claims
from memories.choices import Category
from memories.claims import Claim, Likeness
from memories.models.trusted import Trusted, new_id
from memories.trust import SHARED_SCOPES, Actor

if TYPE_CHECKING:
    from memories.models.reviewable import Reviewable


Meeting = tuple["Tombstone | None", "Tombstone | None"]


def seal(text: str) -> Claim:
    """The claim of a text as it stands in a tombstone: comparable, and no word of it readable."""
    return claims.sealed(claims.claim_of(text), settings.SECRET_KEY.encode())


class TombstoneQuerySet(Trusted["Tombstone"]):
    def standing(self) -> Self:
        return self.filter(lifted_at=None)

    def for_scope(self, scope: str) -> Self:
        """What holds in this scope: its own, and what is dismissed everywhere."""
        return self.filter(scope__in={scope, *SHARED_SCOPES})

    def blocking(self, scope: str) -> Self:
        """What an automatic write into this scope must not bring back."""
        return self.standing().for_scope(scope).filter(blocks=True)

    def met_by(
        self, content: str, *, scope: str, key: str | None, category: str | None
    ) -> "tuple[Tombstone | None, Tombstone | None]":
        """(what suppresses this statement, what it merely resembles), each None when there is none.

        The same claim suppresses under the same key or in the same category; a similar or a changed one only resembles.
        """
        claim = seal(content)
        near = Q(claim_tokens__overlap=claims.prefix(claim)) & Q(category=category)
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
        claim = seal(memory.content)
        return self.create(
            scope=memory.scope,
            key=memory.key,
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

    @property
    def claim(self) -> Claim:
        return Claim(frozenset(self.claim_tokens), frozenset(self.claim_hard))
