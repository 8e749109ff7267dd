"""Rows that a decision about many has locked and read at once: no verb asks again for each of them, and what the verbs
write of them is written together."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories import claims
from memories.claims import Claim
from memories.models import bulk_rows
from memories.models.audit import AuditEntry
from memories.models.digest_key import DigestKey
from memories.models.nominating import nominated_together
from memories.models.tombstone import Tombstone
from memories.models.trusted import all_of
from memories.values.choices import EXPERIENCE, LIVE, Status, Type
from memories.values.trust import SHARED_SCOPES, Actor

Memory = Any
ClaimOf = Callable[[str], Claim]  # `claims.claim_of`, maybe of one who remembers what it has read
AT_ONCE = frozenset({"content", "scope", "company_id", "sensitivity"})  # columns that others of their row follow


@dataclass
class Alike:
    """Ids of live memories that may claim the same in its own scope, and of shared ones and working states that may."""

    here: set[UUID] = field(default_factory=set)
    elsewhere: set[UUID] = field(default_factory=set)


@dataclass
class Held:
    """Locked rows (each once, so that one verb sees what another did) and what is known of them.

    `alike`: of each row that is dismissed those that may claim the same; None where nobody looked. `trails`: audit
    entries of each row, oldest first; None where nobody read them. `secret`: the key of digests. `together`: what
    verbs change waits for `write`; else each change is written at once, so that a refusal of the database is that of
    its row. `latest`: the last entry about each row. What follows for many together is written by `follow`.
    """

    rows: dict[UUID, Memory]
    alike: "dict[UUID, Alike] | None" = None
    trails: dict[UUID, list[AuditEntry]] | None = None
    secret: bytes = field(default_factory=DigestKey.current)
    claim_of: ClaimOf = claims.claim_of
    together: bool = True
    latest: dict[UUID, AuditEntry] = field(default_factory=dict)
    _changed: dict[UUID, set[str]] = field(default_factory=lambda: defaultdict(set))
    _entries: list[AuditEntry] = field(default_factory=list)
    _stones: list[Tombstone] = field(default_factory=list)
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
                self._changed.pop(pk, None)
                self._entries = [entry for entry in self._entries if entry.subject_id != pk]
                self._stones = [stone for stone in self._stones if stone.memory_id != pk]

    def defers(self, memory: Memory) -> bool:
        """Whether changes of this row wait. What follows from those of a skill's reads its row."""
        return self.together and memory.type != Type.COMPETENCE

    def change(self, memory: Memory, names: Collection[str], entry: AuditEntry) -> None:
        """These columns of it have changed, as the entry tells. IntegrityError: what is written at once is refused."""
        if self.defers(memory) and AT_ONCE.isdisjoint(names):
            self._changed[memory.pk].update(names)
            self._entries.append(entry)
        else:
            bulk_rows.update([memory], names)
            bulk_rows.insert([entry])
        self.latest[memory.pk] = entry
        if self.trails is not None:
            self.trails[memory.pk].append(entry)

    def bury(self, stone: Tombstone) -> None:
        self._stones.append(stone)

    def write(self) -> None:
        """Write what waits. IntegrityError: another live memory holds a key or thread of one of them meanwhile."""
        by_columns: dict[frozenset[str], list[Memory]] = defaultdict(list)
        for pk, names in self._changed.items():
            by_columns[frozenset(names)].append(self.rows[pk])
        for columns, rows in by_columns.items():
            bulk_rows.update(rows, columns)
        bulk_rows.insert(self._entries, self._stones)
        all_of("Memory").withhold_together(self._stones, self)
        self._changed, self._entries, self._stones = defaultdict(set), [], []

    def close(self, memory: Memory) -> None:
        self._closed.add(memory.pk)

    def has_closed(self, memory: Memory) -> bool:
        return memory.pk in self._closed

    def lift(self, memory: Memory) -> None:
        """Note that the tombstone of this memory is to be lifted by `follow`."""
        self._lifted.add(memory.pk)

    def reopen(self, memory: Memory, closed_at: datetime) -> None:
        """The proposals about it that were withdrawn at that instant are to be opened again."""
        self._opened[closed_at].add(memory.pk)

    def follow(self, *, by: Actor, at: datetime) -> None:
        """Write what waits, and what follows from the decisions about these rows, as they stand at the end."""
        self.write()
        proposals = all_of("Proposal")
        if closed := [pk for pk in self._closed & self.rows.keys() if self.rows[pk].status not in LIVE]:
            proposals.follow_closing(closed, by=by, at=at)
        for closed_at, pks in self._opened.items():
            live = [pk for pk in pks & self.rows.keys() if self.rows[pk].status in LIVE]
            proposals.among(live).return_from(closed_at)
        lifted = [pk for pk in self._lifted & self.rows.keys() if self.rows[pk].status != Status.DISMISSED]
        if lifted:
            Tombstone.objects.filter(memory_id__in=lifted).lift(by=by, at=at)


