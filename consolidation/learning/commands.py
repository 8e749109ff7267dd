"""A command line as the kinds of commands that it runs: `pytest`, `git commit`, `sed -i`, `cat >`.

A kind is a program with its subcommand, without paths, values and options, except the option or redirection that
turns a reading program into one that writes. Whether a kind only reads can be told from its name alone.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache

from consolidation.learning import programs
from consolidation.learning.programs import NEUTRAL, PYTHON, SHELLS, SUBCOMMANDS, WRAPPERS

LONGEST_LINE = 20_000
DEEPEST = 3  # bash -c "bash -c ..."
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_PUNCTUATION = "();<>|&\n"
_NO_FILE = re.compile(r"/dev/(?:null|stdout|stderr|tty)|&?\d|-")
_KEYWORDS = {"do", "then", "else", "elif", "if", "while", "until", "!", "{", "}", "time"}
_NO_COMMAND = {"for", "case", "done", "fi", "esac", "select", "function", "in"}


@lru_cache(maxsize=20_000)
def kinds(line: str, depth: int = 0) -> tuple[str, ...]:
    """The kinds of a command line in order, each once; empty when it cannot be read as one.

    Commands that prepare others (`cd`, `export`, ...) count only where nothing else is run, all of them as `cd`.
    """
    try:
        found = [kind for words, writes in _commands(line[:LONGEST_LINE]) for kind in _kinds(words, writes, depth)]
    except ValueError:  # an open quote, say
        return ()
    told = [kind for kind in found if kind not in NEUTRAL]
    return tuple(dict.fromkeys(told)) or (("cd",) if found else ())


def reads(kind: str) -> bool:
    """Does every command of this kind only look?"""
    return kind == "cd" or programs.reads(kind)


@lru_cache(maxsize=20_000)
def called(line: str, depth: int = 0) -> tuple[tuple[str, str], ...]:
    """(kind, form) of each command that a line runs, commands that prepare others left out.

    The form is how it was called, without paths, values and options: `python -m pytest` and `pytest` are two forms of
    one kind; a runner that brings its own environment (`poetry run`) belongs to it. '' for code of one's own.
    """
    found: list[tuple[str, str]] = []
    try:
        for words, writes in _commands(line[:LONGEST_LINE]):
            rest = _stripped(words)
            if rest and _program(rest[0]) in SHELLS and depth < DEEPEST and (script := _script(rest)):
                found += called(script, depth + 1)
            else:
                found += [(kind, _form(rest)) for kind in _kinds(rest, writes, DEEPEST)]
    except ValueError:  # an open quote, say
        return ()
    return tuple((kind, form) for kind, form in found if kind not in NEUTRAL)


def is_plain(line: str) -> bool:
    """Is its answer that of its last command: nothing is piped, and nothing runs in spite of a fault?"""
    try:
        operators = {token for token in _tokens(line[:LONGEST_LINE].strip()) if _is_operator(token)}
    except ValueError:
        return False
    return not any(set(token) & set("|;\n") for token in operators)


def _stripped(words: Sequence[str]) -> list[str]:
    """Without keywords, assignments and the programs that run another one in the same environment."""
    rest = list(words)
    while rest and (rest[0] in _KEYWORDS or _ASSIGNMENT.match(rest[0])):
        rest = rest[1:]
    if rest and _program(rest[0]) in programs.TRANSPARENT and (inner := _wrapped(rest, "")):
        return _stripped(inner)
    return rest


def _form(words: Sequence[str]) -> str:
    first = _program(words[0]) if words else ""
    if first in WRAPPERS and first not in programs.TRANSPARENT and (inner := _wrapped(words, WRAPPERS[first])):
        inside = _form(inner)
        return " ".join(filter(None, [first, WRAPPERS[first], inside])) if inside else ""
    if first not in PYTHON:
        return _kind(first, words[1:]) if first else ""
    kind, called_as = _python(words[1:]), interpreter(words[0])
    if kind == "python" or kind.endswith(" --version"):
        return called_as
    by_module = "-m" in words and "/" not in kind
    return f"{called_as} -m {kind}" if by_module else f"{called_as} {kind}"


def interpreter(word: str) -> str:
    """As it was called, because `python`, `python3` and that of the system may differ; '' for another path."""
    return word if re.fullmatch(r"(?:/usr/(?:local/)?bin/)?(?:python|pypy)\d*|py", word) else ""


def _commands(line: str) -> Iterator[tuple[list[str], bool]]:
    """The words of each command, and whether its output goes into a file."""
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


def _tokens(line: str) -> list[str]:
    """Words without quotes, and operators; what `$(...)` holds is an argument and left out."""
    plain = _COMMENT.sub("", _without_heredocs(line.replace("\r\n", "\n").replace("\\\n", " ")))
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    found: list[str] = []
    inside = 0
    for token in lexer:
        operator = _is_operator(token)
        if inside:
            inside += token.count("(") - token.count(")") if operator else 0
        elif operator and "(" in token and found and (found[-1].endswith("$") or set(found[-1]) <= set("<>")):
            inside = token.count("(") - token.count(")")
        else:
            found.append(token)
    return found


def _is_operator(token: str) -> bool:
    return bool(token) and set(token) <= set(_PUNCTUATION)


def _without_heredocs(line: str) -> str:
    """Without the texts that are fed to commands; the redirection itself goes with its text."""
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


def _kinds(words: Sequence[str], writes: bool, depth: int) -> Iterator[str]:
    words = _bare(words)
    if not words:
        return
    program = _program(words[0])
    if program in SHELLS and depth < DEEPEST and (script := _script(words)):
        yield from kinds(script, depth + 1)
        return
    if program in {"find", "fd", "xargs"}:
        inner = _inner(program, words)
        yield from _kinds(inner, writes, depth) if inner else ()
        if program == "xargs" and inner:
            return
    kind = _kind(program, words[1:])
    yield f"{kind} >" if writes and reads(kind) else kind


def _bare(words: Sequence[str]) -> list[str]:
    """Without keywords, assignments and the programs that only run another one."""
    rest = list(words)
    while rest:
        first = _program(rest[0])
        if first in _NO_COMMAND:
            return []
        if first in _KEYWORDS or _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif first in WRAPPERS and (inner := _wrapped(rest, WRAPPERS[first])):
            rest = inner
        else:
            break
    return rest


def _wrapped(words: Sequence[str], skipped: str) -> list[str]:
    """What a wrapper runs: behind its own word (`run`), its options, assignments and numbers."""
    rest = list(words[1:])
    if skipped:
        if rest[:1] != [skipped]:
            return []
        rest = rest[1:]
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0]) or re.fullmatch(r"[\d.]+[smhd]?", rest[0])):
        takes_value = rest[0] in {"-n", "-u", "-p", "--name", "-k", "-s", "--with"} and len(rest) > 2
        rest = rest[2 if takes_value else 1 :]
    return rest


def _program(word: str) -> str:
    """`/usr/bin/python3.11` -> python, `./bin/test` -> bin/test: system paths and versions go, a project's stay."""
    name = re.sub(r"^(?:/(?:[\w.-]+/)*(?:s?bin|shims)/|~/\S*/bin/|(?:\./)?\.?venv/bin/)", "", word)
    name = name.removeprefix("./")
    return re.sub(r"^(python|pip|node|ruby|perl|php)[\d.]+$", r"\1", name)


