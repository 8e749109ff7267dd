"""How the checks of one call ended: by the lines in which they sum up, else by the exit code."""

import re
from collections.abc import Sequence

from consolidation.learning.commands import checking, commands, forms
from consolidation.learning.commands.shell import is_plain, without_heredocs
from consolidation.learning.commands.wrappers import program_name
from consolidation.learning.comparison import check_results
from consolidation.learning.effects.command_starts import answer
from consolidation.learning.runs.call import Call

CHOOSING = frozenset({"grep", "egrep", "rg", "head"})  # whole lines, but not all
CUTTING = frozenset({"sed", "awk", "gawk", "cut", "wc", "tr", "python", "jq", "uniq", "sort"})
KEEPING = frozenset({"head", "tail", "cat", "tee", "true", "echo"})
QUIET = frozenset(  # say nothing where all is well
    ["eslint", "flake8", "g++", "gcc", "go build", "go vet", "javac", "shellcheck", "tsc", "vue-tsc", "yamllint"]
)
SUMMING_UP = (  # where these say nothing of tests that ran, none may have
    "pytest", "unittest", "jest", "vitest", "mocha", "ava", "node", "go test", "cargo test", "cargo nextest", "ctest",
    "rspec", "phpunit", "bats", "manage.py test", "ansible-playbook", "artisan test", "mix test",
    "dotnet test",
)  # fmt: skip
FINDINGS = frozenset({1, 2})  # exit codes of most runners whose work failed; others tell of a misuse or a signal
_OWN_RUNNER = re.compile(r"(?:npm|pnpm|yarn|bun|make|just|task|rake|composer|tox|nox)\b.*|\S+/\S+|\S+\.\w{1,3}")
# `check; echo "rc=$?"`, `check | tail; echo ${PIPESTATUS[0]}`, whatever follows
_ECHOED = re.compile(
    r"([^;\n]+)[;\n]\s*echo\s+[\"']?([^;&|\n$\"']*)(\$\?|\$\{PIPESTATUS\[0\]\})[^;&|\n$]*(?:(?=[;&|\n])|$)"
)
_NO_OUTPUT = re.compile(r"\W*(?:bash completed with no output|tool ran without output|no output)?\W*", re.IGNORECASE)
_QUIET_OPTION = re.compile(r"\s(?:-q|--quiet)\b")
_CUT = re.compile(r"^\W.{0,80}\b(?:truncated|clipped|omitted|left out)\b", re.IGNORECASE | re.MULTILINE)
_CHOSEN = frozenset({"-o", "-c", "-oE", "-oP", "--only-matching", "--count"})

OtherCommands = tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]


def checks_passed(
    call: Call, line: str, checks: Sequence[str], other_commands: OtherCommands = ((), ())
) -> bool | None:
    """Return whether the checks of a call passed; None: unknown.

    `checks`: their kinds. `other_commands`: their words, before and after the checks on the line; a tool has none.
    """
    code, output = answer(call)
    code, text, part = _code(code, output, line, checks)
    before, after = ([[program_name(words[0]), *words[1:]] for words in part] for part in other_commands)
    verdicts = check_results.verdicts(
        text, is_complete=not {words[0] for words in after} & CHOOSING and not _CUT.search(text)
    )
    if any(words[0] in CUTTING or (words[0] in CHOOSING and _CHOSEN & {*words}) for words in after):
        verdicts -= {True}
    if len(verdicts) == 2:  # of one check some parts passed; of `a && b` the first did
        return False if code or (code is None and len(checks) == 1) else None
    if verdicts:
        verdict = True in verdicts
        return verdict if code is None or (code == 0) is verdict else None
    if code is None:
        return True if _is_quiet(call, text, line, checks, before + after) else None
    has_run_nothing = check_results.ran_nothing(text)
    if code == 0:
        return None if has_run_nothing or any(kind in SUMMING_UP for kind in checks) else True
    is_conventional = any(not _OWN_RUNNER.fullmatch(kind) for kind in checks) or check_results.is_unready(text)
    is_alone = len(checks) == 1 and sum(not _is_harmless(kind) for kind, _, _ in forms.commands_in(part)) == 1
    return (
        False if code in FINDINGS and text.strip() and is_alone and not (is_conventional or has_run_nothing) else None
    )


def _code(code: int | None, text: str, line: str, checks: Sequence[str]) -> tuple[int | None, str, str]:
    """The exit code, where it is that of the checks, their output, and the part of the line whose code it is.

    It is that of a plain line, or of a part as `echo $?` tells it.
    """
    if not line or is_plain(line):
        return (code if line and code != -1 else None), text, line
    matches = [*_ECHOED.finditer(without_heredocs(line).strip())][-1:]
    if not matches or not any(_names(kind, words) & {*checks} for kind, _, words in forms.commands_in(matches[0][1])):
        return None, text, line
    part, before, variable = matches[0].groups()
    is_last = matches[0].end() == len(matches[0].string)
    number = _number(before, text, is_last) if is_plain(part if variable == "$?" else part.split("|")[0]) else None
    return (int(number[1]), text[: number.start()], part) if number else (None, text, line)


def _names(kind: str, words: Sequence[str]) -> set[str]:
    """The kind of a command and the name of the script that it runs, either of which names a check."""
    return {kind, checking.script_name(words)}


def _is_harmless(kind: str) -> bool:
    """Whether a command beside a check has no exit code that could be taken for that of the check."""
    return commands.reads(kind) and not kind.startswith("git")


def _number(before: str, text: str, is_last: bool) -> re.Match[str] | None:
    """The exit code in an output: behind the words that were echoed with it; without any only at the very end."""
    if not before.strip():
        return re.search(r"^(\d{1,3})\W*\Z", text, re.MULTILINE) if is_last else None
    matches = [*re.finditer(rf"^{re.escape(before)}(\d{{1,3}})\b", text, re.MULTILINE)]
    return matches[-1] if matches else None


def _is_quiet(call: Call, text: str, line: str, checks: Sequence[str], other_commands: Sequence[Sequence[str]]) -> bool:
    """Whether the only check says nothing, which it does where all is well, and its output went nowhere else."""
    is_silent = call.parsed_result is not None and not call.failed and bool(_NO_OUTPUT.fullmatch(text))
    keeps_output = all(words[0] in KEEPING for words in other_commands) and ">" not in line.replace("2>&1", "")
    is_quiet = checks[0] in QUIET or (checks[0] not in SUMMING_UP and bool(_QUIET_OPTION.search(line)))
    return is_silent and keeps_output and len(checks) == 1 and is_quiet
