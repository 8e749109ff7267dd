"""Ranking of memories by their best passage, or by their vote, then salience and confidence. Pure."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from memories.search.ranking import Scored, Scores, Weights


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


def by_memory(
    scored: Scores,
    weights: Weights,
    votes: Mapping[str, float] | None = None,
    *,
    most: int | None = None,
    holds: Callable[[Ranked], bool] | None = None,
) -> list[Ranked]:
    """Rank memories by their vote, else their best passage, then salience and confidence; the best ones, at most
    `most`, of those that `holds` lets through. `scored` is best first.
    """
    if not scored:
        return []
    places = scored.places_of_memories()
    best = scored[0].score or 1.0
    firsts = scored.at([first for first, *_ in places])
    ranked = [_ranked(passage, best, weights, (votes or {}).get(passage.candidate.memory)) for passage in firsts]
    pairs = [pair for pair in zip(ranked, places, strict=True) if holds is None or holds(pair[0])]
    whole = sorted(pairs, key=lambda pair: (-pair[0].score, -_stored(pair[0])))[:most]
    made = iter(scored.at([place for _, of in whole for place in of]))
    return [one._replace(passages=list(islice(made, len(of)))) for one, of in whole]


def _stored(one: Ranked) -> int:
    """By which of two equally good ones the later stored comes first."""
    return one.passages[0].candidate.passage


def _ranked(first: Scored, best: float, weights: Weights, vote: float | None) -> Ranked:
    of_best = first.score / best if vote is None else vote
    of_itself = weights.salience * first.candidate.salience + weights.confidence * first.candidate.confidence / 100
    return Ranked(weights.relevance * of_best + of_itself, of_best, [first], vote)
