"""The command line of a call, and the words of each command in it as a shell splits them; nothing is run."""

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from consolidation.learning.runs import values

LONGEST_LINE = 20_000
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_PUNCTUATION = "();<>|&\n"
_NO_FILE = re.compile(r"/dev/(?:null|stdout|stderr|tty)|&?\d|-")


def command_words(line: str) -> Iterator[tuple[list[str], bool]]:
    """Yield (words, output goes into a file) of each command. ValueError: not parsable, e.g. an open quote."""
    words: list[str] = []
    writes = False
    tokens = _tokens(line)
    for n, token in enumerate(tokens):
        before, after = tokens[n - 1] if n else "", tokens[n + 1] if n + 1 < len(tokens) else ""
        if not _is_operator(token):
            if not _is_operator(before) or not set(before) & set("<>"):
                words.append(token)
        elif "<" in token or ">" in token:
            if words and words[-1].isdigit():
                words.pop()
            to_file = after and not _is_operator(after) and not _NO_FILE.fullmatch(after)
            writes = writes or (">" in token and bool(to_file))
        else:
            yield words, writes
            words, writes = [], False
    yield words, writes


def is_plain(line: str) -> bool:
    """Return whether the exit code is that of the last command: no pipe, no command that runs despite a failure."""
    try:
        operators = {token for token in _tokens(line[:LONGEST_LINE].strip()) if _is_operator(token)}
    except ValueError:
        return False
    return not any(set(token) & set("|;\n") for token in operators)


def _tokens(line: str) -> list[str]:
    """Return words without quotes, and operators; the content of `$(...)` is left out."""
    plain = _COMMENT.sub("", _without_heredocs(line.replace("\r\n", "\n").replace("\\\n", " ")))
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    parts: list[str] = []
    inside = 0
    for token in lexer:
        operator = _is_operator(token)
        if inside:
            inside += token.count("(") - token.count(")") if operator else 0
        elif operator and "(" in token and parts and (parts[-1].endswith("$") or set(parts[-1]) <= set("<>")):
            inside = token.count("(") - token.count(")")
        else:
            parts.append(token)
    return parts


def _is_operator(token: str) -> bool:
    return bool(token) and set(token) <= set(_PUNCTUATION)


def _without_heredocs(line: str) -> str:
    """Remove here-documents together with their redirections."""
    kept: list[str] = []
    ends: list[str] = []
    for row in line.split("\n"):
        if ends:
            if row.strip() == ends[0]:
                ends.pop(0)
            continue
        ends = [match[2] for match in _HEREDOC.finditer(row)]
        kept.append(_HEREDOC.sub("", row))
    return "\n".join(kept)


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


def line_in(args: Any) -> str:
    """Return the command line in the recorded arguments of a call, an object or its text; '' for none."""
    arguments = values.parsed(args)
    given = arguments if isinstance(arguments, dict) else {"": arguments}
    return next((line for value in map(given.get, ("", *_LINES)) if (line := _line(value))), "")


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
