"""Ranking of passages by how well they answer a question. Pure.

A word of the question counts once for a passage, by how near it was said: fully in the passage itself, by a share of
that one, two or three passages before or after it. In conversations the answer rarely repeats the question: on LoCoMo's
dialogues this finds 5 points more of the evidence than adding a share of the neighbours' scores.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, Self, overload

import numpy as np

from memories.search import relevance
from memories.search.relevance import Array, Word
from memories.values import roles

ENOUGH = 0.5  # of what the question's words tell: less counts as less, or one weak stem would outweigh any meaning
FEW_PASSAGES = 10  # fewer do not tell how rare a word is
CROWD, ASKED_CROWD = 3, 20  # of what is shared and of what lies in the asked scopes: this place has what chance gives
NO_REPEATS: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True)
class Weights:
    """Weights of the ranking. `neighbours`: the weight of a word one, two, ... passages away. `shared`: the
    least share of its score that a passage keeps which lies in a shared scope, where another was asked. `pieces`: that
    of word pieces, see late_interaction.py.
    """

    words: float = 0.7
    meaning: float = 0.3
    neighbours: tuple[float, ...] = (0.8, 0.5, 0.3)
    actor: float = 0.3
    pieces: float = 0.4
    shared: float = 0.5
    relevance: float = 0.8
    salience: float = 0.15
    confidence: float = 0.05


def weights_of(values: Mapping[str, Any]) -> Weights:
    return Weights(**values)


class Candidate(NamedTuple):
    """A passage of the pool. `memory`: the id of its memory as text, which hashes and sorts faster than a UUID.

    `matched`: bit n is set when it holds the question's word n. `cosine`: of the raw vectors, `similarity`: centred;
    None without a vector. `share`: 1 in an asked scope, else Weights.shared. `repeat_counts`: how
    often a character bigram stands in it, by its bit, where more than once. `text`: at least its beginning; '' where
    nothing reads it.
    """

    passage: int
    memory: str
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
    repeat_counts: Mapping[int, int] = NO_REPEATS
    text: str = ""
    length: int = 0


IN_ORDER = itemgetter(*map(Candidate._fields.index, ("memory", "position", "part")))


class ScoredPassage(NamedTuple):
    """A scored passage.

    `score` orders the pool: the sum of the four parts after it and of `pieces`, which only the best passages have.
    `relevance`: how much of the question the passage answers, 0 to 1, independent of the rest of the pool.
    `score_share`: the factor that its parts were multiplied by, less than 1 in a shared scope.
    """

    candidate: Candidate
    score: float
    words: float
    neighbours: float
    meaning: float
    actor: float
    relevance: float
    score_share: float = 1.0
    pieces: float = 0.0


NUMBERS = ScoredPassage._fields[1:]


class Scores(Sequence[ScoredPassage]):
    """The scored passages of a pool, best first. A ScoredPassage is built on access: most of a pool are never read.

    `rows`: by memory and position; `places`: two lines, the number of the memory and the position; `order`: indexes
    into `rows`, best first; `lines`: a line for each of NUMBERS, a column for each row.
    """

    def __init__(self, rows: Sequence[Candidate], places: Array, order: Array, lines: Array) -> None:
        self.rows, self.places, self.order, self.lines = rows, places, order, lines

    @classmethod
    def empty(cls) -> Self:
        return cls([], np.zeros((2, 0), dtype=int), np.zeros(0, dtype=int), np.zeros((len(NUMBERS), 0)))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> ScoredPassage: ...
    @overload
    def __getitem__(self, place: slice) -> list[ScoredPassage]: ...
    def __getitem__(self, place: int | slice) -> ScoredPassage | list[ScoredPassage]:
        return self._passages(self.order[place]) if isinstance(place, slice) else self._passages(self.order[[place]])[0]

    def __iter__(self) -> Iterator[ScoredPassage]:
        return iter(self[:])

    def places_of_memories(self) -> list[list[int]]:
        """The places of each memory's passages in the order, best first."""
        by_memory: dict[int, list[int]] = {}
        for place, memory in enumerate(self.places[0, self.order].tolist()):
            by_memory.setdefault(memory, []).append(place)
        return list(by_memory.values())

    def at(self, places: Sequence[int]) -> list[ScoredPassage]:
        """The passages at these places of the order."""
        return self._passages(self.order[list(places)])

    def beside(self, best: int, reach: int) -> list[Candidate]:
        """The `best` passages and those at most `reach` positions before or after them, by memory and position."""
        memory, position = self.places
        width = position.max(initial=0) + 2 * reach + 1  # so that no step leads into another memory
        place = memory * width + position
        places_to_keep = place[self.order[:best], None] + np.arange(-reach, reach + 1)
        return [self.rows[n] for n in np.flatnonzero(np.isin(place, places_to_keep)).tolist()]

    def with_pieces(self, pieces: Sequence[float]) -> Self:
        """The same passages with `pieces` added to the scores of the first ones, which are sorted again."""
        best, rest = self.order[: len(pieces)], self.order[len(pieces) :]
        lines = self.lines.copy()
        lines[NUMBERS.index("score"), best] += pieces
        lines[NUMBERS.index("pieces"), best] = pieces
        new_order = np.lexsort(([-self.rows[n].passage for n in best], -lines[NUMBERS.index("score"), best]))
        return type(self)(self.rows, self.places, np.concatenate([best[new_order], rest]), lines)

    def _passages(self, numbers: Array) -> list[ScoredPassage]:
        lines = self.lines[:, numbers].T.tolist()
        return [ScoredPassage(self.rows[n], *line) for n, line in zip(numbers.tolist(), lines, strict=True)]


