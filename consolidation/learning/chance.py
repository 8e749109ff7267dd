"""Statistics of counts: Fisher's exact test and the Wilson interval."""

from math import comb, sqrt

Z95 = 1.959964


def by_chance(one: int, of_one: int, other: int, of_other: int) -> float:
    """Return the one-sided p-value of Fisher's exact test; 1.0 when a group is empty.

    The probability that the shares `one` of `of_one` and `other` of `of_other` differ at least so much by chance.
    """
    with_it, total = one + other, of_one + of_other
    if not of_one or not of_other:
        return 1.0
    most, least = min(with_it, of_one), max(0, with_it - of_other)
    low, high = (one, most) if one * of_other > other * of_one else (least, one)
    ways = sum(comb(of_one, k) * comb(of_other, with_it - k) for k in range(low, high + 1))
    return ways / comb(total, with_it)


def at_least(n: int, of: int) -> float:
    """Return the lower end of the 95 % interval of the share `n` of `of` (Wilson 1927); 0.0 when `of` is 0."""
    if not of:
        return 0.0
    share, z = n / of, Z95 * Z95 / of
    return max(0.0, (share + z / 2 - Z95 * sqrt(share * (1 - share) / of + z / (4 * of))) / (1 + z))
