"""The question of a store before it writes: take its locks, and read under them what it meets. One statement.

The SQL function (migration 0044) takes the locks before it reads: shared ones of the scope, then those of subject and
key alone. A single SELECT would read what was there before it waited for them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memories import claims
from memories.claims import Claim
from memories.models import bulk_rows, claim_locks
from memories.models.digest_key import DigestKey
from memories.models.memory import Memory
from memories.values.trust import SHARED_SCOPES

AFTER_KEY, AFTER_STEM = "\x01", "$"  # keys below `key\x01` are that key; below `stem$` are those of `stem#`


@dataclass(frozen=True)
class Met:
    """A live memory that a store meets, locked. `counted`: of the occasions that were asked about those that are its
    evidence; `of_others`: somebody else than the caller gave it evidence."""

    memory: Memory
    counted: frozenset[str]
    of_others: bool


@dataclass(frozen=True)
class Lookup:
    """`may_be_dismissed`: there are tombstones that the words must be compared with."""

    met: Sequence[Met]
    may_be_dismissed: bool


@dataclass(frozen=True)
class ClaimQuestion:
    """What a store asks. `stems`: the keys of the wanted memories begin with one of these and #; without any they are
    those of `key`. `caller`: an actor's identity.
    """

    claim: Claim
    scope: str
    key: str
    caller: str
    occasions: Iterable[str] = ()
    stems: Sequence[str] = ()

    def lock_and_ask(self) -> Lookup:
        """Asks again if the database has another key of digests than this process knows: the first time, and after a
        restore. Nothing is written before the locks are taken, not even a key.
        """
        rows = self._rows(known := DigestKey.last_known())
        if known is None or rows[0][0] is None or bytes(rows[0][0]) != known:
            rows = self._rows(DigestKey.current())
        met = [_met(row[2:]) for row in rows if row[4] is not None]
        return Lookup(met, bool(rows[0][1]))

    def _rows(self, secret: bytes | None) -> list[tuple[Any, ...]]:
        with bulk_rows.prepared() as cursor:
            cursor.execute(_statement(), self._parameters(secret))
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    def _parameters(self, secret: bytes | None) -> list[Any]:
        statements = [f"memos:statement:{self.scope}/{stem}" for stem in self.stems]
        return [
            claim_locks.names("", self.scope),
            [*statements, claim_locks.name_of_key(self.scope, self.key)],
            self.scope,
            self.key or None,
            [f"{stem}#" for stem in self.stems] or [self.key],
            [f"{stem}{AFTER_STEM}" for stem in self.stems] or [f"{self.key}{AFTER_KEY}"],
            sorted({self.scope, *SHARED_SCOPES}),
            claims.kin(claims.sealed(self.claim, secret)) if secret else [],
            claims.NORMALISATION,
            list(self.occasions),
            self.caller,
        ]


@cache
def _statement() -> str:
    row = bulk_rows.columns(Memory, "(asked.memory)")
    parameters = "%s::text[], %s::text[], %s, %s, %s::text[], %s::text[], %s::text[], %s::text[], %s, %s::text[], %s"
    facts = "asked.digest_key, asked.may_be_dismissed, asked.counted, asked.of_others"
    return f"SELECT {facts}, {row} FROM memos_claim_lookup({parameters}) AS asked"  # noqa: S608 - our own columns


def _met(values: Sequence[Any]) -> Met:
    counted, of_others, *row = values
    return Met(bulk_rows.instance(Memory, row), frozenset(counted or ()), bool(of_others))
