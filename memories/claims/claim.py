"""The Claim type: a statement as comparable sets of tokens, in words or sealed as HMACs."""

import hashlib
import hmac
import math
from dataclasses import dataclass

SAME_FROM = 0.7
ALIKE_FROM = 0.5
OBJECT = "object"


@dataclass(frozen=True)
class Claim:
    """`tokens`: normalised content tokens, never empty. `hard`: "kind:value" of what must not differ; the value of a
    number, date, name and the like is itself one of the tokens, so what differs can be told from what it is about."""

    tokens: frozenset[str]
    hard: frozenset[str]


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared tokens among all; two empty sets share nothing."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


def prefix(claim: Claim, least: float = SAME_FROM) -> list[str]:
    """Tokens of which a set that agrees by `least` holds at least one: a question to an index. Meant for what may be
    the same; `kin` asks for all that is alike."""
    count = len(claim.tokens)
    kept = count - math.ceil(least * count - 1e-9) + 1
    return sorted(claim.tokens, key=_rare_first)[:kept]


def _rare_first(token: str) -> tuple[int, str]:
    """Any order is correct, also another one on the other side; long words are rarer, so the index returns less."""
    return -len(token), token


def sealed(claim: Claim, secret: bytes) -> Claim:
    """Every token as HMAC-SHA256 under `secret`, 32 hex digits. Kinds stay readable, and the two sides of an order
    (a>b) are sealed each alone: a reversed one must be seen."""

    def seal(token: str) -> str:
        return hmac.digest(secret, token.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:32]

    def seal_hard(hard: str) -> str:
        kind, _, value = hard.partition(":")
        sides = value.split(">", 1) if kind in DIRECTED else [value]
        return f"{kind}:{'>'.join(map(seal, sides))}"

    return Claim(frozenset(map(seal, claim.tokens)), frozenset(map(seal_hard, claim.hard)))


DIRECTED = frozenset({"order", "role", OBJECT})


def fingerprint(claim: Claim, scope: str) -> bytes:
    """SHA-256 of the claim within its scope; equal for equal claims, whatever their wording was. What a verb acts on is
    a detail, said by the tokens too: fingerprints that were stored without it stay equal."""
    hard = (one for one in claim.hard if not one.startswith(f"{OBJECT}:"))
    parts = [scope, *sorted(claim.tokens), "", *sorted(hard)]
    said = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()


def kin(claim: Claim) -> list[str]:
    """Tokens of which every claim that is not OTHER, the changed ones too, holds at least one: more than `prefix`."""
    if any(hard.startswith("order:") for hard in claim.hard):
        return sorted(claim.tokens)
    values = claim.tokens & {hard.partition(":")[2] for hard in claim.hard if not hard.startswith("denied:")}
    rest = claim.tokens - values
    return [*sorted(values), *(prefix(Claim(rest, frozenset()), ALIKE_FROM) if rest else [])]
