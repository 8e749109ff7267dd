"""How a run ended by its last check: tests, a build, a linter or the state of what was deployed, after the last change.

There is none without a change, without a check after it, with contradicting checks, or where the result is unknown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning.commands import checking, forms, purposes
from consolidation.learning.commands.shell import command_line
from consolidation.learning.comparison.check_ends import checks_passed
from consolidation.learning.effects.command_starts import not_started
from consolidation.learning.effects.effects import started_kinds
from consolidation.learning.effects.line_results import pushes
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import bare_name
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import text_of

CHECKS = frozenset({purposes.TESTS, "lint", "types", "build"})
NEUTRAL = frozenset({"git add", "git commit", "git push", "git tag", "git fetch", "py_compile", "compileall"})
RUNNERS = frozenset({"run", "execute", "go", "npm", "cargo", "make", "mvn", "gradle", "dotnet", "swift"})
HANDING_IN = re.compile(r"git push|gh pr (?:create|merge|ready)|glab mr (?:create|merge)")  # what was checked before
JUDGING = re.compile(r"gh pr checks|gh run watch|glab ci status")  # of what was handed in, by the forge
BRANCHING = {"git checkout": {"-b", "-B"}, "git switch": {"-c", "-C", "--create"}}  # with what was changed
ROLLBACKS = frozenset({"kubectl rollout undo", "helm rollback"})
_SCRATCH = re.compile(r"/(?:private/)?(?:var/)?tmp/")
Words = tuple[str, ...]
Command = tuple[str, str, Words]  # its kind, its form and its words
_TEST_FILE = re.compile(r"(?:test_\w+|[\w-]+[._](?:test|spec)|(?:run[_-]?)?tests?)\.(?:py|[cm]?[jt]s|rb|pl|php|sh)")


@dataclass(frozen=True)
class LastCheck:
    """`check`: the command or tool; `passed`: how it ended; `committed`: a commit came after it."""

    check: str
    passed: bool
    committed: bool = False


@dataclass(frozen=True)
class _Step:
    """What a call did at its end: its checks after its last change, how they ended, and that change.

    `refused`: whether handing in the work (a push, a merge request) was refused; None: nothing was handed in.
    """

    checks: tuple[str, ...] = ()
    passed: bool | None = None
    state: bool = False
    change: str = ""
    takes_back: bool = False
    committed: bool = False
    refused: bool | None = None


def last_check(run: Run, rules: ToolRules) -> LastCheck | None:
    """Return the last check after the last change of a run; None where its result is unknown.

    Also None if a commit follows a failed check (somebody decided, for reasons unknown here, that it does not matter),
    or if the work was refused when it was handed in.
    """
    steps: list[_Step] = []
    earlier_calls: Iterator[Call] = reversed(run.steps)
    for call in earlier_calls:
        steps.append(_step(call, run, rules))
        if steps[-1].change:
            break
    check_steps = [step for step in steps if step.checks]
    is_refused = next((step.refused for step in steps if step.refused is not None), False)
    if is_refused or not check_steps or not steps[-1].change or (passed := _common_result(check_steps)) is None:
        return None
    if passed:
        passed = _implies_success(steps[-1], (_step(call, run, rules) for call in earlier_calls))
    committed = any(step.committed for step in steps[: steps.index(check_steps[0]) + 1])
    name = next(step.checks[0] for step in check_steps if step.passed is not None)
    return None if passed is None or (committed and not passed) else LastCheck(name, passed, committed)


def _common_result(steps: Sequence[_Step]) -> bool | None:
    """How the checks after the last change ended, the latest first; None where they disagree.

    Of a state that changes by itself the last answer holds, and tests that failed last have failed. A linter says
    nothing for tests whose end is unknown.
    """
    test_steps = [step for step in steps if any(purposes.purpose(form) == purposes.TESTS for form in step.checks)]
    if test_steps and all(step.passed is None for step in test_steps):
        return None
    conclusive_steps = [step for step in steps if step.passed is not None]
    if conclusive_steps and conclusive_steps[0].passed is False and conclusive_steps[0] in test_steps:
        return False
    results = {step.passed for step in conclusive_steps[:1] + [step for step in conclusive_steps[1:] if not step.state]}
    return results.pop() if len(results) == 1 else None


def _implies_success(last_change: _Step, earlier_steps: Iterator[_Step]) -> bool | None:
    """Whether a passed check means that the run succeeded: not if the last change reverts earlier ones."""
    if not last_change.takes_back:
        return True
    earlier = next((step for step in earlier_steps if step.checks or step.change), None)
    if earlier is None:
        return True
    return False if last_change.change in ROLLBACKS and earlier.passed is False else None


def _step(call: Call, run: Run, rules: ToolRules) -> _Step:
    if not rules.runs_commands(call.name) and _is_check(bare_name(call.name)):
        return _Step((call.name,), checks_passed(call, "", (call.name,)))
    line = rules.line_of(call)
    idle_kinds = not_started(call, line) if line else frozenset()
    commands = [command for command in forms.commands_in(line) if command[0] not in idle_kinds] if line else []
    if not commands:
        return _Step(change=next((kind for kind in started_kinds(call, rules) if rules.is_effect(kind)), ""))
    checks, change, committed = _last_of(commands, call, run, rules)
    lines = [words for _, _, words in forms.commands_in(line) if not checking.only_looks(words, line)]
    passed = (
        checks_passed(call, line, [kind for kind, _, _ in checks], _other_commands(lines, checks)) if checks else None
    )
    state = all(kind in checking.STATES for kind, _, _ in checks)
    kind, _, words = change or ("", "", ())
    takes_back = kind in ROLLBACKS or checking.takes_back(kind, words)
    names = tuple(form for _, form, _ in checks)
    refused = _was_rejected(call, line, [command[0] for command in commands])
    return _Step(names, passed, state, kind, takes_back, committed and not call.failed, refused)


def _was_rejected(call: Call, line: str, kinds: Sequence[str]) -> bool | None:
    """Whether the work that a call hands in was refused, or the forge's checks of it failed; None: it does neither."""
    if not any(HANDING_IN.fullmatch(kind) or JUDGING.fullmatch(kind) for kind in kinds):
        return None
    results = pushes(call, line) or ()  # a pipe hides the exit code, not what is said
    return call.failed or any(push.refused for push in results[-1:])


