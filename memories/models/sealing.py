"""Sealing: the claim of a text as digests that compare as its words do, and cannot be read."""

from collections.abc import Callable, Iterable

from memories import claims
from memories.claims import Claim
from memories.models.digest_key import ITSELF, DigestKey, secrets_of

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
    found = {CURRENT: [claims.sealed(claims.claim_of(read), own) for read in claims.readings(text)]}
    former = list(former)
    keys = {ITSELF: [own], **secrets_of(mark for _, mark in former)}
    for normalisation, mark in former:
        read = {claims.claim_of(text, normalisation), claims.claim_of(text)}
        found[normalisation, mark] = [claims.sealed(claim, key) for claim in read for key in keys[mark]]
    return found
