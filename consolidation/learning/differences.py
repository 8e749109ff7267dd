"""What the pattern's own failures did otherwise than its successes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median_low
from uuid import UUID

from consolidation.learning.chance import by_chance
from consolidation.learning.dialogue import said_yes
from consolidation.learning.records import acted_on
from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope, Test, count
from consolidation.learning.toolnames import code

APART = 0.34
CHANCE = 0.15
MOST = 3


@dataclass(frozen=True)
class Difference:
    """Something that `failures` of `of_failures` and `successes` of `of_successes` did."""

    what: str
    failures: int
    of_failures: int
    successes: int
    of_successes: int

    @property
    def gap(self) -> float:
        return abs(self.failures / self.of_failures - self.successes / self.of_successes)

    @property
    def chance(self) -> float:
        return by_chance(self.failures, self.of_failures, self.successes, self.of_successes)


def differences(scope: Scope) -> list[Difference]:
    """The clearest ones; none when there are fewer than two on a side."""
    if len(scope.failures) < 2 or len(scope.successes) < 2:
        return []
    found = [_difference(scope, what, test) for what, test in _tests(scope)]
    clear = [d for d in found if d.gap >= APART and d.chance <= CHANCE]
    return sorted(clear, key=lambda d: (d.chance, -d.gap, d.what))[:MOST]


def _difference(scope: Scope, what: str, test: Test) -> Difference:
    good, bad = scope.successes, scope.failures
    return Difference(what, count(bad, test), len(bad), count(good, test), len(good))


def _tests(scope: Scope) -> Iterator[tuple[str, Test]]:
    tools = sorted({tool for run in scope.runs for tool in run.tools} - set(scope.rules.ignored))
    for tool in tools:
        name = code(tool)
        yield f"{name} was used", partial(_used, tool)
        yield f"{name} returned an error", partial(_failed, tool)
        if scope.changes(tool):
            yield f"{name} was called more than once", partial(_repeated, tool)
            yield f"the user had agreed right before {name}", partial(_agreed, tool)
            acted = {run.id: acted_on(scope, run, tool) for run in scope.runs}
            for field, value in sorted(set().union(*acted.values())):
                yield (
                    f"{name} was called for a record with {code(field)} {value}",
                    partial(_holds, acted, (field, value)),
                )


def _used(tool: str, run: Run) -> bool:
    return tool in run.tools


def _failed(tool: str, run: Run) -> bool:
    return any(call.failed for call in run.steps if call.name == tool)


def _repeated(tool: str, run: Run) -> bool:
    return sum(1 for call in run.steps if call.name == tool) > 1


def _holds(acted: Mapping[UUID, set[tuple[str, str]]], fact: tuple[str, str], run: Run) -> bool:
    return fact in acted[run.id]


def _agreed(tool: str, run: Run) -> bool:
    first = next((call for call in run.steps if call.name == tool), None)
    return first is not None and said_yes(run, first)


def lengths(scope: Scope) -> tuple[int, int]:
    """The median number of calls of failures and of successes; zeros when too few to say."""
    if min(len(scope.failures), len(scope.successes)) < 2:
        return 0, 0
    return median_low(len(run.steps) for run in scope.failures), median_low(len(run.steps) for run in scope.successes)
