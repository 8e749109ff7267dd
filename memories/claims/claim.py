"""The Claim type: a statement as comparable sets of tokens, in words or sealed as HMACs."""

import hashlib
import hmac
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

SAME_FROM = 0.7
ALIKE_FROM = 0.5
OBJECT = "object"
OPENING = "opening"
LEAST_SEAL = 12  # hex digits that tell the words of one text apart
WHOLE, IDENTIFIER, ACCOUNT = "whole", "identifier", "account"
NAMED, SEQUENCE, TOWARD, MANNER = "named", "sequence", "toward", "manner"
DENIED = f"{MANNER}:foreign=denied"  # in a language whose grammar is not read
LOOKED_UP = (f"{WHOLE}:", f"{IDENTIFIER}:", f"{ACCOUNT}:")  # marks by which claims are found
MARKS = (*LOOKED_UP, f"{NAMED}:", f"{SEQUENCE}:", f"{TOWARD}:", f"{MANNER}:")
UNPRINTED = (f"{OBJECT}:", f"{OPENING}:")  # kinds that are newer than the first stored fingerprints
UNVALUED = ("denied:", f"{OPENING}:")  # kinds whose values are the topic, not what differs about it


@dataclass(frozen=True)
class Claim:
    """A statement as sets of tokens.

    `tokens`: normalised content tokens, never empty. `hard`: "kind:value" of what must not differ; the value of a
    number, date, name and the like is itself one of the tokens, so that differing values can be removed from the topic.
    `marks`: "kind:value" of the text itself (marks.py); equal claims may have others.
    """

    tokens: frozenset[str]
    hard: frozenset[str]
    marks: frozenset[str] = field(default=frozenset(), compare=False)

    def marks_of(self, kind: str) -> set[str]:
        return {mark for mark in self.marks if mark.startswith(f"{kind}:")}

    @property
    def sequence(self) -> list[str]:
        """Its words in their order; empty where it is not known."""
        return next((mark.partition(":")[2].split(" ") for mark in self.marks if mark.startswith(f"{SEQUENCE}:")), [])

    @property
    def mark_values(self) -> set[str]:
        """Of the marks by which it is found."""
        return {mark.partition(":")[2] for mark in self.marks if mark.startswith(LOOKED_UP)}


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Jaccard similarity: the share of common tokens among all; 0 for two empty sets."""
    common = len(a & b)
    return common / (len(a) + len(b) - common) if common else 0.0


def prefix(claim: Claim, least: float = SAME_FROM) -> list[str]:
    """Tokens to look up in an index: every set with a Jaccard similarity of `least` or more holds at least one of them.

    Meant for candidates of the same claim; `kin` finds all claims that are alike.
    """
    count = len(claim.tokens)
    most = count - math.ceil(least * count - 1e-9) + 1
    return sorted(claim.tokens, key=_rare_first)[:most]


def _rare_first(token: str) -> tuple[int, str]:
    """Sort key that puts long words first, which are rarer: the index returns less. Any order is correct, also if the
    other side uses another one.
    """
    return -len(token), token


def sealed(claim: Claim, secret: bytes) -> Claim:
    """Replace every token by its HMAC-SHA256 under `secret`, as 32 hex digits.

    Kinds stay readable, and the two sides of an order (a>b) are sealed separately, so that a reversed order is
    recognised.
    """

    seal = partial(_sealed_token, secret)

    def seal_hard(hard: str) -> str:
        kind, _, value = hard.partition(":")
        sides = value.split(">", 1) if kind in DIRECTED else [value]
        return f"{kind}:{'>'.join(map(seal, sides))}"

    def seal_mark(mark: str) -> str:
        kind, _, value = mark.partition(":")
        if kind == SEQUENCE:
            return f"{kind}:{' '.join(seal(word)[:LEAST_SEAL] for word in value.split(' '))}"
        if kind == TOWARD:
            preposition, _, word = value.partition(">")
            return f"{kind}:{preposition}>{seal(word)}"
        return mark if kind == MANNER else f"{kind}:{seal(mark)}"

    hard, marks = (
        frozenset(map(seal_part, values)) for seal_part, values in ((seal_hard, claim.hard), (seal_mark, claim.marks))
    )
    return Claim(frozenset(map(seal, claim.tokens)), hard, marks)


def _sealed_token(secret: bytes, token: str) -> str:
    return hmac.digest(secret, token.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def as_lists(claim: Claim) -> tuple[list[str], list[str]]:
    """A claim as two lists: tokens, with the values of its marks, for an index to find; and hard tokens and marks."""
    return sorted(claim.tokens | claim.mark_values), sorted(claim.hard | claim.marks)


def sealed_tokens(claim: Claim, secret: bytes) -> set[str]:
    """The tokens by which an index finds the sealed claim, as `as_lists` writes them; the rest of it is not sealed."""
    looked_up = (mark for mark in claim.marks if mark.startswith(LOOKED_UP))
    return {_sealed_token(secret, token) for token in (*claim.tokens, *looked_up)}


def from_lists(tokens: Iterable[str], hard: Iterable[str]) -> Claim:
    """The claim that `as_lists` wrote. The values of marks must be no tokens, as those of a sealed claim are none."""
    hard = frozenset(hard)
    marks = frozenset(value for value in hard if value.startswith(MARKS))
    claim = Claim(frozenset(tokens), hard - marks, marks)
    return replace(claim, tokens=claim.tokens - claim.mark_values)


DIRECTED = frozenset({"order", "role", OBJECT})


def fingerprint(claim: Claim, scope: str) -> bytes:
    """SHA-256 of the claim within its scope: equal for equal claims, whatever their wording.

    Leaves out UNPRINTED kinds, whose values the tokens contain too: fingerprints stored before they existed stay equal.
    """
    hard = (value for value in claim.hard if not value.startswith(UNPRINTED))
    parts = [scope, *sorted(claim.tokens), "", *sorted(hard)]
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def kin(claim: Claim) -> list[str]:
    """Tokens to look up in an index for all claims that are not OTHER, changed ones included; more tokens than
    `prefix`, and the values of marks.
    """
    if any(hard.startswith("order:") for hard in claim.hard):
        return [*sorted(claim.tokens), *sorted(claim.mark_values)]
    values = claim.tokens & {hard.partition(":")[2] for hard in claim.hard if not hard.startswith(UNVALUED)}
    rest = claim.tokens - values
    rarest = prefix(Claim(rest, frozenset()), ALIKE_FROM) if rest else []
    return [*sorted(values), *rarest, *sorted(claim.mark_values)]
