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
ClaimOf = Callable[[str], Claim]  # `claims.claim_of`, or a cache around it
AT_ONCE = frozenset({"content", "scope", "company_id", "sensitivity"})  # columns that others of their row follow


@dataclass
class LikeIds:
    """Ids of live memories that may claim the same in its own scope, and of shared ones and working states that may."""

    here: set[UUID] = field(default_factory=set)
    elsewhere: set[UUID] = field(default_factory=set)


@dataclass
class LockedRows:
    """Locked rows (each once, so that one verb sees what another did) and what is known of them.

    `like_ids`: for each row that is dismissed the ids of those that may claim the same; None: not looked up. `trails`:
    audit entries of each row, oldest first; None: not read. `secret`: the key of digests. `together`: changes wait for
    `write`; else each is written at once, so that a database error is raised for its own row. `latest`: the last entry
    about each row. Effects on other tables (proposals, tombstones) are written once for all rows, by `follow`.
    """

    rows: dict[UUID, Memory]
    like_ids: "dict[UUID, LikeIds] | None" = None
    trails: dict[UUID, list[AuditEntry]] | None = None
    secret: bytes = field(default_factory=DigestKey.current)
    claim_of: ClaimOf = claims.claim_of
    together: bool = True
    latest: dict[UUID, AuditEntry] = field(default_factory=dict)
    _changed_columns: dict[UUID, set[str]] = field(default_factory=lambda: defaultdict(set))
    _entries: list[AuditEntry] = field(default_factory=list)
    _stones: list[Tombstone] = field(default_factory=list)
    _closed_ids: set[UUID] = field(default_factory=set)
    _lifted_ids: set[UUID] = field(default_factory=set)
    _reopened_ids: dict[datetime, set[UUID]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for row in self.rows.values():
            row.locked_rows = self

    def drop(self, ids: Iterable[UUID]) -> None:
        """Forget these rows, because the database may have newer values than their instances."""
        for pk in ids:
            if row := self.rows.pop(pk, None):
                row.locked_rows = None
                self._changed_columns.pop(pk, None)
                self._entries = [entry for entry in self._entries if entry.subject_id != pk]
                self._stones = [stone for stone in self._stones if stone.memory_id != pk]

    def defers(self, memory: Memory) -> bool:
        """Whether changes of this row wait for `write`; not of a skill, whose follow-up reads the stored row."""
        return self.together and memory.type != Type.COMPETENCE

    def change(self, memory: Memory, names: Collection[str], entry: AuditEntry) -> None:
        """These columns of it have changed, as the entry tells. IntegrityError: what is written at once is refused."""
        if self.defers(memory) and AT_ONCE.isdisjoint(names):
            self._changed_columns[memory.pk].update(names)
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
        for pk, names in self._changed_columns.items():
            by_columns[frozenset(names)].append(self.rows[pk])
        for columns, rows in by_columns.items():
            bulk_rows.update(rows, columns)
        bulk_rows.insert(self._entries, self._stones)
        all_of("Memory").withhold_together(self._stones, self)
        self._changed_columns, self._entries, self._stones = defaultdict(set), [], []

    def close(self, memory: Memory) -> None:
        self._closed_ids.add(memory.pk)

    def has_closed(self, memory: Memory) -> bool:
        return memory.pk in self._closed_ids

    def lift(self, memory: Memory) -> None:
        """Note that the tombstone of this memory is to be lifted by `follow`."""
        self._lifted_ids.add(memory.pk)

    def reopen(self, memory: Memory, closed_at: datetime) -> None:
        """The proposals about it that were withdrawn at that instant are to be opened again."""
        self._reopened_ids[closed_at].add(memory.pk)

    def follow(self, *, by: Actor, at: datetime) -> None:
        """Write what waits, and what follows from the decisions about these rows, as they stand at the end."""
        self.write()
        proposals = all_of("Proposal")
        if closed_ids := [pk for pk in self._closed_ids & self.rows.keys() if self.rows[pk].status not in LIVE]:
            proposals.follow_closing(closed_ids, by=by, at=at)
        for closed_at, pks in self._reopened_ids.items():
            live = [pk for pk in pks & self.rows.keys() if self.rows[pk].status in LIVE]
            proposals.among(live).return_from(closed_at)
        lifted_ids = [pk for pk in self._lifted_ids & self.rows.keys() if self.rows[pk].status != Status.DISMISSED]
        if lifted_ids:
            Tombstone.objects.filter(memory_id__in=lifted_ids).lift(by=by, at=at)


def entry_of(row: Memory, pk: UUID) -> AuditEntry:
    """An audit entry about a row, where the row is locked with others, from the trail read with them."""
    trails: dict[UUID, list[AuditEntry]] | None = row.locked_rows.trails if row.locked_rows else None
    entries = (entry for entry in trails[row.pk] if entry.pk == pk) if trails else iter(())
    return next(entries, None) or AuditEntry.objects.get(pk=pk)


def trails_of(ids: Iterable[UUID]) -> dict[UUID, list[AuditEntry]]:
    """The audit entries about these memories, oldest first."""
    trails: dict[UUID, list[AuditEntry]] = {pk: [] for pk in ids}
    rows = AuditEntry.objects.filter(subject_kind="memory", subject_id__in=list(trails))
    for entry in rows.order_by("at", "id"):
        trails[entry.subject_id].append(entry)
    return trails


def alike_among(rows: Iterable[Memory], claim_of: ClaimOf) -> dict[UUID, LikeIds]:
    """For each of these claims the live memories that may claim the same: by words, fingerprint, key and name."""
    claims_of = [row for row in rows if row.type not in EXPERIENCE]
    like_ids = {row.pk: LikeIds() for row in claims_of}
    for scope in {row.scope for row in claims_of}:
        scope_rows = [row for row in claims_of if row.scope == scope]
        by_words = nominated_together([row.pk for row in scope_rows], scope)
        for pk, other_id, is_elsewhere in chain(
            by_words, _same_fingerprint_pairs(scope_rows, scope, claim_of), _same_name_pairs(scope_rows)
        ):
            if other_id != pk:
                (like_ids[pk].elsewhere if is_elsewhere else like_ids[pk].here).add(other_id)
            if other_id != pk and is_elsewhere and scope in SHARED_SCOPES:
                like_ids[pk].here.add(other_id)
    return like_ids


def _same_fingerprint_pairs(rows: list[Memory], scope: str, claim_of: ClaimOf) -> Iterator[tuple[UUID, UUID, bool]]:
    """Pairs of equal fingerprints, in this scope and in shared ones."""
    by_fingerprint: dict[bytes, list[UUID]] = defaultdict(list)
    for row in rows:
        claim = claim_of(row.content)
        for place in {scope, *SHARED_SCOPES}:
            by_fingerprint[claims.fingerprint(claim, place)].append(row.pk)
    live = _live().filter(type=Type.SEMANTIC, fingerprint__in=list(by_fingerprint), scope__in=[scope, *SHARED_SCOPES])
    for pk, fingerprint, place in live.values_list("pk", "fingerprint", "scope"):
        yield from ((row_id, pk, place in SHARED_SCOPES) for row_id in by_fingerprint[bytes(fingerprint)])


def _same_name_pairs(rows: list[Memory]) -> Iterator[tuple[UUID, UUID, bool]]:
    """Pairs of equal keys, or names of skills, in shared scopes."""
    by_name: dict[str, list[UUID]] = defaultdict(list)
    for row in rows:
        if row.known_as is not None:
            by_name[row.known_as].append(row.pk)
    has_name = Q(key__in=list(by_name)) | Q(type=Type.COMPETENCE, payload__skill_name__in=list(by_name))
    for row in _live().filter(has_name, scope__in=SHARED_SCOPES):
        names = {row.key, row.known_as}
        yield from ((row_id, row.pk, True) for name in names for row_id in by_name.get(name or "", ()))


def _live() -> Any:
    return all_of("Memory").filter(status__in=LIVE).order_by()
