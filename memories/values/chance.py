"""Statistics of counts: Fisher's exact test and the Wilson interval."""

from math import comb, sqrt

Z95 = 1.959964


def by_chance(first: int, first_total: int, second: int, second_total: int) -> float:
    """Return the one-sided p-value of Fisher's exact test; 1.0 when a group is empty.

    The probability that `first` of `first_total` and `second` of `second_total` differ at least so much by chance.
    """
    successes, total = first + second, first_total + second_total
    if not first_total or not second_total:
        return 1.0
    most, least = min(successes, first_total), max(0, successes - second_total)
    low, high = (first, most) if first * second_total > second * first_total else (least, first)
    ways = sum(comb(first_total, k) * comb(second_total, successes - k) for k in range(low, high + 1))
    return ways / comb(total, successes)


def wilson(successes: int, failures: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a success rate (Wilson 1927), 0-1; (0, 1) without a case."""
    n = successes + failures
    if n == 0:
        return 0.0, 1.0
    rate, spread = successes / n, Z95 * Z95 / n
    middle = rate + spread / 2
    margin = Z95 * sqrt(rate * (1 - rate) / n + spread / (4 * n))
    return max(0.0, (middle - margin) / (1 + spread)), min(1.0, (middle + margin) / (1 + spread))
