"""Ranking of passages by how well they answer a question, and of memories by their best passage. Pure.

A word of the question counts once for a passage, by how near it was said: fully in the passage itself, by a share of
that one, two or three passages before or after it. In conversations the answer rarely repeats the question: on LoCoMo's
dialogues this finds 5 points more of the evidence than adding a share of the neighbours' scores.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from memories.values.text import ROLES

Array = np.ndarray[Any, Any]
ENOUGH = 0.5  # of what the question's words tell: less counts as less, or one weak stem would outweigh any meaning
FEW_PASSAGES = 10  # fewer do not tell how rare a word is
BITS = 60  # of a mask that are read at once
ALL_BITS = (1 << BITS) - 1
PAIRS = 0.5  # about the share of character bigrams that are words
REPEATS = 2.0  # k1 of BM25, for character bigrams: said twice counts 1.5, always 3
CROWD, ASKED_CROWD = 10, 20  # of what is shared and of what lies in the asked scopes: this place has what chance gives
NOT_REPEATED: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True)
class Weights:
    """Weights of the ranking. `neighbours`: the weight of a word one, two, ... passages away. `shared`: the
    least share of its score that a passage keeps which lies in a shared scope, where another was asked.
    """

    words: float = 0.7
    meaning: float = 0.3
    neighbours: tuple[float, ...] = (0.8, 0.5, 0.3)
    actor: float = 0.3
    shared: float = 0.5
    relevance: float = 0.8
    salience: float = 0.15
    confidence: float = 0.05


def weights_of(named: Mapping[str, Any]) -> Weights:
    return Weights(**named)


class Candidate(NamedTuple):
    """A passage of the pool.

    `matched`: bit n is set when it holds the question's word n. `cosine`: of the raw vectors, `similarity`: centred;
    None without a vector. `share`: 1 in an asked scope, else Weights.shared. `repeated`: bit of a character bigram to
    how often it is said, where it is more than once.
    """

    passage: int
    memory: Any
    position: int
    part: int
    type: str
    actor: str
    source: str
    matched: int
    cosine: float | None
    similarity: float | None
    salience: float
    confidence: int
    share: float = 1.0
    repeated: Mapping[int, int] = NOT_REPEATED


class Word(NamedTuple):
    """A word of the question.

    `idf`: among the passages that hold one of the words; `rarity`: the same with FEW_PASSAGES more of them. `whole`
    False: a character bigram of a script without spaces, which may not be a word.
    """

    idf: float
    rarity: float
    whole: bool = True


class Scored(NamedTuple):
    """A scored passage.

    `score` is the sum of the four parts after it, and orders the pool. `relevance`: how much of the question the
    passage answers, 0 to 1, independent of the rest of the pool.
    """

    candidate: Candidate
    score: float
    words: float
    neighbours: float
    meaning: float
    actor: float
    relevance: float


class Ranked(NamedTuple):
    """A ranked memory: `passages` best first, `of_best`: its best score as a share of the best in the pool."""

    score: float
    of_best: float
    passages: list[Scored]

    @property
    def relevance(self) -> float:
        """The relevance of its best passage."""
        return self.passages[0].relevance


def idf(found: float, holding: Sequence[float]) -> list[float]:
    """Inverse document frequency (BM25): ln(1 + (N - df + 0.5) / (df + 0.5)), with N = `found` and df of each word in
    `holding`.
    """
    return [math.log(1 + (max(found - df, 0) + 0.5) / (df + 0.5)) for df in holding]


def by_passage(pool: Collection[Candidate], words: Sequence[Word], question: str, weights: Weights) -> list[Scored]:
    """Score every passage of the pool, best first; on a tie the later stored one first.

    `words`: in the order of the bits of `matched`.
    """
    if not pool:
        return []
    group = {memory: number for number, memory in enumerate({row.memory: None for row in pool})}
    rows = sorted(pool, key=lambda row: (group[row.memory], row.position, row.part))
    bits = _bits([row.matched for row in rows], len(words))
    places = np.array([(group[row.memory], row.position) for row in rows])
    told = np.array([word.idf for word in words], dtype=float)
    said = _repeated(bits, rows)
    own, near = said @ told, _spread(said, places, weights.neighbours) @ told
    share = _shares(rows)
    most = max((near * share).max(), ENOUGH * sum(word.idf for word in words if word.whole)) or 1.0
    parts = np.stack(
        [
            weights.words * own / most,
            weights.words * (near - own) / most,
            weights.meaning * _between([row.cosine for row in rows]),
            weights.actor * _named(rows, question),
        ]
    )
    parts *= _kept(parts.sum(axis=0), share)
    answers = _relevance(bits, words, [row.similarity for row in rows])
    lines = np.stack([parts.sum(axis=0), *parts, answers]).T.tolist()
    scored = [Scored(row, *line) for row, line in zip(rows, lines, strict=True)]
    return sorted(scored, key=lambda one: (-one.score, -one.candidate.passage))


def _bits(masks: Sequence[int], words: int) -> Array:
    """One row for each mask, one column for each word: 1 where its bit is set."""
    parts = [
        np.array([mask >> start & ALL_BITS for mask in masks], dtype=np.int64)[:, None]
        >> np.arange(min(BITS, words - start))
        & 1
        for start in range(0, words, BITS)
    ]
    return np.concatenate(parts, axis=1).astype(float) if parts else np.zeros((len(masks), 0))


def _repeated(bits: Array, rows: Sequence[Candidate]) -> Array:
    """The bits, more than 1 where a character bigram is said again: what a long text of such a script is about."""
    again = [(place, n, times) for place, row in enumerate(rows) for n, times in row.repeated.items()]
    if not again:
        return bits
    said = bits.copy()
    place, n, times = np.array(again).T
    said[place, n] = times * (REPEATS + 1) / (times + REPEATS)
    return said


def by_memory(scored: Sequence[Scored], weights: Weights) -> list[Ranked]:
    """Rank memories by their best passage, then by salience and confidence. `scored` is best first."""
    best = scored[0].score if scored else 0.0
    found: dict[Any, list[Scored]] = {}
    for one in scored:
        found.setdefault(one.candidate.memory, []).append(one)
    ranked = [_ranked(passages, best or 1.0, weights) for passages in found.values()]
    return sorted(ranked, key=lambda one: (-one.score, -one.passages[0].candidate.passage))


def _ranked(passages: list[Scored], best: float, weights: Weights) -> Ranked:
    first = passages[0]
    of_best = first.score / best
    of_itself = weights.salience * first.candidate.salience + weights.confidence * first.candidate.confidence / 100
    return Ranked(weights.relevance * of_best + of_itself, of_best, passages)


def _relevance(bits: Array, words: Sequence[Word], similarities: Sequence[float | None]) -> Array:
    """Mean of the share of the question's word weight in the passage, and of the similarity in meaning.

    Where one of the two is undefined, the other alone.
    """
    alike: Array = np.clip(np.array(similarities, dtype=float), 0.0, 1.0)  # None becomes nan
    told = np.array([word.rarity for word in words], dtype=float)
    most = sum(word.rarity * (1.0 if word.whole else PAIRS) for word in words)
    if not most:
        return np.nan_to_num(alike)
    share: Array = np.minimum(bits @ told / most, 1.0)
    return np.where(np.isnan(alike), share, (share + alike) / 2)


def _spread(bits: Array, places: Array, neighbours: Sequence[float]) -> Array:
    """Weight of each word for each passage by distance: 1 in the passage itself, less further away, 0 out of reach.

    `places`: memory and position of each passage, sorted.
    """
    near = bits.copy()
    memory, position = places.T
    reach = np.array([0.0, *neighbours, 0.0])
    for step in range(1, min(len(neighbours), len(bits) - 1) + 1):
        away = np.clip(position[step:] - position[:-step], step, len(reach) - 1)
        share = np.where(memory[step:] == memory[:-step], reach[away], 0.0)[:, None]
        near[step:] = np.maximum(near[step:], share * bits[:-step])
        near[:-step] = np.maximum(near[:-step], share * bits[step:])
    return near


def _between(cosines: Sequence[float | None]) -> Array:
    """Min-max scaling of cosines over the pool, 0 to 1; 0 without a vector."""
    values = np.array(cosines, dtype=float)  # None becomes nan
    if np.isnan(values).all():
        return np.zeros(len(values))
    least, most = np.nanmin(values), np.nanmax(values)
    if most == least:
        return np.where(np.isnan(values), 0.0, 1.0)
    between: Array = np.nan_to_num((values - least) / (most - least))
    return between


def _shares(rows: Sequence[Candidate]) -> Array:
    """The least shares as parts of the greatest: where the asked scopes have nothing, what is shared counts in full."""
    shares = np.array([row.share for row in rows])
    most = shares.max()
    return shares / most if most else np.ones(len(rows))


def _kept(scores: Array, share: Array) -> Array:
    """The share of its score that each passage keeps.

    Among thousands of shared passages some fit any question by chance. How well, their CROWDth tells; what it is ahead
    of the asked scopes' own is taken from each, so that one which answers better than its crowd still comes first.
    """
    shared = share < 1
    ahead = max(0.0, _nth(scores[shared], CROWD) - _nth(scores[~shared], ASKED_CROWD))
    return np.where(shared, np.maximum(1 - ahead / np.maximum(scores, 1e-9), share), 1.0)


def _nth(scores: Array, n: int) -> float:
    """The nth best score; 0 where there are fewer."""
    return float(np.partition(scores, -n)[-n]) if len(scores) >= n else 0.0


def _named(rows: Sequence[Candidate], question: str) -> Array:
    """1 where the question names the speaker or source. Of several people with the same first name it names those whose
    whole name it says, if it says one; else all of them.
    """
    said = question.casefold()
    names = {name for row in rows for name in (row.actor, row.source)}
    first = {name: name.casefold().split()[0] for name in names if is_named(name, said)}
    whole = {name for name in first if _is_said(name, said)}
    known = {first[name] for name in whole if " " in name.strip()}
    named = {name for name in first if name in whole or first[name] not in known}
    return np.array([row.actor in named or row.source in named for row in rows], dtype=float)


def _is_said(name: str, question: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.strip().casefold())}(?!\w)", question) is not None


def is_named(name: str, question: str) -> bool:
    """Whether the casefolded question names this speaker or source, by the whole name or its first word.

    A role such as `user` is no name.
    """
    name = name.strip().casefold()
    if not name or name in ROLES:
        return False
    if not name.isascii():
        return name in question
    first = name.split()[0]
    spoken = {name, first} if len(first) > 2 else {name}
    return any(_is_said(one, question) for one in spoken)
