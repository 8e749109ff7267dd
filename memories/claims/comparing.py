"""Comparison of two claims: same, reworded, changed or other."""

from collections import defaultdict
from enum import StrEnum

from memories.claims.claim import (
    ACCOUNT,
    ALIKE_FROM,
    DIRECTED,
    IDENTIFIER,
    OBJECT,
    OPENING,
    SAME_FROM,
    UNVALUED,
    WHOLE,
    Claim,
    jaccard,
)
from memories.claims.marks import contradict, differ

NUMBERS = ("number:", "code:", "email:", "url:", "version:", "year:", "date:", "time:", "unit:")
ASSERTED = frozenset({"negation", "lack"})  # kinds whose presence alone is a difference
DETAIL = frozenset(
    {"unit", "year", "side", "bound", "pole", "daypart", "role", "subject", "denied", OBJECT, OPENING}
)  # kinds that one claim may leave out
Hard = dict[str, set[str]]


class Likeness(StrEnum):
    SAME = "same"
    REWORDING = "rewording"
    CHANGED = "changed"
    OTHER = "other"


def compare(old: Claim, new: Claim, same_subject: bool = False) -> Likeness:
    """Classify how `new` relates to `old`; symmetric.

    `same_subject`: both have the same key, so their topic is given: then what is neither the same nor changed is a
    rewording, never another claim.

    Otherwise a changed claim must share the topic: without the values that differ at least half of the tokens agree (a
    quarter when both compare the same two things), and no verb acts on another object. If the names differ, another
    name must be shared, or two tokens by sentences that do not open with these names: "Sarah likes tea" says nothing of
    Maria.
    """
    contradictory, apart = contradict(old, new), differ(old, new)
    if old.marks_of(WHOLE) & new.marks_of(WHOLE) or (old == new and not (contradictory or apart)):
        return Likeness.SAME
    one, other = _by_kind(old), _by_kind(new)
    if not same_subject and _about_others(old, new, one, other):
        return Likeness.OTHER
    strangers = bool(_unmet(one, new, other) and _unmet(other, old, one))
    if (
        strangers
        or contradictory
        or _swapped(old, new, one, other)
        or any(_contradict(kind, one[kind], other[kind]) for kind in one.keys() | other.keys())
    ):
        return Likeness.CHANGED if same_subject or _related(old, new, strangers) else Likeness.OTHER
    alike = jaccard(old.tokens, new.tokens)
    if _other_object(old, new, one, other):
        return Likeness.REWORDING if same_subject else Likeness.OTHER
    substituted = not same_subject and _substituted(old, new)
    if alike >= SAME_FROM and not apart and not substituted and _equal(old, new, one, other):
        return Likeness.SAME
    return Likeness.REWORDING if same_subject or alike >= ALIKE_FROM else Likeness.OTHER


def may_be_same(old: Claim, new: Claim) -> bool:
    """A cheap look before `compare`: False where it would not say SAME of two whose topic is not given."""
    if _substituted(old, new):
        return bool(old.marks_of(WHOLE) & new.marks_of(WHOLE))
    return True


def share_identifier(old: Claim, new: Claim) -> bool:
    """Whether both name the same account, or the same identifier and the one that it belongs to: a word of both."""
    if old.marks_of(ACCOUNT) & new.marks_of(ACCOUNT):
        return True
    values = {hard.partition(":")[2] for hard in new.hard if hard.startswith(NUMBERS)}
    return bool(old.marks_of(IDENTIFIER) & new.marks_of(IDENTIFIER) and (new.tokens - values) & old.tokens)


def _by_kind(claim: Claim) -> defaultdict[str, set[str]]:
    by_kind: defaultdict[str, set[str]] = defaultdict(set)
    for hard in claim.hard:
        kind, _, value = hard.partition(":")
        by_kind[kind].add(value)
    return by_kind


def _contradict(kind: str, one: set[str], other: set[str]) -> bool:
    if kind in ("name", "subject", "denied", OBJECT, OPENING):
        return False
    if kind in ASSERTED:
        return one != other
    if kind in DIRECTED and kind in DETAIL:
        return _reversed(one, other)
    return bool(one and other) and one != other


def _reversed(one: set[str], other: set[str]) -> bool:
    return any(">".join(reversed(pair.split(">", 1))) in other for pair in one)


def _related(old: Claim, new: Claim, strangers: bool) -> bool:
    one, other = _by_kind(old), _by_kind(new)
    if _other_object(old, new, one, other):
        return False
    if strangers and not one["name"] & other["name"]:
        about_others = one["subject"] and other["subject"] and not one["subject"] & other["subject"]
        if about_others or len(old.tokens & new.tokens) < 2:
            return False
    least = ALIKE_FROM / 2 if _reversed(one["order"], other["order"]) else ALIKE_FROM
    return _topic(old, new) >= least


def _swapped(old: Claim, new: Claim, one: Hard, other: Hard) -> bool:
    """Whether each claim denies something that the other affirms."""
    return bool(one["denied"] & (new.tokens - other["denied"]) and other["denied"] & (old.tokens - one["denied"]))


def _substituted(old: Claim, new: Claim) -> bool:
    """Whether a word stands in place of another: which of them matters words do not say."""
    return bool(old.tokens - new.tokens and new.tokens - old.tokens)


def _other_object(old: Claim, new: Claim, one: Hard, other: Hard) -> bool:
    """Whether a verb of both has an object in each that the other claim does not mention (never send proposals, never
    send invoices).
    """
    acting, acted_on = _by_verb(one), _by_verb(other)
    return any(
        not acting[verb] & acted_on[verb] and acting[verb] - new.tokens and acted_on[verb] - old.tokens
        for verb in acting.keys() & acted_on.keys()
    )


def _about_others(old: Claim, new: Claim, one: Hard, other: Hard) -> bool:
    """Whether each claim opens with what the other does not have: Acme orders pallets, Globex orders pallets.

    A thing with its number is no token: only an opening is equal to it.
    """
    return bool(one[OPENING] - new.tokens - other[OPENING] and other[OPENING] - old.tokens - one[OPENING])


def _by_verb(claim: Hard) -> Hard:
    by_verb: defaultdict[str, set[str]] = defaultdict(set)
    for pair in claim[OBJECT]:
        verb, _, noun = pair.partition(">")
        by_verb[verb].add(noun)
    return by_verb


def _unmet(one: Hard, claim: Claim, other: Hard) -> set[str]:
    """The names in `one` that the other claim does not mention, not even in lower case."""
    return one["name"] - claim.tokens - other["name"]


def _equal(old: Claim, new: Claim, one: Hard, other: Hard) -> bool:
    """Whether the hard tokens agree.

    A name also agrees with its lower-case word, an optional detail with its absence.
    """
    if _unmet(one, new, other) or _unmet(other, old, one):
        return False
    strict = (one.keys() | other.keys()) - DETAIL - {"name"}
    return all(one[kind] == other[kind] for kind in strict)


def _topic(old: Claim, new: Claim) -> float:
    """Token overlap without the hard values that differ."""
    apart = {hard.partition(":")[2] for hard in old.hard ^ new.hard if not hard.startswith(UNVALUED)}
    return jaccard(old.tokens - (apart - new.tokens), new.tokens - (apart - old.tokens))
