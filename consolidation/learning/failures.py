"""Which errors the tools returned, what the runs that ended well did next, and how the failed ones ended."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from consolidation.learning import errors
from consolidation.learning.phrases import Phrases
from consolidation.learning.runs import Call, Run
from consolidation.learning.scope import Scope, count, ranked
from consolidation.learning.templates import template
from consolidation.learning.toolnames import code
from consolidation.learning.values import leaves, spelled

MOST = 8
COMMAND_RUNS = 2  # a command fails in many ways that are of one run alone
Kind = tuple[str, str]  # tool, template


@dataclass(frozen=True)
class Mode:
    """One kind of error of one tool: seen in `runs` runs, of which `recovered` ended well; what those did next."""

    tool: str
    template: str
    runs: int
    recovered: int
    next: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Quiet:
    """Of the `failures`, `runs` had no error from any tool; what they changed last."""

    failures: int
    runs: int
    last: tuple[tuple[str, int], ...]


def modes(scope: Scope, say: Phrases) -> list[Mode]:
    """The errors of the pattern's runs, the most frequent first, each run counted once per kind."""
    met: dict[Kind, list[Run]] = defaultdict(list)
    after: dict[Kind, Counter[str]] = defaultdict(Counter)
    for run in scope.runs:
        for kind, n in _met(scope, run).items():
            met[kind].append(run)
            if run.succeeded:
                after[kind][_next(scope, say, run, n)] += 1
    commands = {call.name for run in scope.runs for call in run.steps if call.via}
    told = {k: runs for k, runs in met.items() if k[0] not in commands or (k[1] and len(runs) >= COMMAND_RUNS)}
    found = [_mode(kind, runs, after[kind]) for kind, runs in told.items()]
    return sorted(found, key=lambda mode: (-mode.runs, mode.tool, mode.template))[:MOST]


def _met(scope: Scope, run: Run) -> dict[Kind, int]:
    """Each kind of error of a run with the place of its first call."""
    found: dict[Kind, int] = {}
    for n, call in enumerate(run.steps):
        if call.failed:
            found.setdefault((call.name, template(scope, errors.message(call.returned))), n)
    return found


def _mode(kind: Kind, runs: Sequence[Run], after: Counter[str]) -> Mode:
    tool, text = kind
    return Mode(tool, text, len(runs), count(runs, lambda run: run.succeeded), tuple(ranked(after.elements())))


def quiet(scope: Scope) -> Quiet:
    """The failures that no tool announced."""
    silent = [run for run in scope.failures if not any(call.failed for call in run.steps)]
    last = [made[-1] for run in silent if (made := [call.name for call in run.steps if scope.changes(call.name)])]
    return Quiet(len(scope.failures), len(silent), tuple(ranked(last)))


def _next(scope: Scope, say: Phrases, run: Run, n: int) -> str:
    """What came after the failed call: the next tool, the same with other arguments, or no further call."""
    failed, later = run.steps[n], run.steps[n + 1 :]
    if not later:
        return say("no_further")
    then = next((call for call in later if not (call.via and scope.rules.reads(call.name))), later[0])
    asked = say("asked_then") if _spoke_between(run, failed, then) else ""
    if then.name != failed.name:
        again = say("again") if any(call.name == failed.name and not call.failed for call in later) else ""
        if not again and scope.changes(then.name) and not then.via and not scope.changes(failed.name):
            return say("went_on", tool=code(then.name))
        return f"{asked}{say('called', tool=code(then.name))}{again}"
    changed = sorted(_changed(scope, failed, then))
    if not changed:
        return f"{asked}{say('same_again')}"
    return f"{asked}{say('other_again', what=say.join([code(key) for key in changed[:3]]))}"


def _changed(scope: Scope, before: Call, after: Call) -> set[str]:
    old, new = _spelled(scope, before), _spelled(scope, after)
    return {key for key in {*old, *new} if old.get(key) != new.get(key)}


def _spelled(scope: Scope, call: Call) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path, leaf in leaves(call.arguments):
        found[spelled(scope.shown_argument(call.name, path))].append(str(leaf))
    return found


def _spoke_between(run: Run, before: Call, after: Call) -> bool:
    return any(before.position < message.position < after.position for message in run.said)
