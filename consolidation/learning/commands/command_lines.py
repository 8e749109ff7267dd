"""The command line of a call, wherever in its arguments it stands."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consolidation.learning.runs.run import Call

_LINES = (
    "command", "cmd", "command_line", "commandline", "bash_command", "shell_command", "script", "commands", "input",
)  # fmt: skip


def command_line(call: "Call") -> str:
    """Return the command line of a call of a command tool; '' for none."""
    if not call.arguments and isinstance(call.args, str | list):
        return _line(call.args)
    return _line(call.arguments.get(line_argument(call)))


def line_argument(call: "Call") -> str:
    """Return the name of the argument that holds the command line; '' for none."""
    return next((key for key in _LINES if _line(call.arguments.get(key))), "")


def _line(value: Any) -> str:
    """Return a command line that is given as text or as an argument list."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        quoted = ["'" + word.replace("'", "'\\''") + "'" if not word.isalnum() else word for word in value]
        return " ".join(quoted)
    return ""
