"""Sheets and buttons that few runs use: likely names of persons in their labels are replaced by `{name}`."""

from dataclasses import replace

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.people import with_name_slots
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Run


def without_rare_names(scope: Scope) -> Scope:
    """Return the scope with `{name}` for likely names in what too few of its runs have in common."""
    holders = Holders(({call.name for call in run.steps if _is_named(call)}, run.thread) for run in scope.all)
    rare = {
        call.name for run in scope.runs for call in run.steps if _is_named(call) and not holders.is_common(call.name)
    }
    if not rare:
        return scope

    def plain(run: Run) -> Run:
        steps = [with_name_slots(call, scope.spoken_names) if call.name in rare else call for call in run.steps]
        return replace(run, calls=tuple(steps)) if steps != list(run.steps) else run

    return Scope([*map(plain, scope.runs)], [*map(plain, scope.other_runs)], scope.rules, scope.other_vocabulary)


def _is_named(call: Call) -> bool:
    return bool(call.sheet or call.button)
