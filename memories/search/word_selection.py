"""Which words find the candidates, where there is too much to look at everything. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from memories.search.estimates import Figures

REACH = 10_000  # passages that a search looks at, at most, where it has the choice


@dataclass(frozen=True)
class Reach:
    """`query`: the tsquery of the candidates. Where not everything is looked at: `most` of them, `found` passages in
    all, and how many hold each word as far as it is not counted (None: counted)."""

    query: str
    most: int | None = None
    found: float | None = None
    holding: list[float | None] = field(default_factory=list)


def reach(words: Sequence[str], known: Figures, scopes: Collection[str] | None, most: int = REACH) -> Reach:
    """Any of the words, where few passages are expected to hold one; else any of the rarest; where even the rarest is
    in too many, it together with the next ones."""
    there = known.within(scopes)
    expected = [there * known.share(word) for word in words]
    if there <= most or sum(expected) <= most:
        return Reach(_any(words), holding=[None] * len(words))
    order = sorted(range(len(words)), key=lambda n: expected[n])
    taken = _as_many_as_fit(order, expected, most)
    if taken:
        holding = [None if n in taken else expected[n] for n in range(len(words))]
        return Reach(_any([words[n] for n in taken]), most, there, holding)
    together, left = order[:1], expected[order[0]]
    for n in order[1:]:
        if left <= most:
            break
        together.append(n)
        left *= known.share(words[n])
    return Reach(" & ".join(quoted(words[n]) for n in together), most, there, list(expected))


def _as_many_as_fit(order: Sequence[int], expected: Sequence[float], most: int) -> list[int]:
    taken, sum_of_taken = [], 0.0
    for n in order:
        sum_of_taken += expected[n]
        if sum_of_taken > most:
            break
        taken.append(n)
    return taken


def _any(words: Sequence[str]) -> str:
    return " | ".join(quoted(word) for word in words)


def quoted(word: str) -> str:
    """A lexeme as tsquery writes it, whatever is in it."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
