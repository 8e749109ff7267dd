"""Forms of commands (`python -m pytest` and `pytest` are two of one kind) and the usual shape of a form's arguments
(`bin/test {path}`)."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from consolidation.learning.commands.commands import kind_of, kinds_of, python_kind
from consolidation.learning.commands.programs import NEUTRAL, PYTHON, SHELLS
from consolidation.learning.commands.request_code import command_words_with_requests
from consolidation.learning.commands.shell import LONGEST_LINE, plain_commands
from consolidation.learning.commands.wrappers import (
    DEEPEST,
    VENV,
    kind_name,
    program_name,
    script_file,
    shell_script,
    without_transparent_wrappers,
    wrapper_and_inner,
)
from memories.lexicon.english_verbs import OF_TOOLS

_INTERPRETER = re.compile(r"(?:/usr/(?:local/)?bin/|\.?venv/bin/)?(?:python|pypy)\d*|py")
LEAST_CALLS, LEAST_CASES = 3, 2
MOST_PARTS = 5
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,23})=.+", re.DOTALL)
_OPTION = re.compile(r"(--?[A-Za-z][A-Za-z0-9-]{0,23})(=.*)?", re.DOTALL)
_PATH = re.compile(r"/|\.[A-Za-z]{1,4}(?:::|$)")
_SCRIPT = re.compile(r"[a-z][a-z:-]+")
# A package or a folder of the project; no single word, which may be anything.
_PART = re.compile(r"@[a-z][\w.-]*/[a-z][\w.-]*|(?!/)(?:[a-z_][\w-]*/)+(?:[a-z_][\w.-]*)?|[A-Za-z][\w-]*\.[a-z]{2,5}")
WORKSPACES = frozenset({"pnpm", "npm", "yarn"})
SELECTING = frozenset({"--filter", "-F", "--workspace", "-w", "workspace"})
_LITERAL = re.compile(r"[a-z][a-z_.-]{0,23}|\d{1,3}[a-z]{0,2}")  # of an option: a word, or a small number as `7d`
_SECRET = re.compile(r"pass|secret|token|key|auth|cred", re.IGNORECASE)
_IN_ANGLES = re.compile(r"<(value|path|name)>")


@lru_cache(maxsize=20_000)
def kind_forms(line: str, depth: int = 0) -> tuple[tuple[str, str], ...]:
    """Return (kind, form) of each command of a line, without preparing commands; empty when it cannot be parsed.

    The form has no paths, values and options; a runner with its own environment (`poetry run`) is part of it. '' for ad
    hoc code.
    """
    return tuple((kind, form) for kind, form, _ in commands_in(line, depth))


def commands_in(line: str, depth: int = 0) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return (kind, form, words) of each command of a line, as `kind_forms` does."""
    try:
        commands = command_words_with_requests(line[:LONGEST_LINE])
        calls = [call for words, target in commands for call in _calls(words, target, depth)]
    except ValueError:  # an open quote, say
        return ()
    return tuple(call for call in calls if call[0] not in NEUTRAL)


def _calls(words: Sequence[str], target: str, depth: int) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    words = without_transparent_wrappers(words)
    wrapper, inner = wrapper_and_inner(words)
    shell = inner or words
    if shell and program_name(shell[0]) in SHELLS and depth < DEEPEST and (script := shell_script(shell)):
        calls = commands_in(script, depth + 1)
        yield from (
            (kind, f"{wrapper} {form}" if inner and form else form, command_words)
            for kind, form, command_words in calls
        )
    else:
        yield from ((kind, _form(words), tuple(inner or words)) for kind in kinds_of(words, target, DEEPEST))


def _form(words: Sequence[str]) -> str:
    wrapper, inner = wrapper_and_inner(words)
    if inner:
        return f"{wrapper} {inside}" if (inside := _form(inner)) else ""
    if script := script_file(words):
        return f"{program_name(words[0])} {program_name(script[0])}"
    first = program_name(words[0]) if words else ""
    if first not in PYTHON:
        kind = kind_of(first, words[1:]) if first else ""
        path = words[0].removeprefix("./") if words and VENV.match(words[0]) else first  # a venv may differ from PATH
        if first == "php" and kind != first:
            return f"{first} {kind}"
        own = kind_name(first)
        if words and words[0] == f"./{first}" and "/" not in first:  # it is not on the PATH
            path = words[0]
        return path + kind.removeprefix(own) if kind.startswith(own) else kind
    kind, called_as = python_kind(words[1:]), interpreter(words[0])
    if kind == "python" or kind.endswith(" --version"):
        return called_as
    by_module = "-m" in words and "/" not in kind
    return (f"{called_as} -m {kind}" if by_module else f"{called_as} {kind}").strip()


