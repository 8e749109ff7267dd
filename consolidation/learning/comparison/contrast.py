"""How other runs with similar requests changed things and ended, and which effects often occur together with all those
of the pattern. Counts, no causes. Similar are requests by the cosine of their terms, weighted by inverse document
frequency.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.comparison.scope import Scope, Test, count
from consolidation.learning.effects.effects import are_chores
from consolidation.learning.runs.lines import CountedResult, ids_of
from consolidation.learning.runs.run import Run
from memories.values.chance import by_chance

Vector = dict[str, float]
LEAST = 0.12
MOST = 60
PER_SUCCESS = 6  # few successes define similarity poorly


def similar_runs(scope: Scope) -> list[Run]:
    """Return other runs whose openings are about as similar to the successes' as those are to each other.

    Nearest first, at most MOST and PER_SUCCESS per success, from places where a tenth of the successes worked.
    """
    weights = _idf(scope)
    example_runs = [run for run in scope.successes if scope.opening_terms(run)]
    if len(example_runs) < 2:
        return []
    vectors: dict[object, Vector] = {run.id: _vector(scope, run, weights) for run in scope.all}
    centre = _sum([vectors[run.id] for run in example_runs])
    closeness = sorted(_cosine_without(vectors[run.id], centre) for run in example_runs)
    floor = max(LEAST, closeness[len(closeness) // 4])
    run_counts = Counter(run.place for run in example_runs)
    places = {place for place, n in run_counts.items() if n * 10 >= len(example_runs)}
    other_runs = [run for run in scope.all if run.id not in scope.ids and run.place in places]
    scores = [(_cosine(vectors[run.id], centre), run) for run in other_runs]
    pairs = [pair for pair in scores if pair[0] >= floor]
    pairs.sort(key=lambda pair: (-pair[0], pair[1].at, str(pair[1].id)))
    return [run for _, run in pairs[: min(MOST, PER_SUCCESS * len(example_runs))]]


class Openings:
    """Similarity of the openings of runs to those of `runs`, by the terms that they share."""

    def __init__(self, scope: Scope, runs: Sequence[Run]) -> None:
        self._scope, self._weights = scope, _idf(scope)
        self._runs_by_term: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for n, run in enumerate(runs):
            for term, value in _vector(scope, run, self._weights).items():
                self._runs_by_term[term].append((n, value))
        self._run_count = len(runs)

    def likeness(self, run: Run) -> list[float]:
        """Return the cosine with the opening of each of the runs, 0 to 1, in their order."""
        products_by_run: list[list[float]] = [[] for _ in range(self._run_count)]
        for term, value in _vector(self._scope, run, self._weights).items():
            for n, weight in self._runs_by_term.get(term, ()):
                products_by_run[n].append(value * weight)
        return [math.fsum(products) for products in products_by_run]


def _sum(vectors: list[Vector]) -> Vector:
    total: Vector = {}
    for vector in vectors:
        for term, value in vector.items():
            total[term] = total.get(term, 0.0) + value
    return total


def _idf(scope: Scope) -> Vector:
    """Return term -> log((1 + runs) / runs with the term); terms of a single run are left out."""
    run_counts = Counter(term for run in scope.all for term in scope.opening_terms(run))
    total = len(scope.all)
    return {term: math.log((1 + total) / n) for term, n in run_counts.items() if n > 1}


def _vector(scope: Scope, run: Run, weights: Vector) -> Vector:
    raw = {term: weights[term] for term in sorted(scope.opening_terms(run)) if term in weights}
    norm = math.sqrt(math.fsum(value * value for value in raw.values()))
    return {term: value / norm for term, value in raw.items()} if norm else {}


def _cosine(vector: Vector, centre: Vector) -> float:
    length = math.sqrt(_dot(centre, centre))
    return _dot(vector, centre) / length if length else 0.0


def _cosine_without(vector: Vector, centre: Vector) -> float:
    """Return the cosine of one of the pattern's own runs with the sum of the others."""
    product = _dot(vector, centre)
    rest_square = _dot(centre, centre) - 2 * product + 1
    return (product - 1) / math.sqrt(rest_square) if vector and rest_square > 1e-9 else 0.0


