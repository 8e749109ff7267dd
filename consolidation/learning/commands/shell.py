"""The command line of a call, and the words of each command in it as a shell splits them; nothing is run."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from consolidation.learning.commands.programs import SHELLS
from consolidation.learning.commands.wrappers import program_name, shell_script, without_wrappers
from consolidation.learning.runs import harness_tools, values

LONGEST_LINE = 20_000
_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*\\?(['\"]?)([A-Za-z_][\w.-]*)\1")
_BETWEEN = re.compile(r"[;|]|&&")  # commands of a row
_PUNCTUATION = "();<>|&\n"
_NO_FILE = re.compile(r"/dev/(?:null|stdout|stderr|tty|fd/\d+)|&?\d|-")
# What a shell reads before it splits words: escapes, quotes, substitutions and comments.
_OUTSIDE_QUOTES = re.compile(
    r"\\.|\$'(?:\\.|[^'\\])*'|'[^']*'|\"|\$\(|[<>]\(|`|(?:^|(?<=[\s;&|(]))#[^\n]*|[()]", re.DOTALL
)
_INSIDE_QUOTES = re.compile(r"\\.|\"|\$\(|`", re.DOTALL)
_ENDS = {'"': '"', "$(": ")", "<(": ")", ">(": ")", "`": "`", "(": ")"}
_REPLACEMENTS = {'"': '"', "$(": "$", "`": "$", "<(": "/dev/fd/63", ">(": "/dev/fd/63"}
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_SECRET_MARK = re.compile(r"\[(?:[a-z]+ ){1,2}removed\]")  # what stands in the place of a secret
_WINDOWS_PROGRAM = re.compile(
    r"(?<![^\s;&|(])(?:\.{1,2}\\[\w.\\-]+|(?:[A-Za-z]:\\)?[\w.\\-]+\.(?:exe|cmd|bat|ps1)\b)", re.IGNORECASE
)


def command_words(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield (words, file into which the output goes, or '') of each command. ValueError: not parsable."""
    words: list[str] = []
    target = ""
    variables: dict[str, str] = {}
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
            target = after if ">" in token and to_file else target
        else:
            yield _expanded(words, variables), target
            words, target = [], ""
    yield _expanded(words, variables), target


def _expanded(words: list[str], variables: dict[str, str]) -> list[str]:
    """Return the words, those of a `curl` with the line's variables replaced; assignments are added to `variables`."""
    assignments = [_ASSIGNMENT.fullmatch(word) for word in words[words[:1] == ["export"] :]]
    if all(assignments):
        variables |= {assignment[1]: _with_values(assignment[2], variables) for assignment in assignments if assignment}
    return [_with_values(word, variables) for word in words] if "curl" in words else words


def _with_values(word: str, variables: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda name: variables.get(name[1], name[0]), word)


