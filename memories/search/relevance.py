"""How much of a question a passage answers, 0 to 1, whatever else is in the pool. Pure.

Words of a script without spaces are not known, only their character bigrams. A long text holds many of these by chance,
and says again and again what it is about: they count as in BM25, more where they are repeated, less in a long text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
BITS = 60  # of a mask that are read at once
ALL_BITS = (1 << BITS) - 1
PAIRS = 0.5  # about the share of character bigrams that are words
REPEATS = 2.0  # k1 of BM25, for character bigrams: in the ranking said twice counts 1.5, always 3
BY_LENGTH = 0.75  # b of BM25: how much of that depends on the length
USUAL_LENGTH = 250  # characters, of which a bigram that is said once counts 1


class Word(NamedTuple):
    """A word of the question.

    `idf`: among the passages that hold one of the words; `rarity`: the same with FEW_PASSAGES more of them. `is_whole`
    False: a character bigram of a script without spaces, which may not be a word.
    """

    idf: float
    rarity: float
    is_whole: bool = True


def word_count(words: Sequence[Word]) -> float:
    """About how many words these are."""
    return sum(1.0 if word.is_whole else PAIRS for word in words)


def bits(masks: Sequence[int], words: int) -> Array:
    """One row for each mask, one column for each word: 1 where its bit is set."""
    starts = range(0, words, BITS)
    parts = [[mask >> start & ALL_BITS for mask in masks] for start in starts] if words > BITS else [masks]
    by_word = [
        np.array(part, dtype=np.int64)[:, None] >> np.arange(min(BITS, words - start)) & 1
        for start, part in zip(starts, parts, strict=False)
    ]
    return np.concatenate(by_word, axis=1).astype(float) if by_word else np.zeros((len(masks), 0))


def occurrences(word_bits: Array, repeat_counts: Sequence[Mapping[int, int]]) -> Array:
    """How often each word stands in each passage: its bit, or its count for a repeated character bigram."""
    repeats = [(place, n, often) for place, row in enumerate(repeat_counts) if row for n, often in row.items()]
    if not repeats:
        return word_bits
    counts = word_bits.copy()
    place, n, often = np.array(repeats).T
    counts[place, n] = often
    return counts


def saturate(counts: Array, length_factor: float | Array = 1.0) -> Array:
    """The weight of a word that stands there so often, as in BM25; `length_factor`: 1 for a text of USUAL_LENGTH."""
    saturated_counts: Array = counts * (REPEATS + 1) / (counts + REPEATS * length_factor)
    return saturated_counts


def relevance(
    counts: Array,
    words: Sequence[Word],
    lengths: Sequence[int],
    similarities: Sequence[float | None],
    embedded_share: float,
) -> Array:
    """Mean of the share of the question's word weight that the passage holds and of its similarity in meaning, which
    counts by `embedded_share`. Where one of the two is undefined, the other alone.
    """
    similarity: Array = np.clip(np.array(similarities, dtype=float), 0.0, 1.0)  # None becomes nan
    rarities = np.array([word.rarity for word in words], dtype=float)
    if not rarities.sum():
        return np.nan_to_num(similarity)
    share: Array = np.minimum(_normalize_lengths(counts, words, lengths) @ rarities / rarities.sum(), 1.0)
    return np.where(np.isnan(similarity), share, share + (similarity - share) * embedded_share / 2)


def _normalize_lengths(counts: Array, words: Sequence[Word], lengths: Sequence[int]) -> Array:
    """The counts, those of bigrams saturated by the length of their passage."""
    bigrams = [n for n, word in enumerate(words) if not word.is_whole]
    if not bigrams:
        return counts
    weights = counts.copy()
    length_factors = 1 - BY_LENGTH + BY_LENGTH * np.array(lengths, dtype=float) / USUAL_LENGTH
    weights[:, bigrams] = saturate(counts[:, bigrams], length_factors[:, None])
    return weights
