"""Detection of whether a command of a run started, from its output and exit code, and counts of the attempts.

Failing tests count as started. A command that is not found, is called with unknown options, or breaks off over an
import before it does anything has not started. Undecidable cases are left out.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from consolidation.learning.commands import commands, forms, programs, purposes
from consolidation.learning.commands.shell import is_plain
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs import errors
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import text_of

LEAST_RUNS, LEAST_CASES = 3, 2
CONSISTENT = 0.9
SURPRISES = 3  # latest contrary runs that overturn a claim; one fewer where none was contrary before
MOST_TEXT = 20_000  # of an answer, half from each end
_EXIT_CODE = re.compile(  # a line of the harness; tests have such words in their names
    r"^[\[<(\s]*(?:(?:the|process|command|bash|shell|finished|completed|exited|with|task) )*"
    r"(?:return[ _]?code|exit(?:ed)?(?: with)?(?:[ _](?:code|status))?|code)\b\W{0,4}(\d{1,3})\b(?:</\w+>)?\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|\([A-Z])")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)
_OUTPUTS = ("stdout", "output", "stderr", "content", "error")
_TEST_RESULT = re.compile(
    r"^\W*(?:[^\n]*\s)?[1-9]\d* (?:passed|failed|xfailed|xpassed|skipped)\b|\bRan [1-9]\d* tests?\b|\btests finished:"
    r"|^\s*Tests?:?\s+[1-9]\d*\b|^test result: |^--- (?:PASS|FAIL)|^(?:ok|FAIL)\s+\S+\s+[\d.]+s"
    r"|\b[1-9]\d* examples?, \d+ failures?|^# (?:tests|pass) [1-9]|\bTests run: [1-9]",
    re.MULTILINE,
)
_UNKNOWN = re.compile(r"file or directory not found:|not found: /|^ERROR: not found:|timed? ?out", re.MULTILINE)
_UNUSABLE = re.compile(
    r"^usage: |unrecognized (?:argument|option)|unknown (?:shorthand )?flag"
    r"|(?:unknown|no such|invalid|unexpected) (?:option|command|argument)"
    r"|errors? during collection|^INTERNALERROR>|ImportError while loading conftest|[Mm]issing script"
    r"|No rule to make target|is not recognized as|ImproperlyConfigured",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^(?:ModuleNotFoundError|ImportError)\b", re.MULTILINE)
_FAILED_LOAD = re.compile(r"^ERROR: .*_FailedTest\b", re.MULTILINE)
_TEST_COUNT = re.compile(r"\bRan (\d+) tests?\b")
_ABSENT = re.compile(r"No module named '?([\w.]+)")
_FINDING = re.compile(r"^[\w./\\-]+:\d+(?::\d+)?[: ]", re.MULTILINE)


@dataclass(frozen=True)
class Attempt:
    """The first attempt of a run at a form of a command of which the result can be told."""

    form: str
    purpose: str
    started: bool


def attempts(run: Run, rules: ToolRules) -> list[Attempt]:
    """Return one attempt per form of a command, in the order of the run."""
    by_command: dict[str, Attempt] = {}
    for call in run.steps:
        line = rules.line_of(call)
        for form, started in starts_of(call, line).items() if line else ():
            by_command.setdefault(form, Attempt(form, purposes.purpose(form), started))
    return list(by_command.values())


def has_started(call: Call) -> bool:
    """Return whether at least one command of the call's command line is known to have started."""
    return any(starts_of(call, call.line).values())


def not_started(call: Call, line: str) -> frozenset[str]:
    """Return the kinds of a call's commands that are known not to have started, in none of the forms on its line."""
    started_by_form = starts_of(call, line)
    if all(started_by_form.values()):
        return frozenset()
    pairs = forms.kind_forms(line)
    return frozenset(kind for kind, _ in pairs) - {
        kind for kind, form in pairs if started_by_form.get(form) is not False
    }


def starts_of(call: Call, line: str) -> Mapping[str, bool]:
    """Return form -> whether it started; kept on the call, for long outputs take milliseconds."""
    if line not in call.starts_by_line:
        call.starts_by_line[line] = dict(_starts_on_line(call, line))
    return call.starts_by_line[line]


def _starts_on_line(call: Call, line: str) -> Iterator[tuple[str, bool]]:
    """Yield (form, started) per command; of several acting commands only those that the output reports as missing."""
    pairs = forms.kind_forms(line)
    acting = list(dict.fromkeys(form for kind, form in pairs if acts(kind)))
    code, output = answer(call)
    for form in dict.fromkeys(form for _, form in pairs):
        if not purposes.may_be_named(form):
            continue
        if _is_missing(form, output):
            yield form, False
        elif acting == [form]:
            started = forms.interpreter(form) != "" or judge(output, code if is_plain(line) else None, line)
            if started is not None:
                yield form, started


def acts(kind: str) -> bool:
    """Return whether a command works on the project: it changes or checks something."""
    return kind in programs.PREVIEWS or not (commands.reads(kind) or kind.endswith(" >"))


