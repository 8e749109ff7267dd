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
NOT_REPEATED: Mapping[int, int] = MappingProxyType({})


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


def weights_of(named: Mapping[str, Any]) -> Weights:
    return Weights(**named)


class Candidate(NamedTuple):
    """A passage of the pool. `memory`: the id of its memory as text, which hashes and sorts faster than a UUID.

    `matched`: bit n is set when it holds the question's word n. `cosine`: of the raw vectors, `similarity`: centred;
    None without a vector. `share`: 1 in an asked scope, else Weights.shared. `repeated`: bit of a character bigram to
    how often it is said, where it is more than once. `text`: its beginning at least; blank where nothing reads it.
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
    repeated: Mapping[int, int] = NOT_REPEATED
    text: str = ""
    length: int = 0


IN_ORDER = itemgetter(*map(Candidate._fields.index, ("memory", "position", "part")))


class Scored(NamedTuple):
    """A scored passage.

    `score` is the sum of its parts, and orders the pool: the four after it, and `pieces`, which only the best passages
    have. `relevance`: how much of the question the passage answers, 0 to 1, independent of the rest of the pool.
    `kept`: the share of its score that it kept, less than 1 of what is shared.
    """

    candidate: Candidate
    score: float
    words: float
    neighbours: float
    meaning: float
    actor: float
    relevance: float
    kept: float = 1.0
    pieces: float = 0.0


NUMBERS = Scored._fields[1:]


class Scores(Sequence[Scored]):
    """The scored passages of a pool, best first. Each is made when it is asked for: most of a pool never is.

    `rows`: in the order in which they were said; `places`: their memories, by number, and positions; `order`: the
    numbers of the rows, best first; `lines`: a line for each field of Scored, a column for each row.
    """

    def __init__(self, rows: Sequence[Candidate], places: Array, order: Array, lines: Array) -> None:
        self.rows, self.places, self.order, self.lines = rows, places, order, lines

    @classmethod
    def nothing(cls) -> Self:
        return cls([], np.zeros((2, 0), dtype=int), np.zeros(0, dtype=int), np.zeros((len(NUMBERS), 0)))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Scored: ...
    @overload
    def __getitem__(self, place: slice) -> list[Scored]: ...
    def __getitem__(self, place: int | slice) -> Scored | list[Scored]:
        return self._made(self.order[place]) if isinstance(place, slice) else self._made(self.order[[place]])[0]

    def __iter__(self) -> Iterator[Scored]:
        return iter(self[:])

    def places_of_memories(self) -> list[list[int]]:
        """The places of each memory's passages in the order, best first."""
        by_memory: dict[int, list[int]] = {}
        for place, memory in enumerate(self.places[0, self.order].tolist()):
            by_memory.setdefault(memory, []).append(place)
        return list(by_memory.values())

    def at(self, places: Sequence[int]) -> list[Scored]:
        """The passages at these places of the order."""
        return self._made(self.order[list(places)])

    def beside(self, best: int, reach: int) -> list[Candidate]:
        """The `best` passages and those at most `reach` before or after them, in the order in which they were said."""
        memory, position = self.places
        width = position.max(initial=0) + 2 * reach + 1  # so that no step leads into another memory
        place = memory * width + position
        wanted = place[self.order[:best], None] + np.arange(-reach, reach + 1)
        return [self.rows[n] for n in np.flatnonzero(np.isin(place, wanted)).tolist()]

    def reranked(self, pieces: Sequence[float]) -> Self:
        """The same passages, best first among as many as have `pieces`, which are added to their scores."""
        best, rest = self.order[: len(pieces)], self.order[len(pieces) :]
        lines = self.lines.copy()
        lines[NUMBERS.index("score"), best] += pieces
        lines[NUMBERS.index("pieces"), best] = pieces
        again = np.lexsort(([-self.rows[n].passage for n in best], -lines[NUMBERS.index("score"), best]))
        return type(self)(self.rows, self.places, np.concatenate([best[again], rest]), lines)

    def _made(self, numbers: Array) -> list[Scored]:
        lines = self.lines[:, numbers].T.tolist()
        return [Scored(self.rows[n], *line) for n, line in zip(numbers.tolist(), lines, strict=True)]


