"""Programs that run another program (`sudo`, `timeout`, `uv run`, `bash -c`): find the inner command."""

import re
from collections.abc import Sequence

from consolidation.learning.commands import programs
from consolidation.learning.commands.programs import WRAPPERS

DEEPEST = 3  # bash -c "bash -c ..."
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS = {"do", "then", "else", "elif", "if", "while", "until", "!", "{", "}", "time"}
_NO_COMMAND = {"for", "case", "done", "fi", "esac", "select", "function", "in"}


def program_name(word: str) -> str:
    """Return a program's name without system paths and versions; paths of a project stay.

    `/usr/bin/python3.11` -> python, `./bin/test` -> bin/test.
    """
    name = re.sub(r"^(?:/(?:[\w.-]+/)*(?:s?bin|shims)/|~/\S*/bin/|(?:\./)?\.?venv/bin/)", "", word)
    name = name.removeprefix("./")
    return re.sub(r"^(python|pip|node|ruby|perl|php)[\d.]+$", r"\1", name)


def bare(words: Sequence[str]) -> list[str]:
    """Return a command's words without keywords, assignments and wrapper programs; empty for a control structure."""
    rest = list(words)
    while rest:
        first = program_name(rest[0])
        if first in _NO_COMMAND:
            return []
        if first in _KEYWORDS or _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif first in WRAPPERS and (inner := wrapped(rest, WRAPPERS[first])):
            rest = inner
        else:
            break
    return rest


def stripped(words: Sequence[str]) -> list[str]:
    """Return a command's words without keywords, assignments and wrappers that keep the environment."""
    rest = list(words)
    while rest and (rest[0] in _KEYWORDS or _ASSIGNMENT.match(rest[0])):
        rest = rest[1:]
    if rest and program_name(rest[0]) in programs.TRANSPARENT and (inner := wrapped(rest, "")):
        return stripped(inner)
    return rest


def wrapped(words: Sequence[str], skipped: str) -> list[str]:
    """Return the command that a wrapper runs: what follows its own word `skipped`, options, assignments and numbers."""
    rest = list(words[1:])
    if skipped:
        if rest[:1] != [skipped]:
            return []
        rest = rest[1:]
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0]) or re.fullmatch(r"[\d.]+[smhd]?", rest[0])):
        takes_value = rest[0] in {"-n", "-u", "-p", "--name", "-k", "-s", "--with"} and len(rest) > 2
        rest = rest[2 if takes_value else 1 :]
    return rest


def shell_script(words: Sequence[str]) -> str:
    """Return the script that `bash -c` or `sh -lc` is given; '' for none."""
    options = [n for n, word in enumerate(words[:-1]) if re.fullmatch(r"-[a-z]*c", word)]
    return words[options[0] + 1] if options else ""


def inner_command(program: str, words: Sequence[str]) -> list[str]:
    """Return the command that `xargs` or `find -exec` runs."""
    if program == "xargs":
        rest = list(words[1:])
        while rest and rest[0].startswith("-"):
            rest = rest[2 if rest[0] in {"-n", "-I", "-P", "-L", "-d"} else 1 :]
        return rest
    at = next((n for n, word in enumerate(words) if word in {"-exec", "-execdir", "-ok", "-x"}), len(words))
    return [word for word in words[at + 1 :] if word not in {"{}", "+", ";", "\\;"}]
