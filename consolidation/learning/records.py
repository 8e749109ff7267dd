"""What the looked-up record said: field values that go with one way of handling a request and less with others."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from consolidation.learning.runs import Run
from consolidation.learning.scope import Scope
from consolidation.learning.values import Path, leaves, spelled

LEAST_RUNS = 3
LIFT = 0.2
MOST = 4
Fact = tuple[str, str, str]  # tool, field, value


@dataclass(frozen=True)
class Sign:
    """`runs` of `of` successes looked up such a value; of the other runs that looked, `others` of `of_others`."""

    tool: str
    field: str
    value: str
    runs: int
    of: int
    others: int
    of_others: int


def signs(scope: Scope) -> list[Sign]:
    """The values that most successes of the pattern saw and other runs saw clearly less often."""
    seen = {run.id: set(_facts(scope, run)) for run in scope.all}
    own = [run for run in scope.successes if seen[run.id]]
    found = Counter(fact for run in own for fact in seen[run.id])
    kept = [_sign(scope, fact, n, seen) for fact, n in found.items() if n >= LEAST_RUNS]
    clear = [
        s
        for s in kept
        if s.runs / s.of >= 0.6 and s.of_others >= LEAST_RUNS and s.runs / s.of >= s.others / s.of_others + LIFT
    ]
    clear.sort(key=lambda s: (-(s.runs / s.of - s.others / s.of_others), -s.runs, s.tool, s.field, s.value))
    return clear[:MOST]


def _sign(scope: Scope, fact: Fact, runs: int, seen: Mapping[UUID, set[Fact]]) -> Sign:
    tool, field, value = fact
    looked = [run for run in scope.all if tool in run.tools]
    own = [run for run in looked if run.id in scope.ids and run.succeeded]
    rest = [run for run in looked if run.id not in scope.ids or not run.succeeded]
    return Sign(tool, field, value, runs, len(own), sum(1 for run in rest if fact in seen[run.id]), len(rest))


def _facts(scope: Scope, run: Run) -> Iterator[Fact]:
    for tool, path, leaf in _looked_up(scope, run):
        if scope.may_show(tool, "result", path, leaf):
            yield tool, spelled(path), str(leaf)


def _looked_up(scope: Scope, run: Run) -> Iterator[tuple[str, Path, str | bool]]:
    """The words in the first two levels of what the reading calls returned."""
    for call in run.steps:
        if not call.failed and not scope.changes(call.tool.strip()) and isinstance(call.returned, dict):
            for path, leaf in leaves(call.returned):
                if isinstance(leaf, str | bool) and len(path) <= 2:
                    yield call.tool.strip(), path, leaf
