"""Comparison of two claims by what is no token: the order of words, names in code, directions and small words."""

from collections import defaultdict

from memories.claims.claim import MANNER, NAMED, TOWARD, Claim
from memories.claims.manners import OPPOSITE, WITH_PRESENCE


def contradict(old: Claim, new: Claim) -> bool:
    """Whether both say something of the same words that cannot hold together: A pays B and B pays A, may and must."""
    return _is_exchanged(old, new) or _other_manner(old, new) or _other_direction(old, new)


def differ(old: Claim, new: Claim) -> bool:
    """Whether one says something that the other does not, by other names in code, or a share or condition."""
    old_names, new_names = old.marks_of(NAMED), new.marks_of(NAMED)
    if old_names - new_names and new_names - old_names:
        return True
    alone = old.marks_of(MANNER) ^ new.marks_of(MANNER)
    return any(mark.endswith(tuple(f"={value}" for value in WITH_PRESENCE)) for mark in alone)


def _other_manner(old: Claim, new: Claim) -> bool:
    one, other = _by_group(old), _by_group(new)
    return any(one[group].isdisjoint(other[group]) for group in one.keys() & other.keys() - {"condition"})


def _by_group(claim: Claim) -> defaultdict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for mark in claim.marks_of(MANNER):
        group, _, value = mark.partition("=")
        found[group.removeprefix(f"{MANNER}:")].add(value)
    return found


def _other_direction(old: Claim, new: Claim) -> bool:
    """Whether the same word is led to by opposite prepositions, and by none in both."""
    one, other = _by_word(old), _by_word(new)
    return any(
        one[word].isdisjoint(other[word])
        and any((a, b) in OPPOSITE or (b, a) in OPPOSITE for a in one[word] for b in other[word])
        for word in one.keys() & other.keys()
    )


def _by_word(claim: Claim) -> defaultdict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for mark in claim.marks_of(TOWARD):
        preposition, _, word = mark.partition(":")[2].partition(">")
        found[word].add(preposition)
    return found


def _is_exchanged(old: Claim, new: Claim) -> bool:
    """Whether words of both stand in each other's places around others that stay: a b c and c b a.

    Words that only moved (a b c and b c a) say the same: "On Mondays she sends the report" ends with Mondays as well.
    """
    one, other = old.sequence, new.sequence
    shared = {*one} & {*other}
    one, other = [word for word in one if word in shared], [word for word in other if word in shared]
    if len(one) != len(other) or one == other:
        return False
    start = next(at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    end = next(at for at, (a, b) in enumerate(zip(one[::-1], other[::-1], strict=True)) if a != b)
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    return _in_exchanged_places(one, other) or _around_a_middle(one, other)


def _in_exchanged_places(one: list[str], other: list[str]) -> bool:
    kept = sum(a == b for a, b in zip(one, other, strict=True))
    return kept > 0 and 2 * kept >= len(one) - kept


def _around_a_middle(one: list[str], other: list[str]) -> bool:
    length = len(one)
    for first in range(1, length - 1):
        if one[:first] == other[length - first :]:
            for last in range(1, length - first):
                if one[length - last :] == other[:last] and one[first : length - last] == other[last : length - first]:
                    return True
    return False