def _other_commands(commands: Sequence[Words], checks: Sequence[Command]) -> tuple[list[Words], list[Words]]:
    """The other commands of a line, before its last check and after it."""
    check_words = [words for _, _, words in checks]
    last = max(n for n, words in enumerate(commands) if words in check_words)
    return [words for words in commands[:last] if words not in check_words], list(commands[last + 1 :])


def _last_of(
    commands: Sequence[Command], call: Call, run: Run, rules: ToolRules
) -> tuple[list[Command], Command | None, bool]:
    """The checks after the last change of a line, the latest first; that change; whether a commit came after them."""
    checks: list[Command] = []
    committed = False
    for kind, form, words in reversed(commands):
        is_known_check = checking.is_check(kind, form, words)
        if (is_known_check or _is_test_file(words)) and not _wrote(checking.script_name(words), call, run, rules):
            name = checking.script_name(words) if kind in checking.INTERPRETERS else ""
            checks.append((name or kind, name or form or kind, words))
            if checking.changes_too(kind, words):
                return checks, (kind, form, words), committed
        elif rules.is_effect(kind) and not _changes_nothing(kind, words, call, run, rules):
            return checks, (kind, form, words), committed
        committed = committed or (kind == "git commit" and not checks)
    return checks, None, committed


def _changes_nothing(kind: str, words: Words, call: Call, run: Run, rules: ToolRules) -> bool:
    """Whether a command leaves the checked files as they were: it only reads, or removes files that the run made."""
    if kind == "rm":
        files = [word for word in words[1:] if not word.startswith("-")]
        return all(_SCRATCH.match(file) or ("/" not in file and _wrote(file, call, run, rules)) for file in files)
    is_neutral = kind in NEUTRAL or HANDING_IN.fullmatch(kind) or _branches(kind, words)
    return bool(is_neutral) or checking.only_looks(words, command_line(call))


def _branches(kind: str, words: Words) -> bool:
    """Whether a command makes a branch of the present commit: another commit is not the one that was checked."""
    return bool(BRANCHING.get(kind, set()) & {*words}) and sum(not word.startswith("-") for word in words) == 3


def _is_test_file(words: Sequence[str]) -> bool:
    """Whether a test of the project is run as a script: `python test_add.py`."""
    file = checking.script_name(words)
    return bool(_TEST_FILE.fullmatch(file)) and not {"--help", "--version"} & {*words}


def _wrote(name: str, call: Call, run: Run, rules: ToolRules) -> bool:
    """Whether the run wrote a file of this name before a call."""
    earlier_calls = (other for other in run.steps if other.position < call.position and name in text_of(other.args))
    return bool(name) and any(_writes(other, name, rules) for other in earlier_calls)


def _writes(call: Call, name: str, rules: ToolRules) -> bool:
    """Whether a call with the name of a file in its arguments may have written it, and does not only run it.

    In a command line: as the target of a redirection, in code or a patch, or as an argument of what changes something.
    """
    if not rules.runs_commands(call.name):
        return any(map(rules.is_effect, rules.kinds(call)))
    line, pattern = command_line(call), re.escape(name)
    if re.search(rf"(?:>\s*|File: )['\"]?[^\s;&|<>]*\b{pattern}|['\"][^\s'\"]*\b{pattern}['\"]", line):
        return True
    commands = (
        (kind, words)
        for kind, _, words in forms.commands_in(line)
        if checking.script_name(words) != name and kind != "chmod"
    )
    return any(rules.is_effect(kind) and any(word.endswith(name) for word in words) for kind, words in commands)


def _is_check(tool: str) -> bool:
    """Whether the name of a tool says that it runs a check: `go_test`, `run_tests`, `lint`; not `build_report`."""
    words = [word for word in re.split(r"[^a-z0-9]+", tool.lower()) if word]
    runs = all(word in RUNNERS or purposes.purpose(word) in CHECKS for word in words)
    return bool(words) and runs and purposes.purpose(words[-1]) in CHECKS
