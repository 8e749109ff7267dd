"""How easily a split of counts comes about when nothing is behind it."""

from math import comb


def by_chance(one: int, of_one: int, other: int, of_other: int) -> float:
    """The probability that the shares of two groups lie so far apart or farther (Fisher's exact test, one side)."""
    with_it, total = one + other, of_one + of_other
    if not of_one or not of_other:
        return 1.0
    most, least = min(with_it, of_one), max(0, with_it - of_other)
    low, high = (one, most) if one * of_other > other * of_one else (least, one)
    ways = sum(comb(of_one, k) * comb(of_other, with_it - k) for k in range(low, high + 1))
    return ways / comb(total, with_it)
