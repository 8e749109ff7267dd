"""`Memory.withheld_from`: the scopes where people dismissed what a shared row claims, or what a working state says.

Every scope reads what is shared. A dismissal made in one of them leaves an equal shared row to the others, and keeps it
from this one for as long as it holds. A working state is no claim: one of which a sentence states what was dismissed in
a scope that reads it, or for all, stays, and is offered to nobody there. The gate sets the column of what is stored;
here it follows dismissals and their end, other words, and a row's return to life, in the transaction that causes it and
under its locks (claim_locks).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from memories.claims import Claim
from memories.models.ageing import Ageing
from memories.models.digest_key import DigestKey, Way, kin_of, seals
from memories.models.nominating import nominated
from memories.models.tombstone import Tombstone
from memories.models.trusted import M_co
from memories.values import text
from memories.values.choices import EXPERIENCE, LIVE, Origin, Type
from memories.values.trust import SHARED_SCOPES

Memory = Any  # whose QuerySet this is
LockedRows = Any  # the rows of a decision about many (locked_rows.py)
CLAIMS = [type.value for type in Type if type not in EXPERIENCE]
MOST_SENTENCES = 200  # of a working state


class Withholding(Ageing[M_co]):
    def shared_claims(self) -> Self:
        return self.filter(scope__in=SHARED_SCOPES, type__in=CLAIMS, status__in=LIVE)

    def states_read_in(self, scope: str) -> Self:
        """The working states that those who read in this scope are offered; what is shared all read."""
        states = self.filter(type=Type.WORKING, status__in=LIVE)
        return states if scope in SHARED_SCOPES else states.filter(scope__in=[scope, *SHARED_SCOPES])

    def claiming(
        self, stone: Tombstone, scopes: Collection[str] | None, *, since: datetime | None = None
    ) -> list[Memory]:
        """Those of these rows, which are of these scopes (None: of any), that claim what a tombstone is about.

        `since`: when it was lifted; where its words are gone with the memory, what was written since then is compared,
        and what it withheld before was.
        """
        secret = DigestKey.current()
        return [row for row in self._nominated_by(stone, scopes, since) if _speaks_of(stone, row, secret)]

    def withhold(self, stone: Tombstone, *, at: datetime, since: datetime | None = None) -> None:
        """Withhold what is shared, and working states, from the scope of a tombstone that holds from now on. `since`:
        when it was lifted."""
        for rows, scopes in self._kept_out_by(stone):
            remaining_rows = rows.exclude(withheld_from__contains=[stone.scope])
            while claiming := remaining_rows.claiming(stone, scopes, since=since):  # few are nominated at once
                for row in claiming:
                    self._move(row, {*row.withheld_from, stone.scope}, at=at)

    def withhold_together(self, stones: Collection[Tombstone], locked_rows: LockedRows) -> None:
        """As `withhold`, for the new tombstones of locked rows."""
        if locked_rows.like_ids is None:
            for stone in stones:
                self.withhold(stone, at=stone.at)
            return
        ids_by_stone = {stone.pk: _elsewhere(stone, locked_rows) for stone in stones}
        nominated_here = {pk for ids in ids_by_stone.values() for pk in ids}
        rows: dict[UUID, Memory] = self.filter(status__in=LIVE).in_bulk(list(nominated_here))
        claims_by_row: dict[UUID, dict[Way, list[Claim]]] = defaultdict(dict)
        for stone in stones:
            for row in (rows[pk] for pk in ids_by_stone[stone.pk] if pk in rows):
                may_match = stone.scope not in row.withheld_from and _is_kept_out(row, stone)
                if may_match and _speaks_of(stone, row, locked_rows.secret, claims_by_row[row.pk]):
                    row.withheld_from = sorted({*row.withheld_from, stone.scope})
                    self._move(row, row.withheld_from, at=stone.at)

    def offer_again(self, stones: Iterable[Tombstone], *, at: datetime) -> None:
        """Update the rows that these lifted tombstones withheld; other tombstones may still withhold them."""
        stones_by_scope: dict[str, list[Tombstone]] = {}
        for stone in stones:
            stones_by_scope.setdefault(stone.scope, []).append(stone)
        for scope, stones_here in stones_by_scope.items():
            rows = self.filter(status__in=LIVE, withheld_from__contains=[scope]).exclude(withheld_from=[])
            matching_rows: Iterable[Memory] = (row for row in rows if _is_spoken_of(row, stones_here))
            for row in matching_rows:
                self._move(row, scopes_against(row, row.content), at=at)

    def _kept_out_by(self, stone: Tombstone) -> Iterator[tuple[Self, Collection[str] | None]]:
        """The rows that a tombstone may withhold, with the scopes that they are of (None: any)."""
        if stone.keeps_out:
            yield self.shared_claims(), SHARED_SCOPES
        if stone.denies and (states := self.states_read_in(stone.scope)).exists():
            yield states, (None if stone.scope in SHARED_SCOPES else [stone.scope, *SHARED_SCOPES])

    def _nominated_by(self, stone: Tombstone, scopes: Collection[str] | None, since: datetime | None) -> Self:
        content = self.model._default_manager.filter(pk__in=[stone.memory_id]).values_list("content", flat=True).first()
        if content is None:
            return self.filter(updated_at__gte=since) if since else self.none()
        by_words = nominated(content, self, scopes=scopes, types=[*CLAIMS, Type.WORKING])
        if stone.key is None:
            return by_words
        by_name = Q(key=stone.key) | Q(type=Type.COMPETENCE, payload__skill_name=stone.key)
        return self.filter(Q(pk__in=by_words.values("pk")) | by_name)

    def _move(self, row: Memory, scopes: Iterable[str], *, at: datetime) -> None:
        self.filter(pk=row.pk).update(withheld_from=sorted(scopes), updated_at=at)


def _elsewhere(stone: Tombstone, locked_rows: LockedRows) -> Collection[UUID]:
    """The shared rows and working states that may say what is dismissed, as it is known where many are."""
    like_ids = (locked_rows.like_ids or {}).get(stone.memory_id) if stone.memory_id else None
    return like_ids.elsewhere if like_ids else ()


def _is_kept_out(row: Memory, stone: Tombstone) -> bool:
    """Whether a tombstone that this live row claims withholds it: see `_kept_out_by`."""
    if row.type == Type.WORKING:
        return stone.denies and stone.is_met_in([row.scope])
    return stone.keeps_out and row.scope in SHARED_SCOPES and row.is_claim


def scopes_against(memory: Memory, content: str) -> list[str]:
    """The scopes that read this memory and where these words of it are dismissed."""
    return scopes_of(tombstones_against(memory, content))


def tombstones_against(memory: Memory, content: str) -> Sequence[Tombstone]:
    """The tombstones of these words in scopes that read this memory: any other reads what is shared. Newest first."""
    if memory.type == Type.WORKING:
        return list(Tombstone.objects.met_in(memory.scope).stated_by(_sentences(memory, content)))
    if memory.scope not in SHARED_SCOPES or not memory.is_claim:
        return ()
    names, stones = _names(memory), Tombstone.objects.met_in(memory.scope)
    claims_by_way = stones.sealed_alike(content)
    near = stones.filter(Q(claim_tokens__overlap=kin_of(claims_by_way)) | Q(key__in=names)).order_by("-at", "-pk")
    return [stone for stone in near if stone.keeps_out and stone.is_same(claims_by_way, _is_found(memory), names)]


def scopes_of(stones: Iterable[Tombstone]) -> list[str]:
    return sorted({stone.scope for stone in stones})


def withhold_state(state: Memory) -> None:
    """Set what a working state that is about to be stored is withheld from; the caller holds the locks of a store."""
    state.withheld_from = scopes_against(state, state.content)


def _sentences(state: Memory, content: str) -> list[str]:
    """Each text of a working state as a whole and in sentences, without repetitions; at most MOST_SENTENCES."""
    texts = [content, *text.strings(state.payload)]
    parts = (part for words in texts for part in (words, *text.sentences(words)))
    return list(dict.fromkeys(parts))[:MOST_SENTENCES]


def _is_spoken_of(row: Memory, stones: Iterable[Tombstone]) -> bool:
    """Whether one of these tombstones may have withheld this row, and speaks of it."""
    secret, claims_by_way = DigestKey.current(), dict[Way, list[Claim]]()
    candidates = (stone for stone in stones if (stone.denies if row.type == Type.WORKING else stone.keeps_out))
    return any(_speaks_of(stone, row, secret, claims_by_way) for stone in candidates)


def _speaks_of(stone: Tombstone, row: Memory, secret: bytes, sealings: dict[Way, list[Claim]] | None = None) -> bool:
    """Whether a tombstone is about this row. `sealings`: the claims of the row by way; that of this one is added."""
    if row.type == Type.WORKING:
        return stone.is_stated_in(_sentences(row, row.content), secret)
    sealings = {} if sealings is None else sealings
    if stone.way not in sealings:
        sealings[stone.way] = seals(row.content, [stone.way], secret)[stone.way]
    return stone.is_same(sealings, _is_found(row), _names(row))


def _names(row: Memory) -> list[str]:
    """What a skill or a finding of a rule is known by in whatever words, as `Statement.known_by` says."""
    name = row.known_as if row.type == Type.COMPETENCE or _is_found(row) else None
    return [name] if name else []


def _is_found(row: Memory) -> bool:
    return row.origin in Origin.of_rules()