def by_passage(
    pool: Collection[Candidate], words: Sequence[Word], question: str, weights: Weights, *, meant: float = 1.0
) -> Scores:
    """Score every passage of the pool, best first; on a tie the later stored one first.

    `words`: in the order of the bits of `matched`. `meant`: the share of the question that the model of the vectors
    knows the meaning of.
    """
    if not pool:
        return Scores.nothing()
    rows = sorted(pool, key=IN_ORDER)
    columns: Any = Candidate._make(zip(*rows, strict=True))  # of each field the values of all rows
    held = relevance.bits(columns.matched, len(words))
    times = relevance.times(held, columns.repeated)
    group = {memory: number for number, memory in enumerate(dict.fromkeys(columns.memory))}
    places = np.array([[group[memory] for memory in columns.memory], columns.position])
    rarities = np.array([word.idf for word in words], dtype=float)
    saturation = relevance.saturated(times)
    own, near = saturation @ rarities, spread(saturation, places, weights.neighbours) @ rarities
    share = _shares(columns.share)
    most = max((near * share).max(), ENOUGH * sum(word.idf for word in words if word.whole)) or 1.0
    parts = np.stack(
        [
            weights.words * own / most,
            weights.words * (near - own) / most,
            weights.meaning * _between(columns.cosine),
            weights.actor * named(columns.actor, columns.source, question),
        ]
    )
    kept = _kept(parts.sum(axis=0), share)
    parts *= kept
    answers = relevance.relevance(times, words, columns.length, columns.similarity, meant)
    scores = parts.sum(axis=0)
    lines = np.stack([scores, *parts, answers, kept, np.zeros(len(rows))])
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


def _shares(told: Sequence[float]) -> Array:
    """The least shares as parts of the greatest: where the asked scopes have nothing, what is shared counts in full."""
    shares = np.array(told)
    most = shares.max()
    return shares / most if most else np.ones(len(told))


def _kept(scores: Array, share: Array) -> Array:
    """The share of its score that each passage keeps.

    Among thousands of shared passages some fit any question by chance. How well, their CROWDth best tells; what it is
    ahead of the asked scopes' own is taken from each, so that one which answers better than its crowd comes first.
    """
    shared = share < 1
    ahead = max(0.0, _nth(scores[shared], CROWD) - _nth(scores[~shared], ASKED_CROWD))
    return np.where(shared, np.maximum(1 - ahead / np.maximum(scores, 1e-9), share), 1.0)


def _nth(scores: Array, n: int) -> float:
    """The nth best score; 0 where there are fewer."""
    return float(np.partition(scores, -n)[-n]) if len(scores) >= n else 0.0


def named(actors: Sequence[str], sources: Sequence[str], question: str) -> Array:
    """1 where the question names the speaker or source. Of several people with the same first name it names those whose
    whole name it says, if it says one; else all of them.
    """
    lowered = question.casefold()
    names = {*actors, *sources}
    first = {name: name.casefold().split()[0] for name in names if is_named(name, lowered)}
    whole = {name for name in first if _is_said(name, lowered)}
    known = {first[name] for name in whole if " " in name.strip()}
    meant = {name for name in first if name in whole or first[name] not in known}
    if not meant:
        return np.zeros(len(actors))
    return np.array([not meant.isdisjoint(pair) for pair in zip(actors, sources, strict=True)], dtype=float)


def _is_said(name: str, question: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name.strip().casefold())}(?!\w)", question) is not None


def is_named(name: str, question: str) -> bool:
    """Whether the casefolded question names this speaker or source, by the whole name or its first word.

    A role such as `user` is no name.
    """
    name = name.strip().casefold()
    if not name or roles.is_role(name):
        return False
    if not name.isascii():
        return name in question
    first = name.split()[0]
    spoken = {name, first} if len(first) > 2 else {name}
    return any(_is_said(actor, question) for actor in spoken)
