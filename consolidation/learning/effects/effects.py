"""Effects of a run: the kinds of its calls that change something.

Look-ups, handovers and commands that did not start are no effects.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace

from consolidation.learning.commands import checking, commands, forms, git, programs, purposes, requests
from consolidation.learning.commands.shell import command_line, heredocs, plain_commands
from consolidation.learning.effects.command_starts import answer, not_started
from consolidation.learning.effects.line_results import PushResult, documents, pushes
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs import operations
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.harness_tools import EDIT, FILE_CHANGES, FIND, READ
from consolidation.learning.runs.run import Run

_OF_FOLDERS = re.compile(r"\b(?:mkdir|rm|worktree)\b")
NO_ACTION = "no_action"  # the signature of a run without effects
# EDITS write files as instructed, CHORES prepare and clean up: both occur in any kind of work.
IN_PLACE = frozenset({"sed -i", "perl -i", "yq -i", "patch", "ed", "ex", "git apply", "apply_patch"})
EDITS = IN_PLACE | {"sort -o", "find -delete", "fd -delete", "tee"}
FILE_TOOLS = FILE_CHANGES | {READ, FIND}
PREPARING = frozenset({"git branch", "git config", "git switch", "git pull", "git update-ref"})
CHORES = PREPARING | frozenset({
    "python", "node", "rm", "mkdir", "rmdir", "cp", "mv", "ln", "touch", "chmod", "unzip", "tar", "kill", "pkill",
    "git add", "git checkout", "git stash", "git stash pop", "git stash apply", "git stash drop", "git restore",
    "git reset", "git clean", "git rm", "git mv", "pip install", "uv pip install", "npm install", "npm ci",
    "apt-get install", "apt-get update", "apt install",
})  # fmt: skip
_CHAIN = re.compile(r"&&[^;\n]*\Z|\bset -\w*e")  # a line that ends with the first command that fails
_SIDE_PURPOSES = frozenset({"lint", "format", "types"})


def effects(run: Run, rules: ToolRules) -> frozenset[str]:
    """Return the effect kinds that characterize a run; empty when it only looked up, answered or handed over.

    A file that is edited by a command line counts as EDIT in a run that also uses tools for files.
    """
    tools: set[str] = set()
    run_by_line: set[str] = set()
    scratch = _scratch_folders(run, rules)
    for call in run.steps:
        by_line = call.via or rules.runs_commands(call.name)
        (run_by_line if by_line else tools).update({*changes(call, rules)} - _experiments(rules.line_of(call), scratch))
    run_by_line -= _failed_tests(run, run_by_line, rules)
    run_by_line -= refused_kinds(run, run_by_line, rules)
    if run_by_line & IN_PLACE and any(call.name in FILE_TOOLS and not call.via for call in run.steps):
        tools.add(EDIT)
    unparsed = {kind for kind in run_by_line if rules.runs_commands(kind)}  # command lines that could not be parsed
    return frozenset(tools) | characteristic_kinds(run_by_line - unparsed, beside=tools) or frozenset(unparsed)


def _scratch_folders(run: Run, rules: ToolRules) -> frozenset[str]:
    """Return the folders that a run makes and removes again; commands that work only there are experiments."""
    lines = map(rules.line_of, run.steps)
    commands = [words for line in lines if _OF_FOLDERS.search(line) for words, _ in plain_commands(line)]
    made_paths, removed_paths = (
        _paths_after(commands, "mkdir", "git worktree add"),
        _paths_after(commands, "rm", "git worktree remove"),
    )
    return frozenset(made_paths & removed_paths)


def _paths_after(commands: Iterable[Sequence[str]], *commands_of: str) -> set[str]:
    """Return the arguments of these commands that contain a slash."""
    matching_commands = [
        words for words in commands if any(" ".join(words).startswith(f"{name} ") for name in commands_of)
    ]
    return {word for words in matching_commands for word in words[1:] if "/" in word and not word.startswith("-")}


def _experiments(line: str, scratch: Collection[str]) -> set[str]:
    """Return the kinds of commands of a line that all name a folder of `scratch`."""
    commands = forms.commands_in(line) if scratch else ()
    inside = [(kind, any(_is_inside(word, scratch) for word in words)) for kind, _, words in commands]
    return {kind for kind, _ in inside} - {kind for kind, is_inside in inside if not is_inside}


def _is_inside(word: str, folders: Collection[str]) -> bool:
    return any(word == folder or word.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _failed_tests(run: Run, kinds: Collection[str], rules: ToolRules) -> frozenset[str]:
    """Return the test commands that only failed, where the last test command of the run went well."""
    tests = {kind for kind in kinds if purposes.purpose(kind) == purposes.TESTS}
    if len(tests) < 2:
        return frozenset()
    results = [(kind, call.failed) for call in run.steps for kind in tests if kind in _kinds_of(call, rules)]
    successful_kinds = {kind for kind, failed in results if not failed}
    return frozenset(tests - successful_kinds if successful_kinds and results[-1][0] in successful_kinds else ())


def refused_kinds(run: Run, kinds: Set[str], rules: ToolRules) -> frozenset[str]:
    """Return the kinds without effect: changes of services that were only refused, where another one went well; pushes
    that were only refused; beside other changes also container commands that only failed.

    Empty for a run that failed: these may be what it was to do.
    """
    service_changes = {kind for kind in kinds if requests.is_of_service(kind) and not run.failed}
    push_kinds = {kind for kind in kinds if kind == git.PUSH and not run.failed}
    to_daemon = {kind for kind in kinds if kind.split()[0] in programs.CONTAINERS and not run.failed} - service_changes
    if len(service_changes) < 2 and not push_kinds | to_daemon:
        return frozenset()
    candidate_kinds = service_changes | push_kinds | to_daemon
    parts = [part for call in run.steps for part in _parts(call, rules, ()) if part.name in candidate_kinds]
    successful = {part.name for part in parts if part.started and not part.failed}
    beside = to_daemon if kinds - to_daemon else frozenset()
    return (
        frozenset((service_changes if service_changes & successful else frozenset()) | push_kinds | beside) - successful
    )


def _kinds_of(call: Call, rules: ToolRules) -> tuple[str, ...]:
    return (call.name,) if call.via else commands.kinds(rules.line_of(call))


def changes(call: Call, rules: ToolRules) -> list[str]:
    """Return the kinds of a call that change something."""
    return [kind for kind in started_kinds(call, rules) if rules.is_effect(kind)]


def started_kinds(call: Call, rules: ToolRules) -> tuple[str, ...]:
    """Return the kinds of a call without the commands that are known not to have started."""
    kinds = rules.kinds(call)
    if call.via or not rules.runs_commands(call.name):
        return kinds if call.started else ()
    idle = _not_reached(call, command_line(call))
    return tuple(kind for kind in kinds if kind not in idle)


def _not_reached(call: Call, line: str) -> frozenset[str]:
    """Return the kinds of commands that are known not to have started, or before which the line ended."""
    return not_started(call, line) | ({git.PUSH} if pushes(call, line) == [] else set())


def characteristic_kinds(kinds: Collection[str], *, beside: Collection[str] = ()) -> frozenset[str]:
    """Return those command kinds that characterize a run.

    Commands that check, build or publish; without any (and without other tools, `beside`) file edits, else chores.
    Left out beside other kinds: linters, formatters, `go build` with `go test`; beside changes of a service, also
    scripts that check.
    """
    telling_kinds = frozenset(kind for kind in kinds if not is_edit(kind) and kind not in CHORES)
    if any(map(requests.is_of_service, telling_kinds)):
        telling_kinds = frozenset(kind for kind in telling_kinds if not checking.runs_named_check([kind]))
    if telling_kinds or beside:
        return frozenset(kind for kind in telling_kinds if not _is_side_work(kind, telling_kinds)) or telling_kinds
    return frozenset(filter(is_edit, kinds)) or frozenset(kinds)


def _is_side_work(kind: str, kinds: Collection[str]) -> bool:
    """Return whether a command lints or formats, or builds with the program that runs the tests."""
    purpose = purposes.purpose(kind)
    tested_with = {other.split()[0] for other in kinds if purposes.purpose(other) == purposes.TESTS}
    return purpose in _SIDE_PURPOSES or (purpose == "build" and kind.split(maxsplit=1)[0] in tested_with)


def are_of_lines(kinds: Collection[str]) -> bool:
    """Return whether one of these effects is a command kind: only those and operations hold a space or a slash."""
    return any(set(kind) & {" ", "/"} and not operations.tool_name(kind) for kind in kinds)


def are_chores(kinds: Collection[str]) -> bool:
    """Return whether these are command kinds that only edit files, prepare or clean up."""
    return are_of_lines(kinds) and all(is_edit(kind) or kind in CHORES for kind in kinds)


def is_edit(kind: str) -> bool:
    """Return whether a command of this kind writes, changes or deletes files as instructed."""
    return kind in EDITS or kind.endswith(" >")


def signature(kinds: frozenset[str]) -> str:
    """Join a set of effects to one name; NO_ACTION for the empty set."""
    return "+".join(sorted(kinds)) or NO_ACTION


def with_single_commands(run: Run, rules: ToolRules) -> Run:
    """Return the run with one call per command of its command lines, so that a command is a tool like any other.

    Commands that are known not to have started have `started` False. The result of a line goes to its first command
    with an effect, else to its last one. Calls of tools that count as one (`ToolRules.counts_as_one`) are marked so.
    The same run is returned where it has neither.
    """
    if not any((rules.runs_commands(call.name) and call.via == "") or rules.counts_as_one(call) for call in run.steps):
        return run
    scratch = _scratch_folders(run, rules)
    calls = [part for call in run.steps for part in _parts(call, rules, scratch)]
    return replace(run, calls=tuple(calls))


def with_service_commands(run: Run, rules: ToolRules) -> Run:
    """Return the run with one call per command of those lines that send requests or call client programs of services,
    as `with_single_commands` does; any other line stays one call."""
    lines = {n for n, call in enumerate(run.steps) if _calls_service(call, rules)}
    if not lines:
        return run
    calls = [part for n, call in enumerate(run.steps) for part in (_parts(call, rules, ()) if n in lines else [call])]
    return replace(run, calls=tuple(calls))


def _calls_service(call: Call, rules: ToolRules) -> bool:
    is_line = rules.runs_commands(call.name) and not call.via
    return is_line and any(map(requests.is_of_service, rules.kinds(call)))


def _parts(call: Call, rules: ToolRules, scratch: Collection[str]) -> Iterator[Call]:
    kinds = rules.kinds(call)
    if not rules.runs_commands(call.name) or call.via or kinds == (call.name,):
        yield replace(call, counts_as_one=True) if rules.counts_as_one(call) else call
        return
    line = command_line(call)
    experiments = _experiments(line, scratch)
    idle = _not_reached(call, line)
    kinds = _by_call_order([kind for kind in kinds if kind not in experiments] or kinds[-1:], line)
    push_results = (pushes(call, line) or []) if git.PUSH in kinds else []
    of_services = [kind for kind in kinds if requests.is_of_service(kind)]
    answering = next((kind for kind in kinds if rules.is_effect(kind)), (of_services or kinds)[-1])
    if of_services and answer(call)[0] and not _CHAIN.search(line):
        answering = kinds[-1]  # the exit code is that of the last command
    arguments_by_kind = requests.arguments(forms.commands_in(line), "\n".join(heredocs(line))) if of_services else {}
    results = documents(call, line) if of_services else {}
    has_results = results or any(push_result.refused for push_result in push_results)  # then the others went well
    for kind in kinds:
        part = replace(call, tool=kind, via=call.name, args=arguments_by_kind.get(kind, {}), started=kind not in idle)
        if has_results or kind != answering:
            result, ok = results.get(kind, (None, True))
            part = replace(part, result=result, ok=ok)
        part = replace(part, line=line) if kind == answering else part
        yield from _push_calls(part, push_results) if kind == git.PUSH and push_results else [part]


def _push_calls(part: Call, push_results: Sequence[PushResult]) -> Iterator[Call]:
    """Yield a call for each push, of which the first has the line."""
    for n, outcome in enumerate(push_results):
        yield replace(
            part,
            result=outcome.refusal,
            ok=not outcome.refused,
            line="" if n else part.line,
            push=outcome.push,
        )


def _by_call_order(kinds: Sequence[str], line: str) -> tuple[str, ...]:
    """Order the command kinds of a line by where each is called first; of services and checks, which are called before
    and after a change, by where they are called last."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for n, (kind, _) in enumerate(forms.kind_forms(line)):
        first.setdefault(kind, n)
        last[kind] = n
    again = {kind for kind in kinds if requests.is_of_service(kind) or checking.runs_named_check([kind])}
    return tuple(sorted(kinds, key=lambda kind: (last if kind in again else first).get(kind, -1)))