def entry_of(row: Memory, pk: UUID) -> AuditEntry:
    """An audit entry about a row, where it is held one of its trail."""
    known: dict[UUID, list[AuditEntry]] | None = row.held.trails if row.held else None
    here = (entry for entry in known[row.pk] if entry.pk == pk) if known else iter(())
    return next(here, None) or AuditEntry.objects.get(pk=pk)


def trails_of(ids: Iterable[UUID]) -> dict[UUID, list[AuditEntry]]:
    """The audit entries about these memories, oldest first."""
    trails: dict[UUID, list[AuditEntry]] = {pk: [] for pk in ids}
    rows = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=list(trails))
    for entry in rows.order_by("at", "id"):
        trails[entry.subject_id].append(entry)
    return trails


def alike_among(rows: Iterable[Memory], claim_of: ClaimOf) -> dict[UUID, Alike]:
    """For each of these claims the live memories that may claim the same: by words, fingerprint, key and name."""
    claims_of = [row for row in rows if row.type not in EXPERIENCE]
    alike = {row.pk: Alike() for row in claims_of}
    for scope in {row.scope for row in claims_of}:
        asked = [row for row in claims_of if row.scope == scope]
        by_words = nominated_together([row.pk for row in asked], scope)
        for pk, other, is_elsewhere in chain(by_words, _same(asked, scope, claim_of), _named(asked)):
            if other != pk:
                (alike[pk].elsewhere if is_elsewhere else alike[pk].here).add(other)
            if other != pk and is_elsewhere and scope in SHARED_SCOPES:
                alike[pk].here.add(other)
    return alike


def _same(rows: list[Memory], scope: str, claim_of: ClaimOf) -> Iterator[tuple[UUID, UUID, bool]]:
    """Pairs of equal fingerprints, in this scope and in shared ones."""
    by_fingerprint: dict[bytes, list[UUID]] = defaultdict(list)
    for row in rows:
        claim = claim_of(row.content)
        for place in {scope, *SHARED_SCOPES}:
            by_fingerprint[claims.fingerprint(claim, place)].append(row.pk)
    live = _live().filter(type=Type.SEMANTIC, fingerprint__in=list(by_fingerprint), scope__in=[scope, *SHARED_SCOPES])
    for pk, fingerprint, place in live.values_list("pk", "fingerprint", "scope"):
        yield from ((asking, pk, place in SHARED_SCOPES) for asking in by_fingerprint[bytes(fingerprint)])


def _named(rows: list[Memory]) -> Iterator[tuple[UUID, UUID, bool]]:
    """Pairs of equal keys, or names of skills, in shared scopes."""
    by_name: dict[str, list[UUID]] = defaultdict(list)
    for row in rows:
        if row.known_as is not None:
            by_name[row.known_as].append(row.pk)
    named = Q(key__in=list(by_name)) | Q(type=Type.COMPETENCE, payload__skill_name__in=list(by_name))
    for row in _live().filter(named, scope__in=SHARED_SCOPES):
        names = {row.key, row.known_as}
        yield from ((asking, row.pk, True) for name in names for asking in by_name.get(name or "", ()))


def _live() -> Any:
    return all_of("Memory").filter(status__in=LIVE).order_by()