def _script(words: Sequence[str]) -> str:
    """What `bash -c` or `sh -lc` is given."""
    options = [n for n, word in enumerate(words[:-1]) if re.fullmatch(r"-[a-z]*c", word)]
    return words[options[0] + 1] if options else ""


def _inner(program: str, words: Sequence[str]) -> list[str]:
    if program == "xargs":
        rest = list(words[1:])
        while rest and rest[0].startswith("-"):
            rest = rest[2 if rest[0] in {"-n", "-I", "-P", "-L", "-d"} else 1 :]
        return rest
    at = next((n for n, word in enumerate(words) if word in {"-exec", "-execdir", "-ok", "-x"}), len(words))
    return [word for word in words[at + 1 :] if word not in {"{}", "+", ";", "\\;"}]


def _kind(program: str, arguments: Sequence[str]) -> str:
    if program in PYTHON:
        return _python(arguments)
    if arguments and set(arguments) & {"--version", "--help", "-h"} == set(arguments):
        return f"{program} --version"
    if program in programs.WRITING_OPTIONS and any(_writes(program, word) for word in arguments):
        return f"{program} {programs.WRITING_OPTIONS[program][0]}"
    if program not in SUBCOMMANDS:
        return f"sh {program}" if program in programs.ALSO_TOOLS else program
    return " ".join([program, *_subcommands(program, arguments)])


def _writes(program: str, word: str) -> bool:
    """-i, -i.bak, -ni, --in-place=.bak: a short option may stand in a group or carry its value."""
    for option in programs.WRITING_OPTIONS[program]:
        if word == option or (option.startswith("--") and word.startswith(option + "=")):
            return True
        short = len(option) == 2 and program in {"sed", "perl"}
        if short and re.fullmatch(rf"-[nEerslzp]*{option[1]}\S*", word) and not word.startswith("--"):
            return True
    return False


def _python(arguments: Sequence[str]) -> str:
    """The module or tool that is run; `python` for a script of one's own and for code on the command line."""
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] not in {"-m", "-c", "-"}:
        if rest[0] in {"--version", "-V", "--help", "-h"}:
            return "python --version"
        rest = rest[2 if rest[0] in {"-W", "-X"} else 1 :]
    if len(rest) > 1 and rest[0] == "-m":
        return _kind(_program(rest[1]), rest[2:])
    if rest and not rest[0].startswith("-"):
        script = rest[0].removeprefix("./")
        name = script.rsplit("/", 1)[-1]
        if name in {"manage.py", "setup.py"}:
            return " ".join([name, *_subcommands(name, rest[1:])])
        if "/" in script and (not name.endswith(".py") or name in programs.RUNNERS):
            return script if not script.startswith("/") else name
    return "python"


def _subcommands(program: str, arguments: Sequence[str]) -> list[str]:
    """The first words behind the options of the program itself; `--list` where the rest only asks for a list."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in programs.VALUED_OPTIONS.get(program, ()) else 1 :]
    if not rest or not _SUBCOMMAND.fullmatch(rest[0]):
        return []
    found = rest[:1]
    deeper = f"{program} {rest[0]}" in programs.DEEPER or program in programs.TWO_LEVELS
    if deeper and len(rest) > 1 and _SUBCOMMAND.fullmatch(rest[1]):
        found.append(rest[1])
    elif f"{program} {rest[0]}" in programs.LISTING and _asks_for_list(rest[1:]):
        found.append("--list")
    return found


def _asks_for_list(words: Sequence[str]) -> bool:
    """Options only (or `list`), none of which removes or moves something."""
    plain = all(word.startswith("-") for word in words if word != "list")
    return plain and not set(words) & {"-d", "-D", "-m", "-M", "--delete", "--move"}
