"""How failed runs differ from the successful run with the most similar request, by their effect calls. No causes."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from consolidation.learning.comparison.contrast import Openings
from consolidation.learning.comparison.records import is_id, records
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import CountedResult, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import joined_path, leaves
from memories.values.chance import by_chance

NEAR, SAME_THREAD = 0.45, 0.25
LEAST, VALUE = 2, 3  # least failed runs that show a difference; that sent another value
APART = 0.2
CHANCE = 0.15
MOST = 5
Sides = list[tuple[Run, bool]]  # runs, each with whether it acted on a record with some value


@dataclass(frozen=True)
class Difference(CountedResult):
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
    pairs_by_key: dict[Key, list[tuple[Run, Run]]] = defaultdict(list)
    for failure, success in pairs:
        for key in set(_between(scope, failure, success)):
            pairs_by_key[key].append((failure, success))
    all_differences = [_difference(key, key_pairs, len(pairs)) for key, key_pairs in pairs_by_key.items()]
    frequent = [
        d
        for d in all_differences
        if d.failures >= (VALUE if d.kind == "value" else LEAST) and d.failures >= APART * d.of
    ]
    return sorted(
        [*frequent, *_acted_on_differences(scope, pairs)], key=lambda d: (-d.failures / d.of, d.kind, d.tool, d.what)
    )[:MOST]


def _difference(key: Key, pairs: list[tuple[Run, Run]], of: int) -> Difference:
    kind, tool, subject, good, bad = key
    ids = ids_of(run for pair in pairs for run in pair)
    return Difference(kind, tool, len(pairs), of, 0, 0, subject, good, bad, ids=ids)


def _pairs(scope: Scope) -> list[tuple[Run, Run]]:
    """Pair each failed run with the success of the pattern whose opening is most similar, if similar enough."""
    successes = scope.successes
    openings = Openings(scope, successes)
    pairs = []
    for failure in scope.all:
        if not failure.failed or not successes:
            continue
        likeness = openings.likeness(failure)
        best = max(likeness)
        success = max(
            (run for run, cosine in zip(successes, likeness, strict=True) if cosine == best),
            key=lambda run: str(run.id),
        )
        if best >= (SAME_THREAD if failure.thread == success.thread else NEAR):
            pairs.append((failure, success))
    return pairs


def _between(scope: Scope, failure: Run, success: Run) -> Iterator[Key]:
    """Yield how the effect calls of a failed run differ: one is missing or failed, another number or another value.

    A tool that the successful run called after one that failed here is not reported as missing.
    """
    bad, good = _writes(scope, failure), _writes(scope, success)
    called_tools = {call.name for call in failure.steps}
    same_subject = bool(_looked_up_ids(scope, failure) & _looked_up_ids(scope, success))
    # The same order about other records, as of a schedule: how many calls it takes depends on how many there are.
    is_queue = not same_subject and failure.opening_lines == success.opening_lines
    has_stopped = False
    for tool in good:
        if tool not in bad:
            has_stopped |= tool in called_tools
            if tool in called_tools or not has_stopped:
                yield "error" if tool in called_tools else "missing", tool, "", "", ""
        elif good[tool][0].via:
            continue  # how often a command is run says little
        elif len(bad[tool]) != len(good[tool]):
            if not is_queue:
                yield "fewer" if len(bad[tool]) < len(good[tool]) else "more", tool, "", "", ""
        else:
            yield from _values(scope, bad[tool], good[tool], same_subject=same_subject)


def _looked_up_ids(scope: Scope, run: Run) -> set[str]:
    """Return the ids that a run looked up: two runs that share one are about the same thing."""
    look_ups = (call for call in run.steps if not scope.changes(call.name))
    return {str(leaf) for call in look_ups for leaf in call.arguments.values() if is_id(leaf)}


def _writes(scope: Scope, run: Run) -> dict[str, list[Call]]:
    calls_by_tool: dict[str, list[Call]] = defaultdict(list)
    effects = scope.effects(run)
    for call in run.steps:
        if call.name in effects and not call.failed:
            calls_by_tool[call.name].append(call)
    return calls_by_tool


def _values(scope: Scope, bad: list[Call], good: list[Call], *, same_subject: bool) -> Iterator[Key]:
    for bad_call, good_call in zip(bad, good, strict=True):
        bad_values, good_values = _argument_values(bad_call), _argument_values(good_call)
        for path in sorted(bad_values.keys() & good_values.keys()):
            if bad_values[path] == good_values[path]:
                continue
            name = joined_path(scope.shown_argument(bad_call.name, path))
            if all(scope.may_show(bad_call.name, "args", path, leaf) for leaf in (bad_values[path], good_values[path])):
                yield "value", bad_call.name, name, str(good_values[path]), str(bad_values[path])
            elif same_subject and len(path) == 1 and path[-1].lower().endswith(("id", "号", "编号")):
                yield "entity", bad_call.name, name, "", ""


def _argument_values(call: Call) -> dict[tuple[str, ...], object]:
    return {path: leaf for path, leaf in leaves(call.arguments, 40) if isinstance(leaf, str | bool | int)}


def _acted_on_differences(scope: Scope, pairs: list[tuple[Run, Run]]) -> Iterator[Difference]:
    """Compare the records that the pattern's own failures and successes acted on, field by field, among the runs in
    which the field is known."""
    failures = [failure for failure, _ in pairs if failure.id in scope.ids]
    for tool in sorted(scope.effects(scope.runs[0])):
        bad, good = ([(run, _acted_on(scope, run, tool)) for run in side] for side in (failures, scope.successes))
        for fact in sorted(set().union(*(facts for _, facts in bad))):
            failed_runs, successful_runs = (
                [(run, fact in facts) for run, facts in side if fact[0] in dict(facts)] for side in (bad, good)
            )
            if difference := _clear_difference(tool, fact, failed_runs, successful_runs):
                yield difference


def _clear_difference(
    tool: str, fact: tuple[str, str], failed_runs: Sides, successful_runs: Sides
) -> Difference | None:
    """Return the difference where clearly more failures than successes acted on a record with this (field, value)."""
    n, m = (sum(has for _, has in side) for side in (failed_runs, successful_runs))
    if (
        min(n, len(successful_runs)) < LEAST
        or n / len(failed_runs) - m / len(successful_runs) < APART
        or by_chance(n, len(failed_runs), m, len(successful_runs)) > CHANCE
    ):
        return None
    ids = ids_of(run for run, has in (*failed_runs, *successful_runs) if has)
    return Difference("acted_on", tool, n, len(failed_runs), m, len(successful_runs), *fact, ids=ids)


def _acted_on(scope: Scope, run: Run, tool: str) -> set[tuple[str, str]]:
    return {(name, value) for r in records(scope, run) if tool in r.called_tools for _, name, value in r.facts}