def _dot(first: Vector, second: Vector) -> float:
    return math.fsum(value * second.get(term, 0.0) for term, value in first.items())


CHANCE = 0.1
COMPANION_CASES, COMPANION_SHARE, MOST_COMPANIONS = 2, 0.2, 2
MOST_TOOLS = 4  # ways with more effects are left out


@dataclass(frozen=True)
class Way(CountedResult):
    """One way in which similar requests were handled: the effect tools, and how the runs ended."""

    tools: tuple[str, ...]
    successes: int
    failures: int

    @property
    def runs(self) -> int:
        return self.successes + self.failures


@dataclass(frozen=True)
class Excess(CountedResult):
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
    similar = [run for run in similar_runs(scope) if run.outcome in {"success", "failure"}]
    return Contrast(
        similar=len(similar),
        successes=count(similar, lambda run: run.succeeded),
        ways=_ways(scope, similar),
        excess=_excess(scope, similar),
    )


def _used(scope: Scope, tool: str) -> Test:
    return lambda run: tool in scope.effects(run)


def _ways(scope: Scope, similar: Sequence[Run]) -> tuple[Way, ...]:
    runs_by_effects: dict[frozenset[str], list[Run]] = defaultdict(list)
    for run in similar:
        runs_by_effects[scope.effects(run)].append(run)
    usable = {effects: runs for effects, runs in runs_by_effects.items() if len(effects) <= MOST_TOOLS}
    ways = [_way(effects, runs) for effects, runs in usable.items()]
    return tuple(sorted(ways, key=lambda way: (-way.runs, way.tools)))


def _way(effects: frozenset[str], runs: Sequence[Run]) -> Way:
    good = count(runs, lambda run: run.succeeded)
    return Way(tuple(sorted(effects)), good, len(runs) - good, ids=ids_of(runs))


def _excess(scope: Scope, similar: Sequence[Run]) -> tuple[Excess, ...]:
    """Return the effects that failures have more often than chance explains.

    At least 2 failures, a share 20 percentage points above that of the successes, p-value at most CHANCE.
    """
    successes = [run for run in [*similar, *scope.runs] if run.succeeded]
    failures = [run for run in similar if run.outcome == "failure"]
    tools = sorted(set().union(*(scope.effects(run) for run in failures if not are_chores(scope.effects(run)))))
    candidates = [
        Excess(
            tool,
            count(failures, _used(scope, tool)),
            len(failures),
            count(successes, _used(scope, tool)),
            len(successes),
            ids=ids_of(run for run in [*failures, *successes] if tool in scope.effects(run)),
        )
        for tool in tools
    ]
    clear = [
        e
        for e in candidates
        if e.chance <= CHANCE
        and e.failures >= 2
        and e.failures / e.of_failures >= e.successes / max(1, e.of_successes) + 0.2
    ]
    return tuple(sorted(clear, key=lambda e: (-e.failures, e.tool)))


@dataclass(frozen=True)
class Companion(CountedResult):
    """An effect that `runs` of the `of` successes with all effects of the pattern have too."""

    tool: str
    runs: int
    of: int


def companions(scope: Scope) -> list[Companion]:
    """Return up to MOST_COMPANIONS companions, the most frequent first."""
    own_effects = scope.effects(scope.runs[0])
    if not own_effects:
        return []
    wider_runs = [run for run in scope.all if run.succeeded and own_effects <= scope.effects(run)]
    least = 1 if scope.parts else COMPANION_CASES
    runs_by_tool: dict[str, list[Run]] = defaultdict(list)
    for run in wider_runs:
        for tool in scope.effects(run) - own_effects:
            runs_by_tool[tool].append(run)
    frequent = {tool: runs for tool, runs in runs_by_tool.items() if len({run.thread for run in runs}) >= least}
    candidates = [Companion(tool, len(runs), len(wider_runs), ids=ids_of(runs)) for tool, runs in frequent.items()]
    clear = [companion for companion in candidates if companion.runs >= COMPANION_SHARE * companion.of]
    return sorted(clear, key=lambda companion: (-companion.runs, companion.tool))[:MOST_COMPANIONS]
