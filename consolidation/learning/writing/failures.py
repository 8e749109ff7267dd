"""Tool errors of runs: which occurred, and what successful runs did next."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from consolidation.learning.commands.purposes import TESTS, purpose
from consolidation.learning.commands.requests import is_of_service
from consolidation.learning.comparison.command_work import OWN_CODE
from consolidation.learning.comparison.scope import Scope, count, ranked
from consolidation.learning.effects.command_starts import has_started
from consolidation.learning.effects.effects import CHORES, is_edit
from consolidation.learning.effects.toolnames import code
from consolidation.learning.runs import errors
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.lines import CountedResult, Ids, ids_of
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import joined_path, leaves
from consolidation.learning.writing.git_work import GitWork
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.templates import marked, template

MOST = 8
LONGEST_LINE = 200
COMMAND_CASES = 3  # least cases of an error of a command; many occur in one run only
Kind = tuple[str, str]  # tool, template


@dataclass(frozen=True)
class Mode(CountedResult):
    """One kind of error of one tool, seen in `runs` runs, of which `recovered` succeeded.

    `next`: (reaction, runs) of the successful ones; `next_ids`: reaction -> their ids.
    """

    tool: str
    template: str
    runs: int
    recoveries: int
    next: tuple[tuple[str, int], ...]
    next_ids: Mapping[str, Ids] = field(default_factory=dict, compare=False, repr=False)


def modes(scope: Scope, say: Phrases) -> list[Mode]:
    """Return up to MOST kinds of errors of the pattern's runs, the most frequent first; a run counts once per kind."""
    all_runs_by_kind: dict[Kind, list[Run]] = defaultdict(list)
    after: dict[Kind, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in scope.runs:
        for kind, n in _error_positions(scope, run).items():
            all_runs_by_kind[kind].append(run)
            if run.succeeded:
                after[kind][_next(scope, say, run, n)].append(run)
    commands = {call.name for run in scope.runs for call in run.steps if call.via}
    runs_by_kind = {
        k: runs
        for k, runs in all_runs_by_kind.items()
        if k[0] not in commands
        or (k[1] and (is_of_service(k[0]) or len({run.thread for run in runs}) >= COMMAND_CASES))
    }
    known_modes = [_mode(kind, runs, after[kind]) for kind, runs in runs_by_kind.items()]
    return sorted(known_modes, key=lambda mode: (-mode.runs, mode.tool, mode.template))[:MOST]


def _error_positions(scope: Scope, run: Run) -> dict[Kind, int]:
    """Return each kind of error of a run with the index of its first call."""
    positions: dict[Kind, int] = {}
    for n, call in enumerate(run.steps):
        if call.failed and not (call.via and _is_usual(scope, call)):
            sent = [str(leaf) for _, leaf in leaves(call.arguments)]
            positions.setdefault((call.name, template(scope, marked(run, errors.message(call.parsed_result)), sent)), n)
    return positions


def _is_usual(scope: Scope, call: Call) -> bool:
    """Return whether a failure is normal for this command: a look-up that finds nothing, a chore, a failing test."""
    chore = call.name in CHORES - OWN_CODE or scope.rules.reads(call.name) or is_edit(call.name)
    return chore or (purpose(call.name) == TESTS and has_started(call))


def _mode(kind: Kind, runs: Sequence[Run], runs_by_reaction: Mapping[str, Sequence[Run]]) -> Mode:
    tool, text = kind
    reactions = ranked(name for name, tools in runs_by_reaction.items() for _ in tools)
    mode = Mode(tool, text, len(runs), count(runs, lambda run: run.succeeded), tuple(reactions), ids=ids_of(runs))
    return replace(mode, next_ids={name: ids_of(tools) for name, tools in runs_by_reaction.items()})


def _next(scope: Scope, say: Phrases, run: Run, n: int) -> str:
    """Describe what followed a failed call: the next tool that started, the same one again, or no further call."""
    failed_call, later = run.steps[n], run.steps[n + 1 :]
    if not later:
        return say("no_further")
    next_call = next(
        (call for call in later if call.started and not (call.via and scope.rules.reads(call.name))), later[0]
    )
    prefix = (
        say("asked_then")
        if any(failed_call.position < message.position < next_call.position for message in run.user_messages)
        else ""
    )
    if failed_call.push and next_call.push and (pushes := GitWork(scope).pushes(run, after=failed_call.position)):
        return say("pushed", commands=code(" && ".join(pushes), LONGEST_LINE))
    if next_call.name == failed_call.name:
        return f"{prefix}{_again(scope, say, failed_call, next_call)}"
    is_repeated = any(call.name == failed_call.name and not call.failed for call in later)
    if next_call.via and is_edit(next_call.name) and is_repeated:
        return say("edited_again")
    if not is_repeated and scope.changes(next_call.name) and not next_call.via and not scope.changes(failed_call.name):
        return say("went_on", tool=code(next_call.name))
    return f"{prefix}{say('called', tool=code(next_call.name))}{say('again') if is_repeated else ''}"


def _again(scope: Scope, say: Phrases, failed_call: Call, next_call: Call) -> str:
    """Describe a repetition of the same tool, with other arguments or the same."""
    if next_call.via and next_call.line != failed_call.line:
        return say("other_form")
    names = sorted(_changed_arguments(scope, failed_call, next_call))
    return say("other_again", what=say.join([code(key) for key in names[:3]])) if names else say("same_again")


def _changed_arguments(scope: Scope, before: Call, after: Call) -> set[str]:
    old, new = _argument_texts(scope, before), _argument_texts(scope, after)
    return {key for key in {*old, *new} if old.get(key) != new.get(key)}


def _argument_texts(scope: Scope, call: Call) -> dict[str, list[str]]:
    by_form: dict[str, list[str]] = defaultdict(list)
    for path, leaf in leaves(call.arguments):
        by_form[joined_path(scope.shown_argument(call.name, path))].append(str(leaf))
    return by_form
