"""How commands are called: their forms (`python -m pytest` and `pytest` are two of one kind) and the usual shape of a
form's arguments (`bin/test {path}`)."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from consolidation.learning.commands.commands import kind_of, kinds_of, python_kind
from consolidation.learning.commands.programs import NEUTRAL, PYTHON, SHELLS
from consolidation.learning.commands.shell import LONGEST_LINE, command_words
from consolidation.learning.commands.wrappers import DEEPEST, VENV, program_name, shell_script, stripped, wrapped
from memories.lexicon.english_verbs import OF_TOOLS

_INTERPRETER = re.compile(r"(?:/usr/(?:local/)?bin/|\.?venv/bin/)?(?:python|pypy)\d*|py")
LEAST_CALLS, LEAST_CASES = 3, 2
MOST_PARTS = 5
_ASSIGNED = re.compile(r"([A-Za-z_]\w{0,23})=.+", re.DOTALL)
_OPTION = re.compile(r"(--?[A-Za-z][A-Za-z0-9-]{0,23})(=.*)?", re.DOTALL)
_PATH = re.compile(r"/|\.[A-Za-z]{1,4}(?:::|$)")
_IN_ANGLES = re.compile(r"<(value|path|name)>")


@lru_cache(maxsize=20_000)
def called(line: str, depth: int = 0) -> tuple[tuple[str, str], ...]:
    """Return (kind, form) of each command of a line, without preparing commands; empty when it cannot be parsed.

    The form has no paths, values and options; a runner with its own environment (`poetry run`) is part of it. '' for ad
    hoc code.
    """
    return tuple((kind, form) for kind, form, _ in spelled(line, depth))


def spelled(line: str, depth: int = 0) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return (kind, form, words) of each command of a line, as `called` does."""
    try:
        calls = [call for words, writes in command_words(line[:LONGEST_LINE]) for call in _calls(words, writes, depth)]
    except ValueError:  # an open quote, say
        return ()
    return tuple(call for call in calls if call[0] not in NEUTRAL)


def _calls(words: Sequence[str], writes: bool, depth: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    words = stripped(words)
    wrapper, inner = wrapped(words)
    shell = inner or words
    if shell and program_name(shell[0]) in SHELLS and depth < DEEPEST and (script := shell_script(shell)):
        calls = spelled(script, depth + 1)
        yield from ((kind, f"{wrapper} {form}" if inner and form else form, own) for kind, form, own in calls)
    else:
        yield from ((kind, _form(words), tuple(inner or words)) for kind in kinds_of(words, writes, DEEPEST))


def _form(words: Sequence[str]) -> str:
    wrapper, inner = wrapped(words)
    if inner:
        return f"{wrapper} {inside}" if (inside := _form(inner)) else ""
    first = program_name(words[0]) if words else ""
    if first not in PYTHON:
        kind = kind_of(first, words[1:]) if first else ""
        path = words[0].removeprefix("./") if words and VENV.match(words[0]) else first  # a venv may differ from PATH
        return path + kind.removeprefix(first) if kind.startswith(first) else kind
    kind, called_as = python_kind(words[1:]), interpreter(words[0])
    if kind == "python" or kind.endswith(" --version"):
        return called_as
    by_module = "-m" in words and "/" not in kind
    return (f"{called_as} -m {kind}" if by_module else f"{called_as} {kind}").strip()


def interpreter(word: str) -> str:
    """Return the Python interpreter as called, because `python` and `python3` may differ, as one of a venv in the
    project; '' for other paths."""
    return word if _INTERPRETER.fullmatch(word := word.removeprefix("./")) else ""


def usual_shape(form: str, calls: Iterable[tuple[Hashable, str]]) -> str:
    """Return the shape of more than half of the calls, given as (case, command line); '' when there is none such."""
    cases: dict[str, set[Hashable]] = {}
    counted: Counter[str] = Counter()
    for case, line in calls:
        shape = _shape(form, line)
        if shape:
            counted[shape] += 1
            cases.setdefault(shape, set()).add(case)
    shape, number = next(iter(counted.most_common(1)), ("", 0))
    enough = number >= LEAST_CALLS and 2 * number > counted.total() and len(cases[shape]) >= LEAST_CASES
    return shape if enough and shape != form else ""


def _shape(form: str, line: str) -> str:
    """Return the form with its options and a sign for each argument; '' where the line does not call it so."""
    try:
        commands = [stripped(words) for words, _ in command_words(line[:LONGEST_LINE])]
    except ValueError:  # an open quote, say
        return ""
    *_, last = form.split()
    for words in commands:
        ends = [n for n, word in enumerate(words) if program_name(word) == last or word == last]
        if ends and form in {name for _, name in called(" ".join(words[: ends[0] + 1]))}:
            parts = [part for part, _ in groupby(_parts(words[ends[0] + 1 :]))]
            return " ".join([form, *parts]) if len(parts) <= MOST_PARTS else ""
    return ""


def _parts(arguments: list[str]) -> Iterator[str]:
    for word in arguments:
        option, assigned = _OPTION.fullmatch(word), _ASSIGNED.fullmatch(word)
        if option:
            yield f"{option[1]}={{value}}" if option[2] else option[1]
        elif assigned:  # make test app=billing
            yield f"{assigned[1]}={{value}}"
        elif word in OF_TOOLS:  # vitest run
            yield word
        else:
            yield "{path}" if _PATH.search(word) else "{name}"


def in_braces(text: str) -> str:
    """Return a stored text with its placeholders as they are written now: a block for a prompt escapes `<value>`."""
    return _IN_ANGLES.sub(r"{\1}", text)
