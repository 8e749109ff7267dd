"""The rules of a scope about its tools: which are ignored, hand over, run command lines or only read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

from consolidation.learning.commands import checking, commands
from consolidation.learning.commands.shell import command_line
from consolidation.learning.effects.toolnames import bare_name, name_hands_over, name_reads
from consolidation.learning.runs import harness_tools
from consolidation.learning.runs.call import Call


@dataclass(frozen=True)
class ToolRules:
    """Classification of the tools of a scope.

    `ignored`: names that count as nothing; `handover`: fnmatch patterns of tools that hand the request over to somebody
    else; `command_tools`: names of tools that run a command line; `marked`: tool -> read-only, as a person decided, its
    caller declares or its calls behave.
    """

    ignored: frozenset[str] = frozenset()
    handover: tuple[str, ...] = ()
    command_tools: frozenset[str] = frozenset()
    marked: Mapping[str, bool] = field(default_factory=dict)

    def kinds(self, call: Call) -> tuple[str, ...]:
        """Return what a call counts as: the command kinds of its command line, or its tool; empty without a name.

        A file is changed by whichever tool suits, so that these are one.
        """
        if not call.name:
            return ()
        if self.runs_commands(call.name) and (line := command_line(call)):
            return commands.kinds(line) or (call.name,)
        name = call.tool_name if self.counts_as_one(call) else call.name
        return (name if self.marked.get(name) else harness_tools.effect_name(name),)

    def counts_as_one(self, call: Call) -> bool:
        """Return whether a tool that does many things counts as one: it only reads, hands over or counts as nothing."""
        tool = call.tool_name
        return call.is_operation and (tool in self.ignored or self.hands_over(tool) or self.marked.get(tool) is True)

    def runs_commands(self, tool: str) -> bool:
        """Return whether the tool runs command lines."""
        return self._runs_commands[tool]

    def line_of(self, call: Call) -> str:
        """Return the command line of a call, also of a single command of it; '' for any other tool."""
        if call.via:
            return call.line
        return command_line(call) if self.runs_commands(call.name) else ""

    def hands_over(self, kind: str) -> bool:
        """Return whether the kind matches a pattern of `handover`, or its name says that it asks a person to go on."""
        names = {kind.lower(), bare_name(kind).lower()}
        return name_hands_over(kind) or any(
            fnmatchcase(name, pattern.lower()) for pattern in self.handover for name in names
        )

    def reads(self, kind: str) -> bool:
        """Return whether a kind is read-only: as marked, else a known command kind or by its name."""
        if kind in self.marked:
            return self.marked[kind]
        if kind in harness_tools.ONLY_READING:
            return True
        if checking.runs_named_check(kind.split()):  # as the commands of a test program are effects
            return False
        of_command = " -" in kind or kind.endswith(" >")  # find -delete begins like a look-up
        return commands.reads(kind) or (not of_command and name_reads(kind))

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
