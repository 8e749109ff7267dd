"""Commands that failed as they were called, and worked when they were called with other options.

`gh pr merge 12 --merge` was refused, `gh pr merge 12 --squash` worked: one try of each in the run. A failure counts
only where the same command worked next, with other options and no change between: otherwise the cause may be another.
Names of options and variables are kept, values only where they can be neither personal nor secret.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning.commands import checking, forms, git, purposes
from consolidation.learning.commands.shell import is_plain, plain_commands
from consolidation.learning.effects.command_starts import Attempt, acts, answer, starts_of
from consolidation.learning.effects.effects import is_edit
from consolidation.learning.effects.line_results import pushes
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run

OPTIONS_OF = "options of "  # in the place of a purpose
LONGEST, LONGEST_FORM = 80, 50  # of a try in words
_OPTION = re.compile(r"(--[A-Za-z][A-Za-z0-9-]{0,30}|-[A-Za-z])(?:=(.*))?", re.DOTALL)
_ONE_DASH = re.compile(r"(-[A-Za-z])([a-z-]{1,30}(?==|\Z))?.*", re.DOTALL)  # `-race`, or a value: `mysql -pgeheim`
_WORDS_BEHIND_ONE_DASH = frozenset({"go", "terraform", "tofu", "java", "javac", "find"})
_VALUE = re.compile(r"no:[a-z]{3,20}")  # what is left out; others may name a person or be a password
_BRANCH = re.compile(r"[a-z]{3,20}")
_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]{2,30})=.*", re.DOTALL)
_BRANCHING = frozenset({"git checkout", "git switch", "git reset", git.BRANCH})  # for a push to another branch


@dataclass(frozen=True)
class Try:
    """A command as it was called.

    `options`: sorted, without values except `no:NAME` (`-p no:cacheprovider`); `NAME=` for a variable that the line
    sets; the branch of a push.
    """

    form: str
    options: tuple[str, ...]

    @property
    def words(self) -> str:
        return ", ".join([self.form, *self.options])


def options_in(words: str) -> tuple[str, ...]:
    """Return the options of a try in words."""
    return tuple(words.split(", ")[1:])


def tries_in(line: str) -> list[Try]:
    """Return the tries of a line, of commands that may be named and do more than look or edit."""
    words_of_line = [word for words, _ in plain_commands(line) for word in words]
    variables = {f"{name[1]}=" for word in words_of_line if (name := _VARIABLE.fullmatch(word))}
    tries = [
        Try(form, tuple(sorted({*_options(kind, words), *variables})))
        for kind, form, words in forms.commands_in(line)
        if acts(kind) and not is_edit(kind) and purposes.may_be_named(form) and not _runs_code(form)
    ]
    return [a_try for a_try in tries if len(a_try.words) <= LONGEST and len(a_try.form) <= LONGEST_FORM]


def _runs_code(form: str) -> bool:
    return bool(forms.interpreter(form)) or form in checking.INTERPRETERS


def _options(kind: str, words: Sequence[str]) -> Iterator[str]:
    own_words = words[: words.index("--")] if "--" in words else words
    has_words = kind.partition(" ")[0] in _WORDS_BEHIND_ONE_DASH
    for word, following in zip(own_words, [*own_words[1:], ""], strict=True):
        if option := _OPTION.fullmatch(word):
            value = option[2] if option[2] is not None else following
            yield f"{option[1]} {value}" if _VALUE.fullmatch(value) else option[1]
        elif short := _ONE_DASH.fullmatch(word):
            yield short[1] + (short[2] or "") if has_words else short[1]
    if kind == git.PUSH and (push := git.push_of(words)):
        yield from filter(_BRANCH.fullmatch, push.names)


def option_attempts(run: Run, rules: ToolRules) -> list[Attempt]:
    """Return the tries of a run as attempts at the command that they are of."""
    tries = option_tries(run, rules).items()
    return [Attempt(a_try.words, f"{OPTIONS_OF}{a_try.form}", worked) for a_try, worked in tries]


def option_tries(run: Run, rules: ToolRules) -> dict[Try, bool]:
    """Return try -> whether it worked; a failed one only where the same form worked next with other options."""
    results: dict[Try, bool] = {}
    failed_tries: list[Try] = []  # of one form
    for call in run.steps:
        line = rules.line_of(call)
        kinds = {kind for kind, _, _ in forms.commands_in(line) if acts(kind)}
        if not kinds and (line or rules.reads(call.name)):
            continue
        tries, worked = _tries_with_result(call, line)
        form = tries[-1].form if tries else ""
        is_alone = kinds <= {git.PUSH, *_BRANCHING} if form == git.PUSH else len(kinds) == 1
        if worked and is_alone:
            results = dict.fromkeys((a_try for a_try in failed_tries if a_try.form == form), False) | results
        if worked:
            results |= dict.fromkeys(tries, True)
        if tries and worked is False and (is_alone or form == git.PUSH):
            failed_tries = [*(a_try for a_try in failed_tries if a_try.form == form), tries[-1]]
        elif not kinds <= _BRANCHING:
            failed_tries = []
    return results


def _tries_with_result(call: Call, line: str) -> tuple[list[Try], bool | None]:
    """Return (tries of a line whose result is known, whether they worked); None: no result is known.

    A check that started counts as worked, whatever it found.
    """
    tries = tries_in(line)
    if refusals := [push_result.refused for push_result in pushes(call, line) or ()]:
        return [a_try for a_try in tries if not refusals[-1] or a_try.form == git.PUSH], not refusals[-1]
    kind, form, words = (forms.commands_in(line) or (("", "", ()),))[-1]
    code = answer(call)[0] if is_plain(line, unbroken=False) else None
    if not is_plain(line):
        tries = [a_try for a_try in tries if a_try.form == form][-1:]
    if code and tries and checking.is_check(kind, form, words) and not checking.changes_too(kind, words):
        starts = list(starts_of(call, line).values())
        return tries, starts[-1] if starts else None
    return tries, None if code is None else code == 0
