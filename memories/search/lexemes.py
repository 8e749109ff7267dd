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

    `tsquery` finds the candidates, at most `most` of them. `total`: the estimated number of passages with any of the
    words. `frequencies`: the same for each word; None: it is counted exactly.
    """

    tsquery: str
    most: int | None
    total: float | None
    frequencies: list[float | None]


def lexeme_query(
    words: Sequence[str],
    statistics: TableStatistics,
    scopes: Collection[str] | None,
    emphasis: Mapping[str, float] = EVEN,
) -> LexemeQuery:
    """Build the query: any of the words where few passages match, else any of the rarest words.

    A word of half the weight must be twice as rare. Where even the rarest word matches too many, it is combined with
    the next ones.
    """
    passages = statistics.passages_in(scopes)
    shares = [statistics.share(word) for word in words]
    expected_counts = [passages * share for share in shares]
    enough = MOST_MATCHED if scopes else min(max(ENOUGH, ENOUGH_SHARE * passages), MOST_MATCHED)
    if passages <= MOST_MATCHED or sum(expected_counts) <= enough:
        return LexemeQuery(_any(words), None, None, [None] * len(words))
    total = passages * (1 - math.prod(1 - share for share in shares))
    rarest_first = sorted(range(len(words)), key=lambda n: expected_counts[n] / emphasis.get(words[n], 1.0))
    combined_words, passages_left = rarest_first[:1], expected_counts[rarest_first[0]]
    if passages_left <= MOST_MATCHED:
        chosen = _as_many_as_fit(rarest_first, expected_counts, max(passages_left, enough))
        frequencies = [None if n in chosen else expected_counts[n] for n in range(len(words))]
        return LexemeQuery(_any([words[n] for n in chosen]), MOST_MATCHED, total, frequencies)
    for n in rarest_first[1:]:
        if passages_left <= MOST_MATCHED:
            break
        combined_words.append(n)
        passages_left *= shares[n]
    return LexemeQuery(
        " & ".join(quote_lexeme(words[n]) for n in combined_words), MOST_MATCHED, total, list(expected_counts)
    )


def _as_many_as_fit(rarest_first: Sequence[int], expected_counts: Sequence[float], most: float) -> list[int]:
    chosen, passages = [], 0.0
    for n in rarest_first:
        passages += expected_counts[n]
        if passages > most:
            break
        chosen.append(n)
    return chosen


def _any(words: Sequence[str]) -> str:
    return " | ".join(quote_lexeme(word) for word in words)


def quote_lexeme(word: str) -> str:
    """Quote a lexeme for tsquery."""
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def most_words(passages: float) -> int:
    """How many words of a question are searched for among so many passages."""
    if passages > MOST_MATCHED:
        return MOST_WORDS
    return int(max(MOST_WORDS_OF_FEW, min(MOST_TESTS / max(passages, 1.0), MOST_WORDS_OF_LONG)))


def rarest(
    words: Sequence[str], passage_counts: Sequence[float], most: int, emphasis: Mapping[str, float] = EVEN
) -> list[str]:
    """At most `most` words: by weight, then by the fewest passages, then the longest; without words that no passage
    holds.
    """
    found_words = [
        (-emphasis.get(word, 1.0), count, -len(word), word)
        for word, count in zip(words, passage_counts, strict=True)
        if count
    ]
    return [word for *_, word in sorted(found_words)[:most]]


def longest(words: Sequence[str], most: int, emphasis: Mapping[str, float] = EVEN) -> list[str]:
    """At most `most` words: by weight, then the longest."""
    return sorted(words, key=lambda word: (-emphasis.get(word, 1.0), -len(word), word))[:most]
