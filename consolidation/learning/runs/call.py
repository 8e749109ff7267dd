"""A call of a tool as it was recorded, the operation that it counts as, and the refs that a push pushed."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from consolidation.learning.runs import cells, errors, harness_tools, operations, values


class Push(NamedTuple):
    """A `git push`.

    `refs`: as `name`, or `source:name` where they differ; empty where the line names none. `names`: of the refs at the
    remote. `force_option`: `--force` or `--force-with-lease`, '' without. `quiet`: success prints nothing. `new_tags`:
    the names that the output reports as new tags.
    """

    remote: str
    refs: tuple[str, ...]
    force_option: str = ""
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

    `starts_by_line` is the cache of `command_starts.starts_of`.
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
    started: bool = True  # False: this command (a call with `via`) is known not to have started
    push: Push | None = None  # of a `git push`; each push of a line is a call of its own
    counts_as_one: bool = False  # named after its tool, whatever operation the arguments name
    dependencies: tuple[int, ...] = ()  # positions of the calls that the recording says it depends on
    button: str = ""  # the button that a browser presses
    page: str = ""  # the page that a browser opens, or on which it presses the button, where the run opened that page
    code: str = ""  # the program that a tool for code runs, behind the definitions of earlier cells that it uses
    sheet: str = ""  # the operation of a sheet that it reads or writes
    page_message: str = ""  # the message on the page after the button, else the lines that were not there before
    starts_by_line: dict[str, dict[str, bool]] = field(default_factory=dict, init=False, compare=False, repr=False)

    @cached_property
    def name(self) -> str:
        """The operation where the arguments name one, else the tool; tools of coding agents by their canonical name.

        '' when the recorded name is no text. A command keeps its own name: `apply_patch` is also a program.
        """
        if self.button:
            return f"{operations.PRESS} {self.button}"
        if self.sheet:
            return self.sheet
        if self._operation:
            return self._operation.name
        if self.via:
            return self.tool_name
        if self.code:
            return harness_tools.RUN
        return harness_tools.canonical(self.tool_name, self.recorded_arguments)

    @property
    def tool_name(self) -> str:
        """The recorded name of the tool, without surrounding space."""
        return self.tool.strip() if isinstance(self.tool, str) else ""

    @cached_property
    def failed(self) -> bool:
        """Whether the call failed: as recorded, else as the result says."""
        return not self.ok if self.ok is not None else errors.looks_failed(self.parsed_result)

    @cached_property
    def parsed_result(self) -> Any:
        """The result, parsed when it is JSON or Gemini CLI's report of a command."""
        return errors.parse_report(values.parse_json(self.result))

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The named arguments without those that became the operation's name; empty when they are not an object."""
        return self._operation.arguments if self._operation else self.recorded_arguments

    @cached_property
    def recorded_arguments(self) -> dict[str, Any]:
        """The named arguments as recorded."""
        arguments = values.parse_json(self.args)
        return {str(key): value for key, value in arguments.items()} if isinstance(arguments, dict) else {}

    @property
    def command_line(self) -> str:
        """The command line of a call, or the code of a tool for code as one gives it to Python; '' for none."""
        if self.code_line:
            return self.code_line
        command = self.recorded_arguments.get("command") or self.recorded_arguments.get("cmd")
        line = command[-1] if isinstance(command, list) and command else command
        return line if isinstance(line, str) else ""

    @cached_property
    def code_line(self) -> str:
        """The command line that gives Python the code of a tool for code; '' for any other call."""
        return (
            "" if self.via else cells.line(self.code or harness_tools.code_of(self.tool_name, self.recorded_arguments))
        )

    @property
    def is_operation(self) -> bool:
        """Whether `name` is an operation and not the tool: `POST a.example/users` of a tool for HTTP requests, say."""
        return bool(self.button or self.sheet) or self._operation is not None

    @cached_property
    def _operation(self) -> operations.Operation | None:
        return (
            None
            if self.counts_as_one or self.button or self.sheet
            else operations.of(self.tool_name, self.recorded_arguments)
        )
