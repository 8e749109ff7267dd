"""Ranking of memories by their best passage, or by their vote, then salience and confidence. Pure.

Below a least relevance there is no answer: a question of which the store knows nothing gets none. Measured on recorded
questions (docs/learning.md): of 785 that can be answered all keep their answers, of 400 that have nothing to do with
the store one in twenty gets any.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple, TypeVar
from uuid import UUID

from memories.search import updates
from memories.search.candidates import Pool
from memories.search.ranking import NUMBERS, ScoredPassage, Scores, Weights
from memories.search.relevance import word_count
from memories.values.choices import Type

MOST_REPEATED = 30  # memories beyond those that are wanted
FLOOR = 0.25  # of the most relevant passage
OF_KNOWLEDGE = 0.1  # of one claim among others; an event may be found by what was said beside it
OF_BEST = 0.5  # of the score of the best quote: less says something else
BEST = 20  # passages that are looked at
OF_MEANING = 0.45  # of the passage nearest in meaning, centred: a paraphrase shares no word
USUAL_WORDS = 12  # of a question; each passage answers less of a longer one
OF_LONG = 0.12
RELEVANCE = NUMBERS.index("relevance")
Row = TypeVar("Row")


class RankedMemory(NamedTuple):
    """A ranked memory: `passages` best first, `of_best`: its `vote`, else its score as a share of the pool's best."""

    score: float
    of_best: float
    passages: list[ScoredPassage]
    vote: float | None = None

    @property
    def memory_id(self) -> UUID:
        return UUID(self.passages[0].candidate.memory)

    @property
    def relevance(self) -> float:
        """The relevance of its best passage."""
        return self.passages[0].relevance

    @property
    def claim_text(self) -> str:
        """The text of a claim that is a single passage and was read completely, else ''."""
        best = self.passages[0].candidate
        is_whole = best.type == Type.SEMANTIC and best.part == 0 and len(best.text) == best.length
        return best.text if is_whole else ""


def by_memory(
    scores: Scores,
    weights: Weights,
    votes: Mapping[str, float] | None = None,
    *,
    most: int | None = None,
    with_repeated: bool = False,
    holds: Callable[[RankedMemory], bool] | None = None,
) -> list[RankedMemory]:
    """Rank memories by their vote, else their best passage, then salience and confidence. Returns the best `most` of
    those for which `holds` is true. `with_repeated`: claims that say the same count as one, and all are returned.
    """
    if not scores:
        return []
    places = scores.places_of_memories()
    best = scores[0].score or 1.0
    firsts = scores.at([first for first, *_ in places])
    memories = [_ranked_memory(first, best, weights, (votes or {}).get(first.candidate.memory)) for first in firsts]
    pairs = [pair for pair in zip(memories, places, strict=True) if holds is None or holds(pair[0])]
    best_pairs = sorted(pairs, key=lambda pair: (-pair[0].score, -_passage_id(pair[0])))
    best_pairs = distinct_claims(best_pairs, most, itemgetter(0)) if with_repeated and most else best_pairs[:most]
    passages = iter(scores.at([place for _, group in best_pairs for place in group]))
    return [memory._replace(passages=list(islice(passages, len(group)))) for memory, group in best_pairs]


def distinct_claims(rows: Sequence[Row], most: int, memory_of: Callable[[Row], RankedMemory]) -> list[Row]:
    """The rows of the first `most` groups of claims that say the same, in their order."""
    rows_read = rows[: most + MOST_REPEATED]
    groups = updates.by_claim(rows_read, lambda row: memory_of(row).claim_text)
    ids_to_keep = {id(row) for group in groups[:most] for row in group}
    return [row for row in rows_read if id(row) in ids_to_keep]


def _passage_id(memory: RankedMemory) -> int:
    """Sort key for equal scores: the id of the best passage, greater if stored later."""
    return memory.passages[0].candidate.passage


def _ranked_memory(first: ScoredPassage, best: float, weights: Weights, vote: float | None) -> RankedMemory:
    of_best = first.score / best if vote is None else vote
    own_score = weights.salience * first.candidate.salience + weights.confidence * first.candidate.confidence / 100
    return RankedMemory(weights.relevance * of_best + own_score, of_best, [first], vote)


def least_relevance(words: float) -> float:
    """The least relevance that the best answer to a question of so many words must have."""
    return max(OF_LONG, FLOOR * math.sqrt(min(1.0, USUAL_WORDS / max(words, 1))))


def is_answered(scores: Scores, candidates: Pool) -> bool:
    """Whether any candidate is relevant enough, by words or meaning, for the question to get an answer."""
    best = scores.order[:BEST]
    similarity = max((scores.rows[n].similarity or 0.0 for n in best.tolist()), default=0.0)
    relevance = scores.lines[RELEVANCE, best].max(initial=0.0)
    return bool(
        relevance >= least_relevance(word_count(candidates.words))
        or similarity * candidates.embedded_share >= OF_MEANING
    )


def is_answer(memory: RankedMemory) -> bool:
    """Whether a memory is relevant enough to stand among the answers."""
    is_claim = memory.passages[0].candidate.type == Type.SEMANTIC
    return memory.vote is not None or not is_claim or memory.relevance >= OF_KNOWLEDGE