def plain_commands(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield (words, file into which the output goes, or '') of each command, also of those in scripts that a shell is
    given (`bash -c`); nothing where the line cannot be parsed."""
    try:
        commands = [(words, target) for words, target in command_words(line[:LONGEST_LINE]) if words]
    except ValueError:  # an open quote, say
        return
    for words, target in commands:
        inner = without_wrappers(words)
        script = shell_script(inner) if inner and program_name(inner[0]) in SHELLS else ""
        yield from plain_commands(script) if script else [(words, target)]


def is_plain(line: str, *, unbroken: bool = True) -> bool:
    """Return whether the exit code of a line tells how its last command ended; `unbroken`: that of every command.

    So where neither the line nor a script in it has a pipe, a background command or `!`; `unbroken`: nor a command that
    runs although one before it failed.
    """
    try:
        tokens = _tokens(line[:LONGEST_LINE].strip())
    except ValueError:
        return False
    operators = {token.strip("()") for token in tokens if _is_operator(token)}
    if "!" in tokens or "&" in operators or any(set(token) & set("|;\n" if unbroken else "|") for token in operators):
        return False
    scripts = (shell_script(without_wrappers(words)) for words, _ in command_words(line[:LONGEST_LINE].strip()))
    return all(is_plain(script, unbroken=unbroken) for script in scripts if script)


def _tokens(line: str) -> list[str]:
    """Return words without quotes, and operators; comments and the content of substitutions are left out."""
    line = _SECRET_MARK.sub(lambda place: place[0].replace(" ", "_"), line.replace("\r\n", "\n"))
    forward_slashed = _WINDOWS_PROGRAM.sub(lambda path: path[0].replace("\\", "/"), line)
    plain = _without_substitutions(without_heredocs(forward_slashed.replace("\\\n", " ")))
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    return list(lexer)


def _without_substitutions(line: str) -> str:
    """Replace `$(...)`, backticks and `<(...)` by a word, however they and their quotes are nested; remove comments."""
    parts: list[str] = []
    ends: list[str] = []  # what ends each quote, substitution and group that is open
    start = 0
    while mark := (_INSIDE_QUOTES if ends[-1:] == ['"'] else _OUTSIDE_QUOTES).search(line, start):
        grouping = () if ends[-1:] == ['"'] else (r"\(", r"\)")  # of `find`, no subshell
        is_hidden = any(end != '"' for end in ends)
        text, shown = mark[0], "" if mark[0].startswith("#") or mark[0] in grouping else mark[0]
        if ends and text == ends[-1]:
            ends.pop()
        elif text in _ENDS and (text != "(" or is_hidden):
            ends.append(_ENDS[text])
            shown = _REPLACEMENTS.get(text, "")
        if not is_hidden:
            parts += [line[start : mark.start()], "$" if text.startswith("$'") else shown]
        start = mark.end()
    return "".join([*parts, "" if any(end != '"' for end in ends) else line[start:]])


def _is_operator(token: str) -> bool:
    return bool(token) and set(token) <= set(_PUNCTUATION)


def without_heredocs(line: str) -> str:
    """Return a line without here-documents and their redirections."""
    return "\n".join(_HEREDOC.sub("", row) for row, is_outside in _rows(line) if is_outside)


def heredocs(line: str) -> list[str]:
    """Return the rows of the here-documents of a line."""
    return [row for row, is_outside in _rows(line) if not is_outside]


def documents(line: str) -> list[tuple[str, str]]:
    """Return (the command that reads it, its text) of each here-document of a line, in order."""
    commands_and_rows: list[tuple[str, list[str]]] = []
    ends: list[str] = []
    for row in line.split("\n"):
        if not ends:
            commands_and_rows += [(command, []) for command in _BETWEEN.split(row) for _ in _HEREDOC.finditer(command)]
            ends = [sign[2] for sign in _HEREDOC.finditer(row)]
        elif row.strip() == ends[0]:
            ends.pop(0)
        else:
            commands_and_rows[len(commands_and_rows) - len(ends)][1].append(row)
    return [(command, "\n".join(rows)) for command, rows in commands_and_rows]


def _rows(line: str) -> Iterator[tuple[str, bool]]:
    """Yield (row, whether it is no part of a here-document); the rows that end one are left out."""
    ends: list[str] = []
    for row in line.split("\n"):
        if not ends:
            ends = [match[2] for match in _HEREDOC.finditer(row)]
            yield row, True
        elif row.strip() == ends[0]:
            ends.pop(0)
        else:
            yield row, False


if TYPE_CHECKING:
    from consolidation.learning.runs.call import Call

_LINES = (
    "command", "cmd", "command_line", "commandline", "bash_command", "shell_command", "script", "commands", "input",
)  # fmt: skip


def command_line(call: "Call") -> str:
    """Return the command line of a call of a command tool; '' for none. Code of a tool for code is given to Python."""
    if line := call.code_line:
        return line
    if not call.arguments and isinstance(call.args, str | list):
        return _line(call.args)
    return _line(call.arguments.get(line_argument(call)))


def line_in(args: Any) -> str:
    """Return the command line in the recorded arguments of a call, an object or its text; '' for none."""
    arguments = values.parse_json(args)
    arguments = arguments if isinstance(arguments, dict) else {"": arguments}
    return next((line for value in map(arguments.get, ("", *_LINES)) if (line := _line(value))), "")


def line_argument(call: "Call") -> str:
    """Return the name of the argument that holds the command line, or the code of a tool for it; '' for none."""
    keys = harness_tools.CODES if call.code_line else _LINES
    return next((key for key in keys if _line(call.recorded_arguments.get(key))), "")


def _line(value: Any) -> str:
    """Return a command line that is given as text or as an argument list: `["bash", "-lc", "make test"]`."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        if len(value) == 3 and program_name(value[0]) in SHELLS and (script := shell_script(value)):
            return script.strip()
        words = ["'" + word.replace("'", "'\\''") + "'" if not word.isalnum() else word for word in value]
        return " ".join(words)
    return ""
