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
    contradictory, differs = contradict(old, new), differ(old, new)
    if old.marks_of(WHOLE) & new.marks_of(WHOLE) or (old == new and not (contradictory or differs)):
        return Likeness.SAME
    old_kinds, new_kinds = _by_kind(old), _by_kind(new)
    if not same_subject and _about_others(old, new, old_kinds, new_kinds):
        return Likeness.OTHER
    strangers = bool(_unmet(old_kinds, new, new_kinds) and _unmet(new_kinds, old, old_kinds))
    if (
        strangers
        or contradictory
        or _deny_each_other(old, new, old_kinds, new_kinds)
        or any(_contradict(kind, old_kinds[kind], new_kinds[kind]) for kind in old_kinds.keys() | new_kinds.keys())
    ):
        return Likeness.CHANGED if same_subject or _has_same_topic(old, new, strangers) else Likeness.OTHER
    similarity = jaccard(old.tokens, new.tokens)
    if _other_object(old, new, old_kinds, new_kinds):
        return Likeness.REWORDING if same_subject else Likeness.OTHER
    is_substituted = not same_subject and _has_substitution(old, new)
    if similarity >= SAME_FROM and not differs and not is_substituted and _equal(old, new, old_kinds, new_kinds):
        return Likeness.SAME
    return Likeness.REWORDING if same_subject or similarity >= ALIKE_FROM else Likeness.OTHER


def may_be_same(old: Claim, new: Claim) -> bool:
    """A cheap look before `compare`: False where it would not say SAME of two whose topic is not given."""
    if _has_substitution(old, new):
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


def _contradict(kind: str, old_values: set[str], new_values: set[str]) -> bool:
    if kind in ("name", "subject", "denied", OBJECT, OPENING):
        return False
    if kind in ASSERTED:
        return old_values != new_values
    if kind in DIRECTED and kind in DETAIL:
        return _has_reversed_pair(old_values, new_values)
    return bool(old_values and new_values) and old_values != new_values


def _has_reversed_pair(pairs: set[str], other_pairs: set[str]) -> bool:
    return any(">".join(reversed(pair.split(">", 1))) in other_pairs for pair in pairs)


def _has_same_topic(old: Claim, new: Claim, strangers: bool) -> bool:
    old_kinds, new_kinds = _by_kind(old), _by_kind(new)
    if _other_object(old, new, old_kinds, new_kinds):
        return False
    if strangers and not old_kinds["name"] & new_kinds["name"]:
        about_others = old_kinds["subject"] and new_kinds["subject"] and not old_kinds["subject"] & new_kinds["subject"]
        if about_others or len(old.tokens & new.tokens) < 2:
            return False
    least = ALIKE_FROM / 2 if _has_reversed_pair(old_kinds["order"], new_kinds["order"]) else ALIKE_FROM
    return _topic(old, new) >= least


def _deny_each_other(old: Claim, new: Claim, old_hard: Hard, new_hard: Hard) -> bool:
    """Whether each claim denies something that the other affirms."""
    return bool(
        old_hard["denied"] & (new.tokens - new_hard["denied"])
        and new_hard["denied"] & (old.tokens - old_hard["denied"])
    )


def _has_substitution(old: Claim, new: Claim) -> bool:
    """Whether each claim has a token that the other lacks: tokens do not tell whether it matters."""
    return bool(old.tokens - new.tokens and new.tokens - old.tokens)


def _other_object(old: Claim, new: Claim, old_kinds: Hard, new_kinds: Hard) -> bool:
    """Whether a verb of both has an object in each that the other claim does not mention (never send proposals, never
    send invoices).
    """
    old_objects, new_objects = _by_verb(old_kinds), _by_verb(new_kinds)
    return any(
        not old_objects[verb] & new_objects[verb] and old_objects[verb] - new.tokens and new_objects[verb] - old.tokens
        for verb in old_objects.keys() & new_objects.keys()
    )


def _about_others(old: Claim, new: Claim, old_kinds: Hard, new_kinds: Hard) -> bool:
    """Whether each claim opens with what the other does not have: Acme orders pallets, Globex orders pallets.

    A thing with its number is no token: only an opening is equal to it.
    """
    return bool(
        old_kinds[OPENING] - new.tokens - new_kinds[OPENING] and new_kinds[OPENING] - old.tokens - old_kinds[OPENING]
    )


def _by_verb(claim: Hard) -> Hard:
    by_verb: defaultdict[str, set[str]] = defaultdict(set)
    for pair in claim[OBJECT]:
        verb, _, noun = pair.partition(">")
        by_verb[verb].add(noun)
    return by_verb


def _unmet(kinds: Hard, other_claim: Claim, other_kinds: Hard) -> set[str]:
    """The names in `kinds` that the other claim does not mention, not even in lower case."""
    return kinds["name"] - other_claim.tokens - other_kinds["name"]


def _equal(old: Claim, new: Claim, old_kinds: Hard, new_kinds: Hard) -> bool:
    """Whether the hard tokens agree.

    A name also agrees with its lower-case word, an optional detail with its absence.
    """
    if _unmet(old_kinds, new, new_kinds) or _unmet(new_kinds, old, old_kinds):
        return False
    strict = (old_kinds.keys() | new_kinds.keys()) - DETAIL - {"name"}
    return all(old_kinds[kind] == new_kinds[kind] for kind in strict)


def _topic(old: Claim, new: Claim) -> float:
    """Token overlap without the hard values that differ."""
    differing = {hard.partition(":")[2] for hard in old.hard ^ new.hard if not hard.startswith(UNVALUED)}
    return jaccard(old.tokens - (differing - new.tokens), new.tokens - (differing - old.tokens))