def by_passage(
    pool: Collection[Candidate], words: Sequence[Word], question: str, weights: Weights, *, embedded_share: float = 1.0
) -> Scores:
    """Score every passage of the pool, best first; on a tie the later stored one first.

    `words`: in the order of the bits of `matched`. `embedded_share`: see Question.
    """
    if not pool:
        return Scores.empty()
    rows = sorted(pool, key=IN_ORDER)
    columns: Any = Candidate._make(zip(*rows, strict=True))  # of each field the values of all rows
    word_bits = relevance.bits(columns.matched, len(words))
    times = relevance.occurrences(word_bits, columns.repeat_counts)
    group = {memory: number for number, memory in enumerate(dict.fromkeys(columns.memory))}
    places = np.array([[group[memory] for memory in columns.memory], columns.position])
    rarities = np.array([word.idf for word in words], dtype=float)
    saturation = relevance.saturate(times)
    own_words, near_words = saturation @ rarities, spread(saturation, places, weights.neighbours) @ rarities
    share = _shares(columns.share)
    most = max((near_words * share).max(), ENOUGH * sum(word.idf for word in words if word.is_whole)) or 1.0
    parts = np.stack(
        [
            weights.words * own_words / most,
            weights.words * (near_words - own_words) / most,
            weights.meaning * _min_max(columns.cosine),
            weights.actor * naming_flags(columns.actor, columns.source, question),
        ]
    )
    score_shares = _score_shares(parts.sum(axis=0), share)
    parts *= score_shares
    relevances = relevance.relevance(times, words, columns.length, columns.similarity, embedded_share)
    scores = parts.sum(axis=0)
    lines = np.stack([scores, *parts, relevances, score_shares, np.zeros(len(rows))])
    return Scores(rows, places, np.lexsort((-np.array(columns.passage), -scores)), lines)


def spread(bits: Array, places: Array, neighbours: Sequence[float]) -> Array:
    """Weight of each word for each passage by distance: 1 in the passage itself, less further away, 0 out of reach.

    `places`: the memories of the passages and their positions, sorted.
    """
    near = bits.copy()
    memory, position = places
    reach = np.array([0.0, *neighbours, 0.0])
    for step in range(1, min(len(neighbours), len(bits) - 1) + 1):
        away = np.clip(position[step:] - position[:-step], step, len(reach) - 1)
        share = np.where(memory[step:] == memory[:-step], reach[away], 0.0)[:, None]
        near[step:] = np.maximum(near[step:], share * bits[:-step])
        near[:-step] = np.maximum(near[:-step], share * bits[step:])
    return near


def _min_max(cosines: Sequence[float | None]) -> Array:
    """Min-max scaling of cosines over the pool, 0 to 1; 0 without a vector."""
    values = np.array(cosines, dtype=float)  # None becomes nan
    if np.isnan(values).all():
        return np.zeros(len(values))
    least, most = np.nanmin(values), np.nanmax(values)
    if most == least:
        return np.where(np.isnan(values), 0.0, 1.0)
    shares: Array = np.nan_to_num((values - least) / (most - least))
    return shares


def _shares(least_shares: Sequence[float]) -> Array:
    """The least shares, divided by the greatest: if the asked scopes have no passage, shared ones count in full."""
    shares = np.array(least_shares)
    most = shares.max()
    return shares / most if most else np.ones(len(least_shares))


def _score_shares(scores: Array, share: Array) -> Array:
    """The factor for each passage's score: 1 in the asked scopes, less in shared ones, at least `share`.

    Among thousands of shared passages some fit any question by chance: the score of their CROWDth best estimates how
    well. Its lead over the ASKED_CROWDth best of the asked scopes is subtracted from each shared passage's score.
    """
    is_shared = share < 1
    ahead = max(0.0, _nth(scores[is_shared], CROWD) - _nth(scores[~is_shared], ASKED_CROWD))
    return np.where(is_shared, np.maximum(1 - ahead / np.maximum(scores, 1e-9), share), 1.0)


def _nth(scores: Array, n: int) -> float:
    """The nth best score; 0 where there are fewer."""
    return float(np.partition(scores, -n)[-n]) if len(scores) >= n else 0.0


def naming_flags(actors: Sequence[str], sources: Sequence[str], question: str) -> Array:
    """1 where the question names the speaker or source, else 0. Of people with the same first name only those count
    whose full name it holds; all of them if it holds no full name.
    """
    question_text = question.casefold()
    names = {*actors, *sources}
    first_words = {name: name.casefold().split()[0] for name in names if names_speaker(name, question_text)}
    full_names = {name for name in first_words if _contains_name(name, question_text)}
    first_names = {first_words[name] for name in full_names if " " in name.strip()}
    matching_names = {name for name in first_words if name in full_names or first_words[name] not in first_names}
    if not matching_names:
        return np.zeros(len(actors))
    return np.array([not matching_names.isdisjoint(pair) for pair in zip(actors, sources, strict=True)], dtype=float)


def _contains_name(name: str, question: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.strip().casefold())}(?!\w)", question) is not None


def names_speaker(name: str, question: str) -> bool:
    """Whether the casefolded question names this speaker or source, by the whole name or its first word.

    A role such as `user` is no name.
    """
    name = name.strip().casefold()
    if not name or roles.is_role(name):
        return False
    if not name.isascii():
        return name in question
    first = name.split()[0]
    spoken_names = {name, first} if len(first) > 2 else {name}
    return any(_contains_name(actor, question) for actor in spoken_names)
