"""How failed runs differ from the successful run with the most similar request, by their effect calls. No causes."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from consolidation.learning.chance import by_chance
from consolidation.learning.comparison.contrast import Openings
from consolidation.learning.comparison.records import is_id, records
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import Counted, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import leaves, spelled

NEAR, SAME_THREAD = 0.45, 0.25
LEAST, VALUE = 2, 3  # least failed runs that show a difference; that sent another value
APART = 0.2
CHANCE = 0.15
MOST = 5
Sides = list[tuple[Run, bool]]  # runs, each with whether it acted on a record with some value


@dataclass(frozen=True)
class Difference(Counted):
    """A difference between failed runs and successful runs with nearly the same request.

    `kind`: key of its sentence in `phrases`. `failures` of `of` failed runs and `successes` of `of_successes`
    successful ones show it. `what`: an argument or field; `good` and `bad`: its value in the success and in the
    failure.
    """

    kind: str
    tool: str
    failures: int
    of: int
    successes: int = 0
    of_successes: int = 0
    what: str = ""
    good: str = ""
    bad: str = ""


Key = tuple[str, str, str, str, str]  # kind, tool, what, good, bad


def differences(scope: Scope) -> list[Difference]:
    """Return up to MOST differences, those of the largest share of failed runs first.

    Each is shown by at least LEAST failed runs (VALUE for an argument's value) and by a share of at least APART of
    them. Differences among the pattern's own runs pass Fisher's exact test at CHANCE.
    """
    pairs = _pairs(scope)
    if len(pairs) < LEAST:
        return []
    shown: dict[Key, list[tuple[Run, Run]]] = defaultdict(list)
    for failed, well in pairs:
        for key in set(_between(scope, failed, well)):
            shown[key].append((failed, well))
    known_differences = [_difference(key, seen, len(pairs)) for key, seen in shown.items()]
    clear = [
        d
        for d in known_differences
        if d.failures >= (VALUE if d.kind == "value" else LEAST) and d.failures >= APART * d.of
    ]
    return sorted([*clear, *_of_own(scope, pairs)], key=lambda d: (-d.failures / d.of, d.kind, d.tool, d.what))[:MOST]


def _difference(key: Key, seen: list[tuple[Run, Run]], of: int) -> Difference:
    kind, tool, what, good, bad = key
    beside = ids_of(run for pair in seen for run in pair)
    return Difference(kind, tool, len(seen), of, 0, 0, what, good, bad, ids=beside)


def _pairs(scope: Scope) -> list[tuple[Run, Run]]:
    """Pair each failed run with the success of the pattern whose opening is most similar, if similar enough."""
    successes = scope.successes
    openings = Openings(scope, successes)
    pairs = []
    for failed in scope.all:
        if not failed.failed or not successes:
            continue
        likeness = openings.likeness(failed)
        best = max(likeness)
        well = max(
            (run for run, near in zip(successes, likeness, strict=True) if near == best), key=lambda run: str(run.id)
        )
        if best >= (SAME_THREAD if failed.thread == well.thread else NEAR):
            pairs.append((failed, well))
    return pairs


def _between(scope: Scope, failed: Run, well: Run) -> Iterator[Key]:
    """Yield how the effect calls of a failed run differ: one is missing or failed, another number or another value.

    What the successful run called after one that failed here is not said to be missing.
    """
    bad, good = _writes(scope, failed), _writes(scope, well)
    tried = {call.name for call in failed.steps}
    same = bool(_asked(scope, failed) & _asked(scope, well))
    # The same order about other records, as of a schedule: how many calls it takes depends on how many there are.
    is_queue = not same and failed.opening_lines == well.opening_lines
    has_stopped = False
    for tool in good:
        if tool not in bad:
            has_stopped |= tool in tried
            if tool in tried or not has_stopped:
                yield "error" if tool in tried else "missing", tool, "", "", ""
        elif good[tool][0].via:
            continue  # how often a command is run says little
        elif len(bad[tool]) != len(good[tool]):
            if not is_queue:
                yield "fewer" if len(bad[tool]) < len(good[tool]) else "more", tool, "", "", ""
        else:
            yield from _values(scope, bad[tool], good[tool], same=same)


def _asked(scope: Scope, run: Run) -> set[str]:
    """Return the ids that a run looked up: two runs that share one are about the same thing."""
    reading = (call for call in run.steps if not scope.changes(call.name))
    return {str(leaf) for call in reading for leaf in call.arguments.values() if is_id(leaf)}


def _writes(scope: Scope, run: Run) -> dict[str, list[Call]]:
    by_path: dict[str, list[Call]] = defaultdict(list)
    telling = scope.effects(run)
    for call in run.steps:
        if call.name in telling and not call.failed:
            by_path[call.name].append(call)
    return by_path


def _values(scope: Scope, bad: list[Call], good: list[Call], *, same: bool) -> Iterator[Key]:
    for one, other in zip(bad, good, strict=True):
        sent, right = _sent(one), _sent(other)
        for path in sorted(sent.keys() & right.keys()):
            if sent[path] == right[path]:
                continue
            name = spelled(scope.shown_argument(one.name, path))
            if all(scope.may_show(one.name, "args", path, leaf) for leaf in (sent[path], right[path])):
                yield "value", one.name, name, str(right[path]), str(sent[path])
            elif same and len(path) == 1 and path[-1].lower().endswith(("id", "号", "编号")):
                yield "entity", one.name, name, "", ""


def _sent(call: Call) -> dict[tuple[str, ...], object]:
    return {path: leaf for path, leaf in leaves(call.arguments, 40) if isinstance(leaf, str | bool | int)}


def _of_own(scope: Scope, pairs: list[tuple[Run, Run]]) -> Iterator[Difference]:
    """Compare the records that the pattern's own failures and successes acted on, field by field, among the runs in
    which the field is known."""
    failures = [failed for failed, _ in pairs if failed.id in scope.ids]
    for tool in sorted(scope.effects(scope.runs[0])):
        bad, good = ([(run, _acted_on(scope, run, tool)) for run in side] for side in (failures, scope.successes))
        for fact in sorted(set().union(*(facts for _, facts in bad))):
            ill, well = (
                [(run, fact in facts) for run, facts in side if fact[0] in dict(facts)] for side in (bad, good)
            )
            if clear := _clear(tool, fact, ill, well):
                yield clear


def _clear(tool: str, fact: tuple[str, str], ill: Sides, well: Sides) -> Difference | None:
    """Return the difference where clearly more failures than successes acted on a record with this (field, value)."""
    n, m = (sum(has for _, has in side) for side in (ill, well))
    if (
        min(n, len(well)) < LEAST
        or n / len(ill) - m / len(well) < APART
        or by_chance(n, len(ill), m, len(well)) > CHANCE
    ):
        return None
    showing = ids_of(run for run, has in (*ill, *well) if has)
    return Difference("acted_on", tool, n, len(ill), m, len(well), *fact, ids=showing)


def _acted_on(scope: Scope, run: Run, tool: str) -> set[tuple[str, str]]:
    return {(name, value) for r in records(scope, run) if tool in r.tried for _, name, value in r.facts}
