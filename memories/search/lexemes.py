"""Choice of the lexemes of a question to search for, where there are too many passages to match them all. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from memories.search.table_statistics import TableStatistics

MOST_MATCHED = 10_000  # most passages that a search scores; of no more passages every word finds, and is counted
ENOUGH, ENOUGH_SHARE = 4_000, 0.04  # passages to score of all scopes, whose words are as frequent as is estimated
MOST_WORDS, MOST_WORDS_OF_FEW = 32, 60  # most words of a question, where many and where few passages are searched
MOST_TESTS = 300_000  # most pairs of a word and a passage: in small scopes a question keeps more words
MOST_WORDS_OF_LONG = 240  # most words of a question, however small the scope
MOST_COUNTED_WORDS = 1_000  # most words of a long question of which it is counted how rare they are

EVEN: Mapping[str, float] = MappingProxyType({})  # every word counts alike


@dataclass(frozen=True)
class LexemeQuery:
    """The lexemes to search for.

    `tsquery` finds the candidates. With a limit: `most` of them, in how many passages one of the words is expected
    (`total`), and how many hold each word as far as that is estimated (None: counted exactly).
    """

    tsquery: str
    most: int | None
    total: float | None
    frequencies: list[float | None]


def lexeme_query(
    words: Sequence[str],
    known: TableStatistics,
    scopes: Collection[str] | None,
    emphasis: Mapping[str, float] = EVEN,
) -> LexemeQuery:
    """Build the query: any of the words where few passages match, else any of the rarest words.

    A word of half the weight must be twice as rare. Where even the rarest word matches too many, it is combined with
    the next ones.
    """
    passages = known.passages_in(scopes)
    shares = [known.share(word) for word in words]
    expected = [passages * share for share in shares]
    enough = MOST_MATCHED if scopes else min(max(ENOUGH, ENOUGH_SHARE * passages), MOST_MATCHED)
    if passages <= MOST_MATCHED or sum(expected) <= enough:
        return LexemeQuery(_any(words), None, None, [None] * len(words))
    total = passages * (1 - math.prod(1 - share for share in shares))
    rarest_first = sorted(range(len(words)), key=lambda n: expected[n] / emphasis.get(words[n], 1.0))
    together, left = rarest_first[:1], expected[rarest_first[0]]
    if left <= MOST_MATCHED:
        chosen = _as_many_as_fit(rarest_first, expected, max(left, enough))
        frequencies = [None if n in chosen else expected[n] for n in range(len(words))]
        return LexemeQuery(_any([words[n] for n in chosen]), MOST_MATCHED, total, frequencies)
    for n in rarest_first[1:]:
        if left <= MOST_MATCHED:
            break
        together.append(n)
        left *= shares[n]
    return LexemeQuery(" & ".join(quoted(words[n]) for n in together), MOST_MATCHED, total, list(expected))


def _as_many_as_fit(rarest_first: Sequence[int], expected: Sequence[float], most: float) -> list[int]:
    chosen, passages = [], 0.0
    for n in rarest_first:
        passages += expected[n]
        if passages > most:
            break
        chosen.append(n)
    return chosen


def _any(words: Sequence[str]) -> str:
    return " | ".join(quoted(word) for word in words)


def quoted(word: str) -> str:
    """Quote a lexeme for tsquery."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def most_words(passages: float) -> int:
    """How many words of a question are searched for among so many passages."""
    if passages > MOST_MATCHED:
        return MOST_WORDS
    return int(max(MOST_WORDS_OF_FEW, min(MOST_TESTS / max(passages, 1.0), MOST_WORDS_OF_LONG)))


def rarest(
    words: Sequence[str], holding: Sequence[float], most: int, emphasis: Mapping[str, float] = EVEN
) -> list[str]:
    """The words of the greatest weight, of these the ones that the fewest passages hold, without those that none holds;
    of equally rare ones the longest.
    """
    held = [
        (-emphasis.get(word, 1.0), count, -len(word), word) for word, count in zip(words, holding, strict=True) if count
    ]
    return [word for *_, word in sorted(held)[:most]]


def longest(words: Sequence[str], most: int, emphasis: Mapping[str, float] = EVEN) -> list[str]:
    """The words of the greatest weight, of these the longest."""
    return sorted(words, key=lambda word: (-emphasis.get(word, 1.0), -len(word), word))[:most]
