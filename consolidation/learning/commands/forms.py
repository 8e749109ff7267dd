"""Forms of commands, i.e. how they were called: `python -m pytest` and `pytest` are two forms of one kind."""

import re
from collections.abc import Sequence
from functools import lru_cache

from consolidation.learning.commands import programs
from consolidation.learning.commands.commands import kind_of, kinds_of, python_kind
from consolidation.learning.commands.programs import NEUTRAL, PYTHON, SHELLS, WRAPPERS
from consolidation.learning.commands.shell import LONGEST_LINE, command_words
from consolidation.learning.commands.wrappers import DEEPEST, program_name, shell_script, stripped, wrapped


@lru_cache(maxsize=20_000)
def called(line: str, depth: int = 0) -> tuple[tuple[str, str], ...]:
    """Return (kind, form) of each command of a line, without preparing commands; empty when it cannot be parsed.

    The form has no paths, values and options; a runner with its own environment (`poetry run`) is part of it. '' for ad
    hoc code.
    """
    calls: list[tuple[str, str]] = []
    try:
        for words, writes in command_words(line[:LONGEST_LINE]):
            rest = stripped(words)
            if rest and program_name(rest[0]) in SHELLS and depth < DEEPEST and (inner := shell_script(rest)):
                calls += called(inner, depth + 1)
            else:
                calls += [(kind, _form(rest)) for kind in kinds_of(rest, writes, DEEPEST)]
    except ValueError:  # an open quote, say
        return ()
    return tuple((kind, form) for kind, form in calls if kind not in NEUTRAL)


def _form(words: Sequence[str]) -> str:
    first = program_name(words[0]) if words else ""
    if first in WRAPPERS and first not in programs.TRANSPARENT and (inner := wrapped(words, WRAPPERS[first])):
        inside = _form(inner)
        return " ".join(filter(None, [first, WRAPPERS[first], inside])) if inside else ""
    if first not in PYTHON:
        return kind_of(first, words[1:]) if first else ""
    kind, called_as = python_kind(words[1:]), interpreter(words[0])
    if kind == "python" or kind.endswith(" --version"):
        return called_as
    by_module = "-m" in words and "/" not in kind
    return f"{called_as} -m {kind}" if by_module else f"{called_as} {kind}"


def interpreter(word: str) -> str:
    """Return the Python interpreter as called, because `python` and `python3` may differ; '' for other paths."""
    return word if re.fullmatch(r"(?:/usr/(?:local/)?bin/)?(?:python|pypy)\d*|py", word) else ""