def answer(call: Call) -> tuple[int | None, str]:
    """Return (exit code, output) of a call.

    The code is None when unknown and -1 when only a failure was recorded. The output has at most MOST_TEXT characters
    and no colours; of a line that was overwritten (progress bars) only the last state.
    """
    result = call.parsed_result
    if isinstance(result, dict):
        code = errors.exit_code(result)
        output = "\n".join(value for key in _OUTPUTS if isinstance(value := result.get(key), str))
        return (_recorded_code(call) if code is None else code), _shortened_output(output)
    output = _shortened_output(text_of(result)) if result is not None else ""
    match = _EXIT_CODE.search(output[:200]) or _EXIT_CODE.search(output[-200:])
    return (int(match[1]) if match else _recorded_code(call)), output


def _recorded_code(call: Call) -> int | None:
    return None if call.ok is None else 0 if call.ok else -1


def _shortened_output(text: str) -> str:
    if "\x1b" in text or "\r" in text:
        text = _OVERWRITTEN.sub("", _ANSI.sub("", text).replace("\r\n", "\n"))
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT // 2]}\n{text[-MOST_TEXT // 2 :]}"


def judge(output: str, code: int | None, line: str = "") -> bool | None:
    """Decide whether the only command of a line started.

    None: it cannot be told, or the command was given a target that does not exist.
    """
    if code in (126, 127):
        return False
    if _TEST_RESULT.search(output):
        test_count = sum(int(n) for n in _TEST_COUNT.findall(output))
        has_loaded = not 0 < test_count <= len(_FAILED_LOAD.findall(output))
        return True if has_loaded else None if _names_missing_module(output, line) else False
    if _UNKNOWN.search(output):
        return None
    if code == 0:
        return True
    if _UNUSABLE.search(output) or _IMPORT.search(output):
        return False
    return True if code and _FINDING.search(output) else None


def _names_missing_module(output: str, line: str) -> bool:
    """Return whether every module that failed to import is named on the command line itself."""
    missing = _ABSENT.findall(output)
    return bool(missing) and all(re.search(rf"[\s/.]{re.escape(name)}\b", line) for name in missing)


def _is_missing(form: str, output: Any) -> bool:
    """Return whether the output names this command, script or module as not found."""
    name = re.escape(_looked_up_name(form))
    if " -m " in f" {form}":
        return bool(re.search(rf"No module named '?{name}(?:\.__main__)?'?(?:;|\s|$)", output))
    missing = rf"(?:^|[\s:/'\"`]){name}['\"`]?: (?:command )?not found|(?:command not found|not found): {name}\b"
    path = rf"sh: (?:line \d+: )?(?:\./)?{name}: No such file or directory"  # bash, of a command with a slash
    return bool(re.search(rf"{missing}|{path}|can't open file '?\S*{name}'?", output, re.MULTILINE))


def _looked_up_name(form: str) -> str:
    """Return the name that is looked up for a form: `pytest`, `bin/test`, for `python -m pytest` the module."""
    words = form.split()
    if "-m" in words[:-1]:
        return words[words.index("-m") + 1]
    return words[1] if len(words) > 1 and forms.interpreter(words[0]) else words[0]


@dataclass(frozen=True)
class Form:
    """Counts of a form of a command: it started in `started` of `runs`; the last `latest` runs had the same result."""

    form: str
    runs: int
    started: int
    latest: int


@dataclass(frozen=True)
class CaseAttempt:
    """One run's first attempt at a form of a command."""

    form: str
    case: Hashable
    started: bool


@dataclass(frozen=True)
class Tally(Form):
    """Counts of the attempts at one form, with the number of cases and the latest result."""

    cases: int
    latest_started: bool

    @property
    def starts(self) -> bool | None:
        """Whether the form reliably starts (True) or fails to (False); None: neither, or too few runs."""
        if self.runs < LEAST_RUNS or self.cases < LEAST_CASES:
            return None
        share = self.started / self.runs
        return True if share >= CONSISTENT else False if share <= 1 - CONSISTENT else None

    def mostly(self, started: bool) -> bool:
        """Return whether more than half of the runs had this result."""
        return 2 * (self.started if started else self.runs - self.started) > self.runs

    def has_turned(self, started: bool) -> bool:
        """Return whether enough of the last runs, in a row, contradict the claim that the form has this result."""
        if self.latest_started == started:
            return False
        otherwise = self.runs - self.started if started else self.started
        return self.latest >= (SURPRISES if otherwise > self.latest else SURPRISES - 1)


def tally(case_attempts: Iterable[CaseAttempt]) -> dict[str, Tally]:
    """Count attempts by form, given in the order in which they happened."""
    by_form: dict[str, list[CaseAttempt]] = {}
    for attempt in case_attempts:
        by_form.setdefault(attempt.form, []).append(attempt)
    return {form: _tally(form, rows) for form, rows in by_form.items()}


def _tally(form: str, rows: Sequence[CaseAttempt]) -> Tally:
    last = rows[-1].started
    latest = next((n for n, row in enumerate(reversed(rows)) if row.started != last), len(rows))
    return Tally(form, len(rows), sum(row.started for row in rows), latest, len({row.case for row in rows}), last)
