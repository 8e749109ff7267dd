"""How a run ended by its last check: tests, a build, a linter that ran after the last change.

Silence is an answer: no check, a change after it, or a result that cannot be told.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from consolidation.learning.commands import commands, forms, purposes
from consolidation.learning.commands.shell import LONGEST_LINE, command_line, command_words, is_plain
from consolidation.learning.commands.wrappers import bare, program_name
from consolidation.learning.effects.command_starts import answer, not_started
from consolidation.learning.effects.effects import changes, ran
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import bare_name
from consolidation.learning.runs.run import Call, Run
from consolidation.learning.runs.values import text_of

CHECKS = frozenset({purposes.TESTS, "lint", "types", "build"})
NEUTRAL = frozenset({"git add", "git commit", "git push", "git tag", "git fetch", "black --check"})
RUNNERS = frozenset({"run", "execute", "go", "npm", "cargo", "make", "mvn", "gradle", "dotnet", "swift"})
INTERPRETERS = frozenset({"python", "node", "deno", "bun", "ruby", "perl", "php", "bash", "sh"})
_TEST_FILE = re.compile(r"(?:test_\w+|[\w-]+[._](?:test|spec)|(?:run[_-]?)?tests?)\.(?:py|[cm]?[jt]s|rb|pl|php|sh)")
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?|failing)\b|^FAILED\b|^FAIL\b|^--- FAIL|\btest result: FAILED"
    r"|BUILD FAILURE|\bBUILD FAILED|\bFailed: [1-9]|\bFailures: [1-9]|\bErrors: [1-9]|^make: \*\*\*|\berror TS\d"
    r"|^error(?:\[E\d+\])?: |^ERRORS?\b|^Traceback \(most recent|\b\d+ tests? failed|^\s*✖ [1-9]"
    r"|^\S+:\d+:\d+: (?:fatal )?error: ",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d* (?:passed|passing)\b|^OK\b|^ok\s+\S+\s|\btest result: ok\b|BUILD SUCCESS"
    r"|\b[1-9]\d* examples?, 0 failures|^Success: no issues|All checks passed|\b100% tests passed|^# fail 0$"
    r"|Tests run: [1-9]\d*, Failures: 0, Errors: 0",
    re.MULTILINE,
)


@dataclass(frozen=True)
class LastCheck:
    """`check`: the command or tool; `passed`: how it ended; `committed`: a commit came after it."""

    check: str
    passed: bool
    committed: bool = False


def last_check(run: Run, rules: ToolRules) -> LastCheck | None:
    """Return the last check after the last change of a run; None where nothing can be told from it.

    A commit after a check that failed is somebody's judgment of it that is not known here: None.
    """
    committed = False
    for call in reversed(run.steps):
        checks = [*_checks(call, rules), *_test_files(call, run, rules)]
        if checks:
            passed = _passed(call, command_line(call) if rules.runs_commands(call.name) else "")
            return None if passed is None or (committed and not passed) else LastCheck(checks[0], passed, committed)
        kinds = ran(call, rules)
        if any(rules.is_effect(kind) and kind not in NEUTRAL for kind in kinds):
            return None
        committed = committed or ("git commit" in kinds and not call.failed)
    return None


def _checks(call: Call, rules: ToolRules) -> Iterator[str]:
    """The checks of a call that started: forms of commands, or its tool."""
    if not rules.runs_commands(call.name):
        if _is_check(bare_name(call.name)):
            yield call.name
        return
    line = command_line(call)
    idle = not_started(call, line) if line else frozenset()
    for kind, form in forms.called(line) if line else ():
        if form and kind not in idle and not commands.reads(kind) and purposes.purpose(form) in CHECKS:
            yield form


def _test_files(call: Call, run: Run, rules: ToolRules) -> Iterator[str]:
    """The tests of the project that a call runs as scripts: `python test_add.py`, not one that the run wrote itself."""
    for file in _scripts(command_line(call)) if rules.runs_commands(call.name) else ():
        name = file.rsplit("/", 1)[-1]
        before = (other for other in run.steps if other.position < call.position and name in text_of(other.args))
        if _TEST_FILE.fullmatch(name) and not any(_writes(other, rules) for other in before):
            yield file


def _scripts(line: str) -> Iterator[str]:
    try:
        for words, _writes in command_words(line[:LONGEST_LINE]):
            program, *rest = bare(words) or [""]
            if program_name(program) in INTERPRETERS and not {"--help", "--version"} & {*rest}:
                yield from [word for word in rest if not word.startswith("-")][:1]
    except ValueError:  # an open quote, say
        return


def _writes(call: Call, rules: ToolRules) -> bool:
    return any(kind not in INTERPRETERS for kind in changes(call, rules))


def _is_check(tool: str) -> bool:
    """Whether the name of a tool says that it runs a check: `go_test`, `run_tests`, `lint`; not `build_report`."""
    words = [word for word in re.split(r"[^a-z0-9]+", tool.lower()) if word]
    runs = all(word in RUNNERS or purposes.purpose(word) in CHECKS for word in words)
    return bool(words) and runs and purposes.purpose(words[-1]) in CHECKS


def _passed(call: Call, line: str) -> bool | None:
    """What the output says, else the exit code where it is that of the check; None: neither tells."""
    code, output = answer(call)
    code = code if line and is_plain(line) else None
    if code or _FAILED.search(output):
        return False
    return True if code == 0 or _PASSED.search(output) else None
