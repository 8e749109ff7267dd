"""How a run ended by its last check: tests, a build, a linter or the state of what was deployed, after the last change.

Silence is an answer: no change, no check after it, checks that contradict each other, or a result that cannot be told.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consolidation.learning.commands import checking, forms, purposes
from consolidation.learning.commands.shell import command_line
from consolidation.learning.comparison.check_ends import ended
from consolidation.learning.effects.command_starts import not_started
from consolidation.learning.effects.effects import ran
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import bare_name
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import text_of

CHECKS = frozenset({purposes.TESTS, "lint", "types", "build"})
NEUTRAL = frozenset({"git add", "git commit", "git push", "git tag", "git fetch", "py_compile", "compileall"})
RUNNERS = frozenset({"run", "execute", "go", "npm", "cargo", "make", "mvn", "gradle", "dotnet", "swift"})
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
    """What a call did at its end: its checks after its last change, how they ended, and that change."""

    checks: tuple[str, ...] = ()
    passed: bool | None = None
    state: bool = False
    change: str = ""
    takes_back: bool = False
    committed: bool = False


def last_check(run: Run, rules: ToolRules) -> LastCheck | None:
    """Return the last check after the last change of a run; None where nothing can be told from it.

    A commit after a check that failed is somebody's judgment of it that is not known here: None.
    """
    steps: list[_Step] = []
    before: Iterator[Call] = reversed(run.steps)
    for call in before:
        steps.append(_step(call, run, rules))
        if steps[-1].change:
            break
    checked = [step for step in steps if step.checks]
    if not checked or not steps[-1].change or (passed := _agreed(checked)) is None:
        return None
    if passed:
        passed = _stands(steps[-1], (_step(call, run, rules) for call in before))
    committed = any(step.committed for step in steps[: steps.index(checked[0]) + 1])
    name = next(step.checks[0] for step in checked if step.passed is not None)
    return None if passed is None or (committed and not passed) else LastCheck(name, passed, committed)


def _agreed(checked: Sequence[_Step]) -> bool | None:
    """How the checks after the last change ended, the latest first; None where they disagree.

    Of a state that changes by itself the last answer holds, and tests that failed last have failed. A linter says
    nothing for tests whose end is unknown.
    """
    tests = [step for step in checked if any(purposes.purpose(form) == purposes.TESTS for form in step.checks)]
    if tests and all(step.passed is None for step in tests):
        return None
    told = [step for step in checked if step.passed is not None]
    if told and told[0].passed is False and told[0] in tests:
        return False
    said = {step.passed for step in told[:1] + [step for step in told[1:] if not step.state]}
    return said.pop() if len(said) == 1 else None


def _stands(changing: _Step, before: Iterator[_Step]) -> bool | None:
    """Whether a check that passed says that the run succeeded: not where its last change took others back."""
    if not changing.takes_back:
        return True
    earlier = next((step for step in before if step.checks or step.change), None)
    if earlier is None:
        return True
    return False if changing.change in ROLLBACKS and earlier.passed is False else None


def _step(call: Call, run: Run, rules: ToolRules) -> _Step:
    if not rules.runs_commands(call.name) and _is_check(bare_name(call.name)):
        return _Step((call.name,), ended(call, "", (call.name,)))
    line = rules.line_of(call)
    idle = not_started(call, line) if line else frozenset()
    spelled = [one for one in forms.spelled(line) if one[0] not in idle] if line else []
    if not spelled:
        return _Step(change=next((kind for kind in ran(call, rules) if rules.is_effect(kind)), ""))
    checks, change, committed = _last_of(spelled, call, run, rules)
    lines = [words for _, _, words in forms.spelled(line) if not checking.only_looks(words, line)]
    passed = ended(call, line, [kind for kind, _, _ in checks], _beside(lines, checks)) if checks else None
    state = all(kind in checking.STATES for kind, _, _ in checks)
    kind, _, words = change or ("", "", ())
    back = kind in ROLLBACKS or checking.takes_back(kind, words)
    names = tuple(form for _, form, _ in checks)
    return _Step(names, passed, state, kind, back, committed and not call.failed)


def _beside(commands: Sequence[Words], checks: Sequence[Command]) -> tuple[list[Words], list[Words]]:
    """The other commands of a line, before its last check and after it."""
    own = [words for _, _, words in checks]
    last = max(n for n, words in enumerate(commands) if words in own)
    return [words for words in commands[:last] if words not in own], list(commands[last + 1 :])


def _last_of(
    spelled: Sequence[Command], call: Call, run: Run, rules: ToolRules
) -> tuple[list[Command], Command | None, bool]:
    """The checks after the last change of a line, the latest first; that change; whether a commit came after them."""
    checks: list[Command] = []
    committed = False
    for kind, form, words in reversed(spelled):
        known = checking.is_check(kind, form, words)
        if (known or _is_test_file(words)) and not _wrote(checking.script_name(words), call, run, rules):
            name = checking.script_name(words) if kind in checking.INTERPRETERS else ""
            checks.append((name or kind, name or form or kind, words))
            if checking.changes_too(kind, words):
                return checks, (kind, form, words), committed
        elif rules.is_effect(kind) and not _changes_nothing(kind, words, call, run, rules):
            return checks, (kind, form, words), committed
        committed = committed or (kind == "git commit" and not checks)
    return checks, None, committed


def _changes_nothing(kind: str, words: Words, call: Call, run: Run, rules: ToolRules) -> bool:
    """Whether a command leaves what was checked as it was: it only looks, or removes files of the run's own."""
    if kind == "rm":
        files = [word for word in words[1:] if not word.startswith("-")]
        return all(_SCRATCH.match(file) or ("/" not in file and _wrote(file, call, run, rules)) for file in files)
    return kind in NEUTRAL or checking.only_looks(words, command_line(call))


def _is_test_file(words: Sequence[str]) -> bool:
    """Whether a test of the project is run as a script: `python test_add.py`."""
    file = checking.script_name(words)
    return bool(_TEST_FILE.fullmatch(file)) and not {"--help", "--version"} & {*words}


def _wrote(name: str, call: Call, run: Run, rules: ToolRules) -> bool:
    """Whether the run wrote a file of this name before a call."""
    before = (other for other in run.steps if other.position < call.position and name in text_of(other.args))
    return bool(name) and any(_writes(other, name, rules) for other in before)


def _writes(call: Call, name: str, rules: ToolRules) -> bool:
    """Whether a call with the name of a file in its arguments may have written it, and does not only run it.

    In a command line: as the target of a redirection, in code or a patch, or as an argument of what changes something.
    """
    if not rules.runs_commands(call.name):
        return any(map(rules.is_effect, rules.kinds(call)))
    line, escaped = command_line(call), re.escape(name)
    if re.search(rf"(?:>\s*|File: )['\"]?[^\s;&|<>]*\b{escaped}|['\"][^\s'\"]*\b{escaped}['\"]", line):
        return True
    others = (
        (kind, words)
        for kind, _, words in forms.spelled(line)
        if checking.script_name(words) != name and kind != "chmod"
    )
    return any(rules.is_effect(kind) and any(word.endswith(name) for word in words) for kind, words in others)


def _is_check(tool: str) -> bool:
    """Whether the name of a tool says that it runs a check: `go_test`, `run_tests`, `lint`; not `build_report`."""
    words = [word for word in re.split(r"[^a-z0-9]+", tool.lower()) if word]
    runs = all(word in RUNNERS or purposes.purpose(word) in CHECKS for word in words)
    return bool(words) and runs and purposes.purpose(words[-1]) in CHECKS
