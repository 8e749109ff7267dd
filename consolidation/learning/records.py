"""What the looked-up record said: field values that most successes of the pattern saw and other runs saw less often."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from consolidation.learning.chance import this_many
from consolidation.learning.runs import Call, Run
from consolidation.learning.scope import Scope
from consolidation.learning.values import flat, leaves, spelled

LEAST_RUNS = 3
SHARE = 0.6
CHANCE = 0.15
MOST = 3
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

    @property
    def chance(self) -> float:
        """The probability of so many if the pattern's successes were like the other runs."""
        return this_many(self.runs, self.of, (self.others + 1) / (self.of_others + 2))


def signs(scope: Scope) -> list[Sign]:
    """The clearest first; of a field that shows two such values none."""
    seen = {run.id: set(_facts(scope, run)) for run in scope.all}
    found = Counter(fact for run in scope.successes for fact in seen[run.id])
    counted = [_sign(scope, fact, n, seen) for fact, n in found.items() if n >= LEAST_RUNS]
    clear = [
        s
        for s in counted
        if s.runs >= SHARE * s.of
        and s.of * 2 >= len(scope.successes)
        and s.of_others >= LEAST_RUNS
        and s.chance <= CHANCE
    ]
    values = Counter((sign.tool, sign.field) for sign in clear)
    single = [sign for sign in clear if values[sign.tool, sign.field] == 1]
    return sorted(single, key=lambda s: (s.chance, -s.runs, s.tool, s.field, s.value))[:MOST]


def _sign(scope: Scope, fact: Fact, runs: int, seen: Mapping[UUID, set[Fact]]) -> Sign:
    tool, field, value = fact
    looked = [run for run in scope.all if tool in run.tools]
    own = [run for run in looked if run.id in scope.ids and run.succeeded]
    rest = [run for run in looked if run.id not in scope.ids or not run.succeeded]
    return Sign(tool, field, value, runs, len(own), sum(1 for run in rest if fact in seen[run.id]), len(rest))


def _facts(scope: Scope, run: Run) -> Iterator[Fact]:
    """What the reading calls returned: tool, field, value."""
    for call in run.steps:
        if call.failed or scope.changes(call.name) or not isinstance(call.returned, dict):
            continue
        for field, value in _told(scope, call):
            yield call.name, field, value


def _told(scope: Scope, call: Call) -> Iterator[tuple[str, str]]:
    for path, leaf in flat(call.returned):
        if scope.may_show(call.name, "result", path, leaf):
            yield spelled(scope.shown(path)), _said(leaf)


def acted_on(scope: Scope, run: Run, tool: str) -> set[tuple[str, str]]:
    """Field and value of the records that the run looked up and then called this tool for, known by a shared id."""
    known: dict[str, set[tuple[str, str]]] = {}
    found: set[tuple[str, str]] = set()
    for call in run.steps:
        if call.failed and call.name != tool:
            continue
        if call.name == tool:
            for path, leaf in leaves(call.arguments):
                for ident in _ids(path[-1], leaf):
                    found |= known.get(ident, set())
        elif isinstance(call.returned, dict):
            told = set(_told(scope, call))
            known.update((ident, told) for key, leaf in call.returned.items() for ident in _ids(key, leaf))
    return found


def _ids(key: object, leaf: object) -> list[str]:
    """What a value is known by when it may name one thing: with its field; alone when it is long enough."""
    if not isinstance(leaf, str | int) or isinstance(leaf, bool) or not any(map(str.isdigit, str(leaf)[:80])):
        return []
    return [f"{key}={leaf}", str(leaf)] if isinstance(leaf, str) and len(leaf) > 3 else [f"{key}={leaf}"]


def _said(leaf: str | bool) -> str:
    return str(leaf).lower() if isinstance(leaf, bool) else leaf
