"""Similarity of requests: cosine of their term vectors, weighted by inverse document frequency."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.run import Run

Vector = dict[str, float]
LEAST = 0.12
MOST = 60
PER_SUCCESS = 6  # few successes define similarity poorly


def alike(scope: Scope) -> list[Run]:
    """Return other runs whose openings are about as similar to the successes' as those are to each other.

    Nearest first, at most MOST and PER_SUCCESS per success, from places where a tenth of the successes worked.
    """
    weights = _idf(scope)
    own = [run for run in scope.successes if scope.opening_terms(run)]
    if len(own) < 2:
        return []
    vectors: dict[object, Vector] = {run.id: _vector(scope, run, weights) for run in scope.all}
    centre = _sum([vectors[run.id] for run in own])
    closeness = sorted(_cosine_without(vectors[run.id], centre) for run in own)
    floor = max(LEAST, closeness[len(closeness) // 4])
    usual = Counter(run.place for run in own)
    places = {place for place, n in usual.items() if n * 10 >= len(own)}
    others = [run for run in scope.all if run.id not in scope.ids and run.place in places]
    scored = [(_cosine(vectors[run.id], centre), run) for run in others]
    near = [pair for pair in scored if pair[0] >= floor]
    near.sort(key=lambda pair: (-pair[0], pair[1].at, str(pair[1].id)))
    return [run for _, run in near[: min(MOST, PER_SUCCESS * len(own))]]


class Openings:
    """Similarity of the openings of runs to those of some known runs, by the terms that they share."""

    def __init__(self, scope: Scope, known: Sequence[Run]) -> None:
        self._scope, self._weights = scope, _idf(scope)
        self._holding: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for n, run in enumerate(known):
            for term, value in _vector(scope, run, self._weights).items():
                self._holding[term].append((n, value))
        self._known = len(known)

    def likeness(self, run: Run) -> list[float]:
        """Return the cosine with the opening of each known run, 0 to 1, in their order."""
        shared: list[list[float]] = [[] for _ in range(self._known)]
        for term, value in _vector(self._scope, run, self._weights).items():
            for n, other in self._holding.get(term, ()):
                shared[n].append(value * other)
        return [math.fsum(products) for products in shared]


def _sum(vectors: list[Vector]) -> Vector:
    total: Vector = {}
    for vector in vectors:
        for term, value in vector.items():
            total[term] = total.get(term, 0.0) + value
    return total


def _idf(scope: Scope) -> Vector:
    """Return term -> log((1 + runs) / runs with the term); terms of a single run are left out."""
    held = Counter(term for run in scope.all for term in scope.opening_terms(run))
    total = len(scope.all)
    return {term: math.log((1 + total) / n) for term, n in held.items() if n > 1}


def _vector(scope: Scope, run: Run, weights: Vector) -> Vector:
    raw = {term: weights[term] for term in sorted(scope.opening_terms(run)) if term in weights}
    norm = math.sqrt(math.fsum(value * value for value in raw.values()))
    return {term: value / norm for term, value in raw.items()} if norm else {}


def _cosine(vector: Vector, centre: Vector) -> float:
    length = math.sqrt(_dot(centre, centre))
    return _dot(vector, centre) / length if length else 0.0


def _cosine_without(vector: Vector, centre: Vector) -> float:
    """Return the cosine of one of the pattern's own runs with the sum of the others."""
    shared = _dot(vector, centre)
    rest = _dot(centre, centre) - 2 * shared + 1
    return (shared - 1) / math.sqrt(rest) if vector and rest > 1e-9 else 0.0


def _dot(one: Vector, other: Vector) -> float:
    return math.fsum(value * other.get(term, 0.0) for term, value in one.items())
