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
from memories.search.ranking import NUMBERS, Scored, Scores, Weights
from memories.search.relevance import count
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


class Ranked(NamedTuple):
    """A ranked memory: `passages` best first, `of_best`: its `vote`, else its score as a share of the pool's best."""

    score: float
    of_best: float
    passages: list[Scored]
    vote: float | None = None

    @property
    def memory_id(self) -> UUID:
        return UUID(self.passages[0].candidate.memory)

    @property
    def relevance(self) -> float:
        """The relevance of its best passage."""
        return self.passages[0].relevance

    @property
    def claimed(self) -> str:
        """What it says, of a claim that is a single passage and whose text was read whole, else ''."""
        best = self.passages[0].candidate
        is_whole = best.type == Type.SEMANTIC and best.part == 0 and len(best.text) == best.length
        return best.text if is_whole else ""


def by_memory(
    scored: Scores,
    weights: Weights,
    votes: Mapping[str, float] | None = None,
    *,
    most: int | None = None,
    with_repeated: bool = False,
    holds: Callable[[Ranked], bool] | None = None,
) -> list[Ranked]:
    """Rank memories by their vote, else their best passage, then salience and confidence; the best ones, at most
    `most`, of those that `holds` lets through. `scored` is best first. `with_repeated`: of claims that say the same the
    first counts, the others come with it.
    """
    if not scored:
        return []
    places = scored.places_of_memories()
    best = scored[0].score or 1.0
    firsts = scored.at([first for first, *_ in places])
    ranked = [_ranked(passage, best, weights, (votes or {}).get(passage.candidate.memory)) for passage in firsts]
    pairs = [pair for pair in zip(ranked, places, strict=True) if holds is None or holds(pair[0])]
    whole = sorted(pairs, key=lambda pair: (-pair[0].score, -_stored(pair[0])))
    whole = different(whole, most, itemgetter(0)) if with_repeated and most else whole[:most]
    made = iter(scored.at([place for _, of in whole for place in of]))
    return [one._replace(passages=list(islice(made, len(of)))) for one, of in whole]


def different(rows: Sequence[Row], most: int, of: Callable[[Row], Ranked]) -> list[Row]:
    """The rows that say the `most` best different things, in their order."""
    read = rows[: most + MOST_REPEATED]
    groups = updates.by_claim(read, lambda row: of(row).claimed)
    wanted = {id(row) for group in groups[:most] for row in group}
    return [row for row in read if id(row) in wanted]


def _stored(one: Ranked) -> int:
    """By which of two equally good ones the later stored comes first."""
    return one.passages[0].candidate.passage


def _ranked(first: Scored, best: float, weights: Weights, vote: float | None) -> Ranked:
    of_best = first.score / best if vote is None else vote
    of_itself = weights.salience * first.candidate.salience + weights.confidence * first.candidate.confidence / 100
    return Ranked(weights.relevance * of_best + of_itself, of_best, [first], vote)


def least(words: float) -> float:
    """The least relevance that the best answer to a question of so many words must have."""
    return max(OF_LONG, FLOOR * math.sqrt(min(1.0, USUAL_WORDS / max(words, 1))))


def is_answered(scored: Scores, found: Pool) -> bool:
    """Whether the store knows anything of the question, whose candidates were `found`."""
    best = scored.order[:BEST]
    alike = max((scored.rows[n].similarity or 0.0 for n in best.tolist()), default=0.0)
    relevance = scored.lines[RELEVANCE, best].max(initial=0.0)
    return bool(relevance >= least(count(found.words)) or alike * found.meant >= OF_MEANING)


def is_answer(one: Ranked) -> bool:
    """Whether a memory is relevant enough to stand among the answers."""
    is_claim = one.passages[0].candidate.type == Type.SEMANTIC
    return one.vote is not None or not is_claim or one.relevance >= OF_KNOWLEDGE
