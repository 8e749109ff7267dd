"""Effects of a run: the kinds of its calls that change something.

Look-ups and handovers are none, nor is a command that did not start.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING

from consolidation.learning import commands
from consolidation.learning.attempts import not_started
from consolidation.learning.command_lines import command_line
from consolidation.learning.signatures import bare_name, first_word_reads

if TYPE_CHECKING:
    from consolidation.learning.runs import Call, Run

NO_ACTION = "no_action"  # the signature of a run without effects
# EDITS write files as instructed, CHORES prepare and clean up: both occur in any kind of work.
EDITS = frozenset({
    "sed -i", "perl -i", "yq -i", "sort -o", "find -delete", "fd -delete", "tee", "patch", "ed", "ex", "git apply",
})  # fmt: skip
CHORES = frozenset({
    "python", "node", "rm", "mkdir", "rmdir", "cp", "mv", "ln", "touch", "chmod", "unzip", "tar", "kill", "pkill",
    "git add", "git checkout", "git stash", "git stash pop", "git stash apply", "git stash drop", "git restore",
    "git reset", "git clean", "git rm", "git mv", "pip install", "uv pip install", "npm install", "npm ci",
    "apt-get install", "apt-get update", "apt install",
})  # fmt: skip


@dataclass(frozen=True)
class ToolRules:
    """Classification of the tools of a scope.

    `ignored`: names that count as nothing; `handover`: fnmatch patterns of tools that hand the request over to somebody
    else; `command_tools`: names of tools that run a command line; `marked`: tool -> read-only, as declared by the
    caller or a person.
    """

    ignored: frozenset[str] = frozenset()
    handover: tuple[str, ...] = ()
    command_tools: frozenset[str] = frozenset()
    marked: Mapping[str, bool] = field(default_factory=dict)

    def kinds(self, call: "Call") -> tuple[str, ...]:
        """Return what a call counts as: the command kinds of its command line, or its tool; empty without a name."""
        if not call.name:
            return ()
        if self.runs_commands(call.name) and (line := command_line(call)):
            return commands.kinds(line) or (call.name,)
        return (call.name,)

    def runs_commands(self, tool: str) -> bool:
        """Return whether the tool runs command lines."""
        return self._runs_commands[tool]

    def hands_over(self, kind: str) -> bool:
        """Return whether the kind matches a pattern of `handover`."""
        names = {kind.lower(), bare_name(kind).lower()}
        return any(fnmatchcase(name, pattern.lower()) for pattern in self.handover for name in names)

    def reads(self, kind: str) -> bool:
        """Return whether a kind is read-only: as marked, else a known command kind or by the first word of its name."""
        if kind in self.marked:
            return self.marked[kind]
        of_command = " -" in kind or kind.endswith(" >")  # find -delete begins like a look-up
        return commands.reads(kind) or (not of_command and first_word_reads(kind))

    def is_effect(self, kind: str) -> bool:
        """Return whether calls of this kind change something."""
        return self._effects[kind]

    @cached_property
    def _command_tools(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.command_tools)

    @cached_property
    def _effects(self) -> "_ByName":
        return _ByName(lambda kind: not (kind in self.ignored or self.hands_over(kind) or self.reads(kind)))

    @cached_property
    def _runs_commands(self) -> "_ByName":
        return _ByName(lambda tool: bare_name(tool).lower() in self._command_tools)


class _ByName(dict[str, bool]):
    """Cache of a question about a name."""

    def __init__(self, ask: Callable[[str], bool]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, name: str) -> bool:
        self[name] = self._ask(name)
        return self[name]


def effects(run: "Run", rules: ToolRules) -> frozenset[str]:
    """Return the effect kinds that characterize a run; empty when it only looked up, answered or handed over."""
    tools: set[str] = set()
    run_by_line: set[str] = set()
    for call in run.steps:
        (run_by_line if call.via or rules.runs_commands(call.name) else tools).update(changes(call, rules))
    unread = {kind for kind in run_by_line if rules.runs_commands(kind)}  # command lines that could not be parsed
    return frozenset(tools) | telling(run_by_line - unread, beside=tools) or frozenset(unread)


def changes(call: "Call", rules: ToolRules) -> list[str]:
    """Return the kinds of a call that change something."""
    return [kind for kind in ran(call, rules) if rules.is_effect(kind)]


def ran(call: "Call", rules: ToolRules) -> tuple[str, ...]:
    """Return the kinds of a call without the commands that are known not to have started."""
    kinds = rules.kinds(call)
    if call.via or not rules.runs_commands(call.name):
        return kinds if call.started else ()
    idle = not_started(call, command_line(call))
    return tuple(kind for kind in kinds if kind not in idle)


def telling(kinds: Collection[str], *, beside: Collection[str] = ()) -> frozenset[str]:
    """Return those command kinds that characterize a run.

    Commands that check, build or publish; without any (and without other tools, `beside`) file edits, else chores.
    """
    told = frozenset(kind for kind in kinds if not is_edit(kind) and kind not in CHORES)
    if told or beside:
        return told
    return frozenset(filter(is_edit, kinds)) or frozenset(kinds)


def are_of_lines(kinds: Collection[str]) -> bool:
    """Return whether one of these effects is a command kind: only those hold a space or a slash."""
    return any(set(kind) & {" ", "/"} for kind in kinds)


def are_chores(kinds: Collection[str]) -> bool:
    """Return whether these are command kinds that only edit files, prepare or clean up."""
    return are_of_lines(kinds) and all(is_edit(kind) or kind in CHORES for kind in kinds)


def is_edit(kind: str) -> bool:
    """Return whether a command of this kind writes, changes or deletes files as instructed."""
    return kind in EDITS or kind.endswith(" >")


def signature(kinds: frozenset[str]) -> str:
    """Join a set of effects to one name; NO_ACTION for the empty set."""
    return "+".join(sorted(kinds)) or NO_ACTION


def unfolded(run: "Run", rules: ToolRules) -> "Run":
    """Return the run with one call per command of its command lines, so that a command is a tool like any other.

    Commands that are known not to have started are marked. The result of a line goes to its first command with an
    effect, else to its last one. Without command lines the same run is returned.
    """
    if not any(rules.runs_commands(call.name) and call.via == "" for call in run.steps):
        return run
    calls = [part for call in run.steps for part in _parts(call, rules)]
    return replace(run, calls=tuple(calls))


def _parts(call: "Call", rules: ToolRules) -> Iterator["Call"]:
    kinds = rules.kinds(call)
    if not rules.runs_commands(call.name) or call.via or kinds == (call.name,):
        yield call
        return
    line = command_line(call)
    idle = not_started(call, line)
    answering = next((kind for kind in kinds if rules.is_effect(kind)), kinds[-1])
    for kind in kinds:
        if kind == answering:
            yield replace(call, tool=kind, via=call.name, args={}, line=line, started=kind not in idle)
        else:
            yield replace(call, tool=kind, via=call.name, args={}, result=None, ok=True, started=kind not in idle)
