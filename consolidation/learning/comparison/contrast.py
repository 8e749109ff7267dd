"""How other runs with similar requests changed things and ended, and which effects often occur together with all those
of the pattern. Counts, no causes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.chance import by_chance
from consolidation.learning.comparison.scope import Scope, Test, count
from consolidation.learning.comparison.similar import alike
from consolidation.learning.effects.effects import are_chores
from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.run import Run

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
