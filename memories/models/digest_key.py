"""The secret key of digests (HMACs), and claims sealed with it: forgotten content can be compared, not read."""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.db import DatabaseError, models, transaction

from memories import claims
from memories.claims import Claim

logger = logging.getLogger(__name__)
ITSELF = ""  # the mark of digests under the database's own key
UNKNOWN = "unknown"  # the mark of digests under a SECRET_KEY that was gone already


def mark(secret: bytes) -> str:
    """A one-way identifier of a SECRET_KEY, to recognise it later."""
    return hmac.digest(secret, b"memos: what seals tombstones and groups", hashlib.sha256).hex()[:16]


def former_secrets() -> dict[str, bytes]:
    """SECRET_KEY and its fallbacks by their marks: the keys of digests older than the database's own key."""
    secret_keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return {mark(secret.encode()): secret.encode() for secret in secret_keys}


def secrets_of(marks: Iterable[str]) -> dict[str, list[bytes]]:
    """The keys to try for each mark; logs once for each mark that has none."""
    keys = former_secrets()
    by_seal: dict[str, list[bytes]] = {}
    for name in set(marks) - {ITSELF}:
        by_seal[name] = list(keys.values()) if name == UNKNOWN else [keys[name]] if name in keys else []
        if not by_seal[name] and name not in _reported_marks:
            _reported_marks.add(name)
            logger.warning("what was sealed with a former SECRET_KEY (%s) is not known again: %s", name, REMEDY)
    return by_seal


REMEDY = "add that key to SECRET_KEY, after the present one"
_reported_marks: set[str] = set()
_last_key: list[bytes] = []


def without_key(rows: "models.QuerySet[Any]") -> int:
    """Count rows that cannot, or perhaps cannot, be compared because their SECRET_KEY is unknown now.

    Returns 0 in a database with unapplied migrations.
    """
    marks = {ITSELF, *former_secrets()}
    try:
        with transaction.atomic():
            return rows.exclude(sealed_with__in=marks).count()
    except DatabaseError:
        return 0


class DigestKey(models.Model):
    """One row with a random key. It is part of every dump and independent of settings."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    key = models.BinaryField(max_length=32)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="digest_key_is_one")]

    def __str__(self) -> str:
        return "the key of digests"

    @staticmethod
    def current() -> bytes:
        """The key, created by a migration, or here if the table was emptied."""
        key = DigestKey.objects.values_list("key", flat=True).first()
        if key is None:
            DigestKey.objects.bulk_create([DigestKey(key=secrets.token_bytes(32))], ignore_conflicts=True)
            key = DigestKey.objects.values_list("key", flat=True).get()
        _last_key[:] = [bytes(key)]
        return _last_key[0]

    @staticmethod
    def last_known() -> bytes | None:
        """The key as this process read it last: a guess, for those who compare it with the database's afterwards."""
        return _last_key[0] if _last_key else None


Way = tuple[int, str]  # a way of sealing: normalisation, mark of the key
CURRENT: Way = (claims.NORMALISATION, ITSELF)


def seal(text: str, key: bytes | None = None, claim_of: Callable[[str], Claim] = claims.claim_of) -> Claim:
    """The claim of a text as stored in a tombstone: comparable, not readable. `key`: of the database, if it is read."""
    return claims.sealed(claim_of(text), key or DigestKey.current())


def seals(text: str, ways: Iterable[Way], key: bytes | None = None) -> dict[Way, list[Claim]]:
    """The text sealed in the current way and in former ways, and in the current one what it says in a simple cipher.
    `ways`: the former ones. `key`: of the database, if it is read.

    Under a former normalisation it is also compared as it is parsed today: the dismissed text was plain, a disguised
    copy of it need not be.
    """
    key = key or DigestKey.current()
    by_way = {CURRENT: [claims.sealed(claims.claim_of(reading), key) for reading in claims.readings(text)]}
    ways = list(ways)
    keys = {ITSELF: [key], **secrets_of(mark for _, mark in ways)}
    for normalisation, mark in ways:
        readings = {claims.claim_of(text, normalisation), claims.claim_of(text)}
        by_way[normalisation, mark] = [
            claims.sealed(claim, former_key) for claim in readings for former_key in keys[mark]
        ]
    return by_way


def kin_of(claims_by_way: dict[Way, list[Claim]]) -> list[str]:
    """The tokens to look up for all that is not another claim than a text, sealed in these ways."""
    return [token for ways in claims_by_way.values() for claim in ways for token in claims.kin(claim)]
