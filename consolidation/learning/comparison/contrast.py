"""How other runs with similar requests changed things and ended, and which effects often occur together with all those
of the pattern. Counts, no causes. Similar are requests by the cosine of their terms, weighted by inverse document
frequency.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.chance import by_chance
from consolidation.learning.comparison.scope import Scope, Test, count
from consolidation.learning.effects.effects import are_chores
from consolidation.learning.runs.lines import Counted, ids_of
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


CHANCE = 0.1
COMPANION_CASES, COMPANION_SHARE, MOST_COMPANIONS = 2, 0.1, 2
MOST_TOOLS = 4  # ways with more effects are left out


@dataclass(frozen=True)
class Way(Counted):
    """One way in which similar requests were handled: the effect tools, and how the runs ended."""

    tools: tuple[str, ...]
    successes: int
    failures: int

    @property
    def runs(self) -> int:
        return self.successes + self.failures


@dataclass(frozen=True)
class Excess(Counted):
    """An effect that is more frequent in the failures than in the successes of similar requests."""

    tool: str
    failures: int
    of_failures: int
    successes: int
    of_successes: int

    @property
    def chance(self) -> float:
        """One-sided p-value of the difference (Fisher's exact test)."""
        return by_chance(self.failures, self.of_failures, self.successes, self.of_successes)


@dataclass(frozen=True)
class Contrast:
    """Comparison with `similar` other runs that have similar requests and ended in success or failure."""

    similar: int
    successes: int
    ways: tuple[Way, ...]
    excess: tuple[Excess, ...]


def contrast(scope: Scope) -> Contrast:
    """Compare the pattern with the other runs of its scope that have similar requests."""
    near = [run for run in alike(scope) if run.outcome in {"success", "failure"}]
    return Contrast(
        similar=len(near),
        successes=count(near, lambda run: run.succeeded),
        ways=_ways(scope, near),
        excess=_excess(scope, near),
    )


def _used(scope: Scope, tool: str) -> Test:
    return lambda run: tool in scope.effects(run)


def _ways(scope: Scope, near: Sequence[Run]) -> tuple[Way, ...]:
    ended: dict[frozenset[str], list[Run]] = defaultdict(list)
    for run in near:
        ended[scope.effects(run)].append(run)
    few = {effects: runs for effects, runs in ended.items() if len(effects) <= MOST_TOOLS}
    ways = [_way(effects, runs) for effects, runs in few.items()]
    return tuple(sorted(ways, key=lambda way: (-way.runs, way.tools)))


def _way(effects: frozenset[str], runs: Sequence[Run]) -> Way:
    good = count(runs, lambda run: run.succeeded)
    return Way(tuple(sorted(effects)), good, len(runs) - good, ids=ids_of(runs))


def _excess(scope: Scope, near: Sequence[Run]) -> tuple[Excess, ...]:
    """Return the effects that failures have more often than chance explains.

    At least 2 failures, a share 20 percentage points above that of the successes, p-value at most CHANCE.
    """
    good = [run for run in [*near, *scope.runs] if run.succeeded]
    bad = [run for run in near if run.outcome == "failure"]
    tools = sorted(set().union(*(scope.effects(run) for run in bad if not are_chores(scope.effects(run)))))
    more_frequent = [
        Excess(
            tool,
            count(bad, _used(scope, tool)),
            len(bad),
            count(good, _used(scope, tool)),
            len(good),
            ids=ids_of(run for run in [*bad, *good] if tool in scope.effects(run)),
        )
        for tool in tools
    ]
    kept = [
        e
        for e in more_frequent
        if e.chance <= CHANCE
        and e.failures >= 2
        and e.failures / e.of_failures >= e.successes / max(1, e.of_successes) + 0.2
    ]
    return tuple(sorted(kept, key=lambda e: (-e.failures, e.tool)))


@dataclass(frozen=True)
class Companion(Counted):
    """An effect that `runs` of the `of` successes with all effects of the pattern have too."""

    tool: str
    runs: int
    of: int


def companions(scope: Scope) -> list[Companion]:
    """Return up to MOST_COMPANIONS companions, the most frequent first."""
    own = scope.effects(scope.runs[0])
    if not own:
        return []
    wider = [run for run in scope.all if run.succeeded and own <= scope.effects(run)]
    least = 1 if scope.parts else COMPANION_CASES
    having: dict[str, list[Run]] = defaultdict(list)
    for run in wider:
        for tool in scope.effects(run) - own:
            having[tool].append(run)
    several = {tool: runs for tool, runs in having.items() if len({run.thread for run in runs}) >= least}
    more = [Companion(tool, len(runs), len(wider), ids=ids_of(runs)) for tool, runs in several.items()]
    clear = [companion for companion in more if companion.runs >= COMPANION_SHARE * companion.of]
    return sorted(clear, key=lambda companion: (-companion.runs, companion.tool))[:MOST_COMPANIONS]
