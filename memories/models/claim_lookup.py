"""The question of a store before it writes: take its locks, and read under them what it meets. One statement.

The SQL function (migration 0044) takes the locks before it reads: shared ones of the scope, then those of subject and
key alone. A single SELECT would read what was there before it waited for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic_core import to_json

from memories import claims
from memories.claims import Claim
from memories.models import bulk_rows, claim_locks
from memories.models.digest_key import DigestKey
from memories.models.memory import Memory
from memories.values.trust import SHARED_SCOPES

AFTER_KEY, AFTER_STEM = "\x01", "$"  # keys below `key\x01` are that key; below `stem$` are those of `stem#`


@dataclass(frozen=True)
class MetMemory:
    """A live memory that a store meets, locked. `counted_occasions`: those of the occasions asked about that are its
    evidence; `of_others`: somebody else than the caller gave it evidence."""

    memory: Memory
    counted_occasions: frozenset[str]
    of_others: bool


@dataclass(frozen=True)
class Lookup:
    """`may_be_dismissed`: there are tombstones that the words must be compared with."""

    matches: Sequence[MetMemory]
    may_be_dismissed: bool


@dataclass(frozen=True)
class ClaimQuestion:
    """What a store asks. `stems`: the keys of the wanted memories begin with one of these and #; without any they are
    those of `key`. `caller`: an actor's identity. `disguised_claims`: what the words say in
    a simple cipher.
    """

    claim: Claim
    scope: str
    key: str
    caller: str
    occasions: Iterable[str] = ()
    stems: Sequence[str] = ()
    disguised_claims: Sequence[Claim] = ()

    def lock_and_ask(self) -> Lookup:
        """Asks again if the database has another key of digests than this process knows: the first time, and after a
        restore. Nothing is written before the locks are taken, not even a key.
        """
        rows = self._rows(last_key := DigestKey.last_known())
        if last_key is None or rows[0][0] is None or bytes(rows[0][0]) != last_key:
            rows = self._rows(DigestKey.current())
        return Lookup([_met_memory(*row[2:]) for row in rows if row[2]], bool(rows[0][1]))

    def _rows(self, secret: bytes | None) -> list[tuple[Any, ...]]:
        with bulk_rows.prepared() as cursor:
            cursor.execute(STATEMENT, self._parameters(secret))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    def _parameters(self, secret: bytes | None) -> list[Any]:
        return [
            claim_locks.to_store_into(self.scope),
            [*self.locks_of_stems, self.lock_of_key],
            self.scope,
            self.key or None,
            self.beginnings,
            self._ends,
            self._read_by,
            self._tokens(secret) if secret else [],
            claims.NORMALISATION,
            list(self.occasions),
            self.caller,
        ]

    @property
    def locks_of_stems(self) -> list[str]:
        return [f"memos:statement:{self.scope}/{stem}" for stem in self.stems]

    @property
    def lock_of_key(self) -> str:
        return claim_locks.name_of_key(self.scope, self.key)

    @property
    def beginnings(self) -> list[str]:
        """What the keys that the claim meets begin with: each stem with #, or the whole key."""
        return [f"{stem}#" for stem in self.stems] or [self.key]

    @property
    def _ends(self) -> list[str]:
        """For each beginning the exclusive upper bound of its keys."""
        return [f"{stem}{AFTER_STEM}" for stem in self.stems] or [f"{self.key}{AFTER_KEY}"]

    @property
    def _read_by(self) -> list[str] | None:
        """The scopes whose dismissals it meets; None: all, for each of them reads what is shared."""
        return None if self.scope in SHARED_SCOPES else sorted({self.scope, *SHARED_SCOPES})

    def _tokens(self, secret: bytes) -> list[str]:
        return sorted(
            {token for claim in (self.claim, *self.disguised_claims) for token in claims.sealed_tokens(claim, secret)}
        )

    def as_json(self, number: int, secret: bytes) -> dict[str, Any]:
        """The same question as one row among others."""
        return {
            "number": number,
            "scope": self.scope,
            "key": self.key or None,
            "low": self.beginnings,
            "high": self._ends,
            "scopes": self._read_by,
            "tokens": self._tokens(secret),
        }


STANDING = """SELECT FROM memories_tombstone AS stone WHERE stone.lifted_at IS NULL AND stone.blocks
              AND (asked.scopes IS NULL OR stone.scope = ANY(asked.scopes))"""
NUMBERS_THAT_MEET = f"""
SELECT asked.number FROM json_to_recordset(%s) AS asked
    (number integer, scope text, key text, low text[], high text[], scopes text[], tokens text[])
WHERE memos_live_ids(asked.scope, asked.low, asked.high) <> '{{}}'
   OR EXISTS ({STANDING} AND stone.claim_tokens && asked.tokens)
   OR EXISTS ({STANDING} AND stone.key = asked.key)
   OR EXISTS ({STANDING} AND stone.normalisation < %s)
"""  # noqa: S608 - our own text


def lock_and_find_unmet(questions: Sequence[ClaimQuestion]) -> set[int]:
    """Take the locks of many stores, then ask which of them meet neither a live memory nor a tombstone: their numbers.

    The locks are taken in the order of a single store, and by name among many, so that two cannot wait for each other.
    """
    stems = {name for question in questions for name in question.locks_of_stems}
    keys = {question.lock_of_key for question in questions}
    claim_locks.to_store(*{question.scope for question in questions})
    claim_locks.alone(*sorted(stems), *sorted(keys))
    secret = DigestKey.current()
    rows = to_json([question.as_json(number, secret) for number, question in enumerate(questions)]).decode()
    with bulk_rows.prepared() as cursor:
        cursor.execute(NUMBERS_THAT_MEET, [rows, claims.NORMALISATION])
        meeting_numbers = {number for (number,) in cursor.fetchall()}
    return set(range(len(questions))) - meeting_numbers


STATEMENT = """
SELECT asked.digest_key, asked.may_be_dismissed, (asked.memory).id, asked.counted, asked.of_others
FROM memos_claim_lookup(
    %s::text[], %s::text[], %s, %s, %s::text[], %s::text[], %s::text[], %s::text[], %s, %s::text[], %s
) AS asked
"""


def _met_memory(pk: UUID, occasions: Iterable[str], of_others: bool) -> MetMemory:
    """The row by a statement of its own: most stores meet none, and its columns cost a fiftieth of such a store."""
    memory = bulk_rows.find(Memory, "id", pk)
    assert memory is not None  # it is locked
    return MetMemory(memory, frozenset(occasions), of_others)
