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
    known = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return {mark(secret.encode()): secret.encode() for secret in known}


def secrets_of(marks: Iterable[str]) -> dict[str, list[bytes]]:
    """The keys to try for each mark; logs once for each mark that has none."""
    known = former_secrets()
    by_seal: dict[str, list[bytes]] = {}
    for own_mark in set(marks) - {ITSELF}:
        by_seal[own_mark] = (
            list(known.values()) if own_mark == UNKNOWN else [known[own_mark]] if own_mark in known else []
        )
        if not by_seal[own_mark] and own_mark not in _missed:
            _missed.add(own_mark)
            logger.warning("what was sealed with a former SECRET_KEY (%s) is not known again: %s", own_mark, REMEDY)
    return by_seal


REMEDY = "add that key to SECRET_KEY, after the present one"
_missed: set[str] = set()
_last_known: list[bytes] = []


def without_key(rows: "models.QuerySet[Any]") -> int:
    """Count rows that cannot, or perhaps cannot, be compared because their SECRET_KEY is unknown now.

    Returns 0 in a database with unapplied migrations.
    """
    known = {ITSELF, *former_secrets()}
    try:
        with transaction.atomic():
            return rows.exclude(sealed_with__in=known).count()
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
        _last_known[:] = [bytes(key)]
        return _last_known[0]

    @staticmethod
    def last_known() -> bytes | None:
        """The key as this process read it last: a guess, for those who compare it with the database's afterwards."""
        return _last_known[0] if _last_known else None


Way = tuple[int, str]  # a way of sealing: normalisation, mark of the key
CURRENT: Way = (claims.NORMALISATION, ITSELF)


def seal(text: str, own: bytes | None = None, claim_of: Callable[[str], Claim] = claims.claim_of) -> Claim:
    """The claim of a text as stored in a tombstone: comparable, not readable. `own`: the key, where it is known."""
    return claims.sealed(claim_of(text), own or DigestKey.current())


def seals(text: str, former: Iterable[Way], own: bytes | None = None) -> dict[Way, list[Claim]]:
    """The text sealed in the current way and in former ways, and in the current one what it says in a simple cipher.
    `own`: the key, where it is known.

    Under a former normalisation it is also compared as it is parsed today: the dismissed text was plain, a disguised
    copy of it need not be.
    """
    own = own or DigestKey.current()
    by_reading = {CURRENT: [claims.sealed(claims.claim_of(read), own) for read in claims.readings(text)]}
    former = list(former)
    keys = {ITSELF: [own], **secrets_of(mark for _, mark in former)}
    for normalisation, mark in former:
        read = {claims.claim_of(text, normalisation), claims.claim_of(text)}
        by_reading[normalisation, mark] = [claims.sealed(claim, key) for claim in read for key in keys[mark]]
    return by_reading


def kin_of(sealed: dict[Way, list[Claim]]) -> list[str]:
    """The tokens to look up for all that is not another claim than a text, sealed in these ways."""
    return [token for ways in sealed.values() for claim in ways for token in claims.kin(claim)]
