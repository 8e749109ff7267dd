"""Effects of a run: the kinds of its calls that change something.

Look-ups and handovers are none, nor is a command that did not start.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace

from consolidation.learning.commands import checking, commands, forms, git, programs, purposes, requests
from consolidation.learning.commands.shell import command_line, heredocs, plain_commands
from consolidation.learning.effects.command_starts import answer, not_started
from consolidation.learning.effects.line_results import Pushed, documents, pushes
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
_CHAIN = re.compile(r"&&[^;\n]*\Z|\bset -\w*e")  # what ends where one command fails
_BESIDE = frozenset({"lint", "format", "types"})


def effects(run: Run, rules: ToolRules) -> frozenset[str]:
    """Return the effect kinds that characterize a run; empty when it only looked up, answered or handed over.

    An agent with tools for files that changes one by a command line does what its own tool would have done.
    """
    tools: set[str] = set()
    run_by_line: set[str] = set()
    scratch = _scratch_folders(run, rules)
    for call in run.steps:
        by_line = call.via or rules.runs_commands(call.name)
        (run_by_line if by_line else tools).update({*changes(call, rules)} - _experiments(rules.line_of(call), scratch))
    run_by_line -= _in_vain(run, run_by_line, rules)
    run_by_line -= refused(run, run_by_line, rules)
    if run_by_line & IN_PLACE and any(call.name in FILE_TOOLS and not call.via for call in run.steps):
        tools.add(EDIT)
    unread = {kind for kind in run_by_line if rules.runs_commands(kind)}  # command lines that could not be parsed
    return frozenset(tools) | telling(run_by_line - unread, beside=tools) or frozenset(unread)


def _scratch_folders(run: Run, rules: ToolRules) -> frozenset[str]:
    """Return the folders that a run makes and removes again: what its commands do in there are experiments."""
    lines = map(rules.line_of, run.steps)
    called = [words for line in lines if _OF_FOLDERS.search(line) for words, _ in plain_commands(line)]
    made, removed = _paths_after(called, "mkdir", "git worktree add"), _paths_after(called, "rm", "git worktree remove")
    return frozenset(made & removed)


def _paths_after(called: Iterable[Sequence[str]], *commands_of: str) -> set[str]:
    """Return the paths that are given to these commands; a single name, which may be a word of others, is none."""
    own = [words for words in called if any(" ".join(words).startswith(f"{name} ") for name in commands_of)]
    return {word for words in own for word in words[1:] if "/" in word and not word.startswith("-")}


def _experiments(line: str, scratch: Collection[str]) -> set[str]:
    """Return the kinds of commands of a line that all name a folder of `scratch`."""
    called = forms.spelled(line) if scratch else ()
    inside = [(kind, any(_is_inside(word, scratch) for word in words)) for kind, _, words in called]
    return {kind for kind, _ in inside} - {kind for kind, is_inside in inside if not is_inside}


def _is_inside(word: str, folders: Collection[str]) -> bool:
    return any(word == folder or word.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def _in_vain(run: Run, kinds: Collection[str], rules: ToolRules) -> frozenset[str]:
    """Return the test commands that only failed where another one went well later: that is how it is tested there."""
    tests = {kind for kind in kinds if purposes.purpose(kind) == purposes.TESTS}
    if len(tests) < 2:
        return frozenset()
    ends = [(kind, call.failed) for call in run.steps for kind in tests if kind in _kinds_of(call, rules)]
    well = {kind for kind, failed in ends if not failed}
    return frozenset(tests - well if well and ends[-1][0] in well else ())


def refused(run: Run, kinds: Set[str], rules: ToolRules) -> frozenset[str]:
    """Return the changes of services that were only refused, where another one went well: they changed nothing. And
    pushes, where none went well; beside other changes also commands to a daemon that only failed.

    None of a run that failed, which may have wanted just these.
    """
    changed = {kind for kind in kinds if requests.is_of_service(kind) and not run.failed}
    pushed = {kind for kind in kinds if kind == git.PUSH and not run.failed}
    to_daemon = {kind for kind in kinds if kind.split()[0] in programs.CONTAINERS and not run.failed} - changed
    if len(changed) < 2 and not pushed | to_daemon:
        return frozenset()
    tried = changed | pushed | to_daemon
    parts = [part for call in run.steps for part in _parts(call, rules, ()) if part.name in tried]
    well = {part.name for part in parts if part.started and not part.failed}
    beside = to_daemon if kinds - to_daemon else frozenset()
    return frozenset((changed if changed & well else frozenset()) | pushed | beside) - well


def _kinds_of(call: Call, rules: ToolRules) -> tuple[str, ...]:
    return (call.name,) if call.via else commands.kinds(rules.line_of(call))


def changes(call: Call, rules: ToolRules) -> list[str]:
    """Return the kinds of a call that change something."""
    return [kind for kind in ran(call, rules) if rules.is_effect(kind)]


def ran(call: Call, rules: ToolRules) -> tuple[str, ...]:
    """Return the kinds of a call without the commands that are known not to have started."""
    kinds = rules.kinds(call)
    if call.via or not rules.runs_commands(call.name):
        return kinds if call.started else ()
    idle = _not_reached(call, command_line(call))
    return tuple(kind for kind in kinds if kind not in idle)


def _not_reached(call: Call, line: str) -> frozenset[str]:
    """Return the kinds of commands that are known not to have started, or before which the line ended."""
    return not_started(call, line) | ({git.PUSH} if pushes(call, line) == [] else set())


def telling(kinds: Collection[str], *, beside: Collection[str] = ()) -> frozenset[str]:
    """Return those command kinds that characterize a run.

    Commands that check, build or publish; without any (and without other tools, `beside`) file edits, else chores.
    Whether a linter or formatter ran beside others, or `go build` before `go test`, makes no other way of working; nor
    does a script that checks beside changes of a service.
    """
    telling_kinds = frozenset(kind for kind in kinds if not is_edit(kind) and kind not in CHORES)
    if any(map(requests.is_of_service, telling_kinds)):
        telling_kinds = frozenset(kind for kind in telling_kinds if not checking.runs_named_check([kind]))
    if telling_kinds or beside:
        return frozenset(kind for kind in telling_kinds if not _is_beside(kind, telling_kinds)) or telling_kinds
    return frozenset(filter(is_edit, kinds)) or frozenset(kinds)


def _is_beside(kind: str, kinds: Collection[str]) -> bool:
    """Return whether a command lints or formats, or builds with the program that runs the tests."""
    purpose = purposes.purpose(kind)
    tested_with = {other.split()[0] for other in kinds if purposes.purpose(other) == purposes.TESTS}
    return purpose in _BESIDE or (purpose == "build" and kind.split(maxsplit=1)[0] in tested_with)


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


def unfolded(run: Run, rules: ToolRules) -> Run:
    """Return the run with one call per command of its command lines, so that a command is a tool like any other.

    Commands that are known not to have started are marked. The result of a line goes to its first command with an
    effect, else to its last one. A tool that does many things but counts as one is one. Without any of these the same
    run is returned.
    """
    if not any((rules.runs_commands(call.name) and call.via == "") or rules.counts_as_one(call) for call in run.steps):
        return run
    scratch = _scratch_folders(run, rules)
    calls = [part for call in run.steps for part in _parts(call, rules, scratch)]
    return replace(run, calls=tuple(calls))


def services_apart(run: Run, rules: ToolRules) -> Run:
    """Return the run with one call per command of those lines that send requests or call client programs of services,
    as `unfolded` does; any other line stays one call."""
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
        yield replace(call, whole=True) if rules.counts_as_one(call) else call
        return
    line = command_line(call)
    experiments = _experiments(line, scratch)
    idle = _not_reached(call, line)
    kinds = _in_order([kind for kind in kinds if kind not in experiments] or kinds[-1:], line)
    pushed = (pushes(call, line) or []) if git.PUSH in kinds else []
    of_services = [kind for kind in kinds if requests.is_of_service(kind)]
    answering = next((kind for kind in kinds if rules.is_effect(kind)), (of_services or kinds)[-1])
    if of_services and answer(call)[0] and not _CHAIN.search(line):
        answering = kinds[-1]  # the exit code is that of the last command
    given = requests.arguments(forms.spelled(line), "\n".join(heredocs(line))) if of_services else {}
    results = documents(call, line) if of_services else {}
    told = results or any(each.refused for each in pushed)  # then the others went well
    for kind in kinds:
        part = replace(call, tool=kind, via=call.name, args=given.get(kind, {}), started=kind not in idle)
        if told or kind != answering:
            result, ok = results.get(kind, (None, True))
            part = replace(part, result=result, ok=ok)
        part = replace(part, line=line) if kind == answering else part
        yield from _each_push(part, pushed) if kind == git.PUSH and pushed else [part]


def _each_push(part: Call, pushed: Sequence[Pushed]) -> Iterator[Call]:
    """Yield a call for each push, of which the first has the line."""
    for n, each in enumerate(pushed):
        yield replace(part, result=each.said, ok=not each.refused, line="" if n else part.line, push=each.push)


def _in_order(kinds: Sequence[str], line: str) -> tuple[str, ...]:
    """Order the command kinds of a line by where each is called first; of services and checks, which are called before
    and after a change, by where they are called last."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for n, (kind, _) in enumerate(forms.called(line)):
        first.setdefault(kind, n)
        last[kind] = n
    again = {kind for kind in kinds if requests.is_of_service(kind) or checking.runs_named_check([kind])}
    return tuple(sorted(kinds, key=lambda kind: (last if kind in again else first).get(kind, -1)))
