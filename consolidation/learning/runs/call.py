"""A call of a tool as it was recorded, with what it counts as and what a push pushed."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from consolidation.learning.runs import cells, errors, harness_tools, operations, values


class Push(NamedTuple):
    """`refs`: as `name`, or `source:name` where they differ; none where the line does not tell. `names`: as they are
    called at the remote. `forced`: the option. `quiet`: it prints nothing where it goes well. `new_tags`: those of the
    names that its output says are new tags."""

    remote: str
    refs: tuple[str, ...]
    forced: str = ""
    quiet: bool = False
    new_tags: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name_at_remote(ref) for ref in self.refs)


def name_at_remote(ref: str) -> str:
    """Return the name of a ref at the remote: stable of `main:stable`."""
    return ref.rpartition(":")[2]


@dataclass(frozen=True)
class Call:
    """One tool call. `args` and `result` as recorded: object, JSON text, plain text or None.

    `starts` is a cache of `attempts`.
    """

    position: int
    tool: str
    args: Any
    result: Any
    ok: bool | None  # None: the recording does not say
    at: datetime
    ref: str | None
    via: str = ""  # the tool that ran this command; '' for a call of a tool
    line: str = ""  # the command line, on the one command that has its result
    started: bool = True  # False: a command that is known not to have started; told of single commands (`via`)
    push: Push | None = None  # of a `git push`, of which each on a line is a call
    whole: bool = False  # its tool counts as one, whatever the arguments say
    after: tuple[int, ...] = ()  # positions of the calls that it says it depends on
    button: str = ""  # that a browser presses
    page: str = ""  # that a browser opens, or on which it presses the button, where that was opened
    code: str = ""  # the program that a tool for code runs, with what earlier cells of the run defined for it
    sheet: str = ""  # the operation of a sheet that it reads or writes
    says: str = ""  # the message that the page shows then, else the lines that the page before had not
    starts: dict[str, dict[str, bool]] = field(default_factory=dict, init=False, compare=False, repr=False)

    @cached_property
    def name(self) -> str:
        """The operation of a tool that does many things, else the tool, of coding agents' tools the common one.

        '' when the recorded name is no text. A command has its own: `apply_patch` is a program of some agents.
        """
        if self.button:
            return f"{operations.PRESS} {self.button}"
        if self.sheet:
            return self.sheet
        if self._operation:
            return self._operation.name
        if self.via:
            return self.called
        if self.code:
            return harness_tools.RUN
        return harness_tools.canonical(self.called, self.sent)

    @property
    def called(self) -> str:
        """The recorded name of the tool, without surrounding space."""
        return self.tool.strip() if isinstance(self.tool, str) else ""

    @cached_property
    def failed(self) -> bool:
        """Whether the call failed: as recorded, else as the result says."""
        return not self.ok if self.ok is not None else errors.looks_failed(self.returned)

    @cached_property
    def returned(self) -> Any:
        """The result, parsed when it is JSON or what Gemini CLI says of a command."""
        return errors.reported(values.parsed(self.result))

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The named arguments, without what the name tells; empty when the arguments are not an object."""
        return self._operation.arguments if self._operation else self.sent

    @cached_property
    def sent(self) -> dict[str, Any]:
        """The named arguments as recorded."""
        arguments = values.parsed(self.args)
        return {str(key): value for key, value in arguments.items()} if isinstance(arguments, dict) else {}

    @property
    def command_line(self) -> str:
        """The command line of a call, or the code of a tool for code as one gives it to Python; '' for none."""
        if self.code_line:
            return self.code_line
        given = self.sent.get("command") or self.sent.get("cmd")
        line = given[-1] if isinstance(given, list) and given else given
        return line if isinstance(line, str) else ""

    @cached_property
    def code_line(self) -> str:
        """The command line that gives Python the code of a tool for code; '' for any other call."""
        return "" if self.via else cells.line(self.code or harness_tools.code_of(self.called, self.sent))

    @property
    def is_operation(self) -> bool:
        """Whether the name tells more than the tool's: `POST a.example/users` of a tool for HTTP requests, say."""
        return bool(self.button or self.sheet) or self._operation is not None

    @cached_property
    def _operation(self) -> operations.Operation | None:
        return None if self.whole or self.button or self.sheet else operations.of(self.called, self.sent)