def interpreter(word: str) -> str:
    """Return the Python interpreter as called, because `python` and `python3` may differ, as one of a venv in the
    project; '' for other paths."""
    return word if _INTERPRETER.fullmatch(word := word.removeprefix("./")) else ""


def usual_shape(
    form: str, calls: Iterable[tuple[Hashable, str]], may_name: Callable[[str], bool] = lambda word: False
) -> str:
    """Return the shape of more than half of the calls, given as (case, command line); '' when there is none such.

    `may_name`: whether a part of the project that all of these calls name may be told.
    """
    cases: dict[tuple[str, ...], set[Hashable]] = {}
    words_by_signs: dict[tuple[str, ...], list[Sequence[str]]] = {}
    for case, line in calls:
        if parts := _shape(form, line):
            signs = tuple(sign for sign, _ in parts)
            words_by_signs.setdefault(signs, []).append([word for _, word in parts])
            cases.setdefault(signs, set()).add(case)
    signs = max(words_by_signs, key=lambda signs: len(words_by_signs[signs]), default=())
    same = words_by_signs.get(signs, [])
    if (
        len(same) < LEAST_CALLS
        or 2 * len(same) <= sum(map(len, words_by_signs.values()))
        or len(cases[signs]) < LEAST_CASES
    ):
        return ""
    columns = list(zip(*same, strict=True))
    parts_of_shape = [_sign_or_word(sign, columns[n], signs[n - 1 : n], may_name) for n, sign in enumerate(signs)]
    return shape if (shape := " ".join(parts_of_shape)) != form else ""


def _sign_or_word(sign: str, words: Sequence[str], before: Sequence[str], may_name: Callable[[str], bool]) -> str:
    """Return the sign, or the package, folder, script or option's value that is the same in all calls.

    `words`: what stands there in each call; `before`: the sign before it, if any.
    """
    word = words[0].rsplit("=", 1)[-1]
    option = sign if sign.endswith("={value}") else next((name for name in before if name.startswith("--")), "")
    is_value = option and _LITERAL.fullmatch(word) and not _SECRET.search(option)
    is_part = _PART.fullmatch(word) or (before == ("run",) and _SCRIPT.fullmatch(word)) or is_value
    is_same = {*words} == {words[0]} and "{" in sign and is_part
    return re.sub(r"\{\w+\}", word, sign) if is_same and (word[0].isdigit() or may_name(word)) else sign


def _shape(form: str, line: str) -> list[tuple[str, str]]:
    """Return (sign, word) of each part of a call: words of the form, options and a sign for each argument; [] where the
    line has no call of this form."""
    first, *rest = form.split()
    last = [first, *rest][-1]
    for words in (without_transparent_wrappers(words) for words, _ in plain_commands(line)):
        ends = [n for n, word in enumerate(words) if last in {program_name(word), word, word.rsplit(":", 1)[-1]}]
        short = kind_forms(" ".join(words[: ends[0] + 1])) if ends else ()
        if form in {name for _, name in short} and form in {name for _, name, _ in _calls(words, "", 0)}:
            task = words[ends[0]]
            module = f":{{name}}:{last}" if task.startswith(":") else last  # a task of a part of a Gradle build
            form_parts = [*((word, word) for word in rest[:-1]), *([(module, task)] if rest else [])]
            arguments = _without_repeats(_parts(words[ends[0] + 1 :]))
            parts = [(first, first), *_package_options(words[: ends[0]]), *form_parts, *arguments]
            return parts if len(arguments) <= MOST_PARTS else []
    return []


def _package_options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the option before a script of a workspace that says in which package it runs."""
    for option, value in pairwise([*words, ""]):
        name, _, package = option.partition("=")
        if name in SELECTING and program_name(words[0]) in WORKSPACES:
            yield (f"{name}={{name}}", package) if package else (f"{name} {{name}}", value)


def _without_repeats(parts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join adjacent parts with the same sign to one, with '' as its word."""
    groups = [list(group) for _, group in groupby(parts, key=lambda part: part[0])]
    return [(group[0][0], group[0][1] if len(group) == 1 else "") for group in groups]


def _parts(arguments: list[str]) -> Iterator[tuple[str, str]]:
    for word in arguments:
        option, assignment = _OPTION.fullmatch(word), _ASSIGNMENT.fullmatch(word)
        if option:
            yield (f"{option[1]}={{value}}" if option[2] else option[1]), word
        elif assignment:  # make test app=billing
            yield f"{assignment[1]}={{value}}", word
        elif word in OF_TOOLS or word == "{version}":  # vitest run, a version that was marked
            yield word, word
        else:
            yield ("{path}" if _PATH.search(word) and not word.startswith("@") else "{name}"), word


def in_braces(text: str) -> str:
    """Return a stored text with `{value}` for the former placeholder `<value>`, which a block for a prompt escapes."""
    return _IN_ANGLES.sub(r"{\1}", text)
