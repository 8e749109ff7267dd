"""Rows that a decision about many has locked and read at once, so that no verb asks again for each of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Q

from memories import claims
from memories.models.audit import AuditEntry
from memories.models.digest_key import DigestKey
from memories.models.nominating import nominated_together
from memories.models.tombstone import Tombstone
from memories.values.choices import EXPERIENCE, LIVE, Status, Type
from memories.values.trust import SHARED_SCOPES, Actor

Memory = Any


@dataclass
class Alike:
    """Ids of live memories that may claim the same in its own scope, and of shared ones and working states that may."""

    here: set[UUID] = field(default_factory=set)
    elsewhere: set[UUID] = field(default_factory=set)


@dataclass
class Held:
    """Locked rows (each once, so that one verb sees what another did) and what is known of them.

    `alike`: of each row that is dismissed those that may claim the same; None where nobody looked. `trails`: audit
    entries of each row, oldest first; None where nobody read them. `secret`: the key of digests. What follows for many
    together is written by `follow`.
    """

    rows: dict[UUID, Memory]
    alike: "dict[UUID, Alike] | None" = None
    trails: dict[UUID, list[AuditEntry]] | None = None
    secret: bytes = field(default_factory=DigestKey.current)
    _closed: set[UUID] = field(default_factory=set)
    _lifted: set[UUID] = field(default_factory=set)
    _opened: dict[datetime, set[UUID]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for row in self.rows.values():
            row.held = self

    def drop(self, ids: Iterable[UUID]) -> None:
        """Hold these no more, because the database may know more of them than their instances."""
        for pk in ids:
            if row := self.rows.pop(pk, None):
                row.held = None

    def close(self, memory: Memory) -> None:
        self._closed.add(memory.pk)

    def lift(self, memory: Memory) -> None:
        """Its tombstone is to be lifted."""
        self._lifted.add(memory.pk)

    def reopen(self, memory: Memory, closed_at: datetime) -> None:
        """The proposals about it that were withdrawn at that instant are to be opened again."""
        self._opened[closed_at].add(memory.pk)

    def follow(self, *, by: Actor, at: datetime) -> None:
        """Write what follows from the decisions about these rows, as they stand at the end."""
        proposals = apps.get_model("memories", "Proposal")._default_manager
        if closed := [pk for pk in self._closed & self.rows.keys() if self.rows[pk].status not in LIVE]:
            proposals.follow_closing(closed, by=by, at=at)
        for closed_at, pks in self._opened.items():
            live = [pk for pk in pks & self.rows.keys() if self.rows[pk].status in LIVE]
            proposals.among(live).return_from(closed_at)
        lifted = [pk for pk in self._lifted & self.rows.keys() if self.rows[pk].status != Status.DISMISSED]
        if lifted:
            Tombstone.objects.filter(memory_id__in=lifted).lift(by=by, at=at)


def trails_of(ids: Iterable[UUID]) -> dict[UUID, list[AuditEntry]]:
    """The audit entries about these memories, oldest first."""
    trails: dict[UUID, list[AuditEntry]] = {pk: [] for pk in ids}
    rows = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=list(trails))
    for entry in rows.order_by("at", "id"):
        trails[entry.subject_id].append(entry)
    return trails


def alike_among(rows: Iterable[Memory]) -> dict[UUID, Alike]:
    """For each of these claims the live memories that may claim the same: by words, fingerprint, key and name."""
    claims_of = [row for row in rows if row.type not in EXPERIENCE]
    alike = {row.pk: Alike() for row in claims_of}
    for scope in {row.scope for row in claims_of}:
        asked = [row for row in claims_of if row.scope == scope]
        by_words = nominated_together([row.pk for row in asked], scope)
        for pk, other, is_elsewhere in chain(by_words, _same(asked, scope), _named(asked)):
            if other != pk:
                (alike[pk].elsewhere if is_elsewhere else alike[pk].here).add(other)
            if other != pk and is_elsewhere and scope in SHARED_SCOPES:
                alike[pk].here.add(other)
    return alike


def _same(rows: list[Memory], scope: str) -> Iterator[tuple[UUID, UUID, bool]]:
    """Pairs of equal fingerprints, in this scope and in shared ones."""
    asked: dict[bytes, list[UUID]] = defaultdict(list)
    for row in rows:
        claim = claims.claim_of(row.content)
        for place in {scope, *SHARED_SCOPES}:
            asked[claims.fingerprint(claim, place)].append(row.pk)
    live = _live().filter(type=Type.SEMANTIC, fingerprint__in=list(asked), scope__in=[scope, *SHARED_SCOPES])
    for pk, fingerprint, place in live.values_list("pk", "fingerprint", "scope"):
        yield from ((one, pk, place in SHARED_SCOPES) for one in asked[bytes(fingerprint)])


def _named(rows: list[Memory]) -> Iterator[tuple[UUID, UUID, bool]]:
    """Pairs of equal keys, or names of skills, in shared scopes."""
    asked: dict[str, list[UUID]] = defaultdict(list)
    for row in rows:
        if row.known_as is not None:
            asked[row.known_as].append(row.pk)
    by_name = Q(key__in=list(asked)) | Q(type=Type.COMPETENCE, payload__skill_name__in=list(asked))
    for row in _live().filter(by_name, scope__in=SHARED_SCOPES):
        yield from ((one, row.pk, True) for name in {row.key, row.known_as} for one in asked.get(name or "", ()))


def _live() -> Any:
    return apps.get_model("memories", "Memory")._default_manager.filter(status__in=LIVE).order_by()
