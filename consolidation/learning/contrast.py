"""What other runs with similar requests did instead, and how that ended. Counts, no causes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning.chance import by_chance
from consolidation.learning.effects import are_chores
from consolidation.learning.lines import Counted, ids_of
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope, Test, count
from consolidation.learning.similar import alike

CHANCE = 0.1
MOST_TOOLS = 4  # of a way that is told


@dataclass(frozen=True)
class Way(Counted):
    """One way to handle such a request: the tools with an effect, and how it ended."""

    tools: tuple[str, ...]
    successes: int
    failures: int

    @property
    def runs(self) -> int:
        return self.successes + self.failures


@dataclass(frozen=True)
class Excess(Counted):
    """An effect that stands more often in the failures than in the successes of similar requests."""

    tool: str
    failures: int
    of_failures: int
    successes: int
    of_successes: int

    @property
    def chance(self) -> float:
        return by_chance(self.failures, self.of_failures, self.successes, self.of_successes)


@dataclass(frozen=True)
class Contrast:
    """`similar` counts the other runs with similar requests that ended in success or failure."""

    similar: int
    successes: int
    ways: tuple[Way, ...]
    excess: tuple[Excess, ...]


def contrast(scope: Scope) -> Contrast:
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
    """Effects held by at least 2 failures and a share of them that is 20 points above that of the successes."""
    good = [run for run in [*near, *scope.runs] if run.succeeded]
    bad = [run for run in near if run.outcome == "failure"]
    tools = sorted(set().union(*(scope.effects(run) for run in bad if not are_chores(scope.effects(run)))))
    found = [
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
        for e in found
        if e.chance <= CHANCE
        and e.failures >= 2
        and e.failures / e.of_failures >= e.successes / max(1, e.of_successes) + 0.2
    ]
    return tuple(sorted(kept, key=lambda e: (-e.failures, e.tool)))
