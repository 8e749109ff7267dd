"""What the output of a check says: the lines in which tools sum up, as they print them.

Only such lines tell: tests print "error" too. Each form was taken from a run of the tool (state of 2026-11); those of
kubectl, systemctl, helm, docker compose, terraform, apachectl, maven, gradle, dotnet, playwright, flutter, bun, deno,
mix, pest, dbt, bazel, swift, lein, sbt and nx from their documentation and from logs.
"""

import re
from collections.abc import Iterable, Iterator

_KINDS = {
    "good": re.compile(r"pass(?:ed|ing)?|ok|completed|succeeded|success"),
    "run": re.compile(r"tests?(?: run)?|examples?|runs?|executed|ran"),
    "bad": re.compile(r"fail(?:ed|ing|ures?)?|unreachable|unexpected successes"),
    "error": re.compile(r"errors?|exceptions?"),
    "idle": re.compile(r"warnings?|skip(?:ped|s)?|pending|ignored|todo|deselected|disabled"),
}
_NUMBER_FIRST = re.compile(r"(\d+)%? (?:tests? (?=pass|fail|skip))?([a-z]+)")
_WORD_FIRST = re.compile(r"((?:(?:un)?expected )?[A-Za-z]+(?: run)?) ?[=:]? *(\d+)")

# Lines with counts. After a name that ends with * what failed may stand on another line.
_COUNTED = {
    "pytest": r"(?:=+ )?((?:\d+ [a-z]+, )*\d+ (?:passed|failed|errors?|skipped|warnings?|deselected|xfailed|xpassed))"
    r" in \d[\d.]*s(?: \([\d:]+\))?(?: =+)?",
    "sympy": r"=+ tests finished: (.*), in [\d.]+ seconds =+",
    "unittest": r"(Ran \d+ tests? in [\d.]+s\n\n(?:OK|FAILED)(?: \(.*\))?)",
    "jest": r"Tests: +(.*\d+ total)",
    "vitest*": r" *Tests  +(.* \(\d+\))",
    "vitest, jest": r" *Test (?:Files|Suites:) +(\d+ failed.*)",
    "ava, mocha, playwright, others*": r"\W*(\d+ (?:tests? )?(?:pass(?:ed|ing)?|fail(?:ed|ing)?)(?:, \d+ \w+)*)"
    r"\W*(?:\(.*\))?",
    "node*": r"[#ℹ] ((?:pass|fail) \d+)",
    "cargo": r"test result: (?:ok|FAILED)\. (\d+ passed; \d+ failed; .*)",
    "nextest": r" +Summary .*: (\d+ (?:passed|failed).*)",
    "ctest": r"(\d+% tests passed, \d+ tests failed) out of \d+",
    "rspec": r"(\d+ examples?, \d+ failures?.*)",
    "minitest": r"(\d+ (?:runs|tests), \d+ assertions, .*)",
    "bats, mix": r"(\d+ tests?, \d+ failures?.*)",
    "phpunit": r"(Tests: \d+, Assertions: .*)",
    "maven": r"(?:\[\w+\] )?(Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)",
    "gradle": r"(\d+ tests completed, \d+ failed.*)",
    "dotnet": r"(?:Passed|Failed)!  - (.*Total: +\d+).*",
    "dotnet 9": r"Test summary: (total: \d+, failed: \d+, succeeded: \d+, .*)",
    "pest": r" *Tests: +((?:\d+ [a-z]+, )*\d+ [a-z]+) \(\d+ assertions?\)",
    "lein": r"Ran (\d+ tests containing \d+ assertions\.\n\d+ failures, \d+ errors)\.",
    "sbt": r"\[info\] Tests: (succeeded \d+, failed \d+, .*)",
    "swift": r"\s*(Executed \d+ tests?, with \d+ failures?) .*",
    "bazel": r"Executed \d+ out of \d+ tests?: (.*\d tests? (?:pass|fail).*)\.",
    "testthat": r"\[ (FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+) \]",
    "deno": r"(?:ok|FAILED) \| (\d+ passed .*\| \d+ failed.*) \(.*\)",
    "ansible": r"\S+ +: (ok=\d+ +changed=\d+ +unreachable=\d+ +failed=\d+).*",
}
_WORDS_FIRST = frozenset({"unittest", "node*", "phpunit", "maven", "dotnet", "dotnet 9", "ansible", "testthat", "sbt"})
_COUNTS = {name: re.compile(rf"^{form}\s*$", re.MULTILINE) for name, form in _COUNTED.items()}
_WELL = {
    "phpunit": r"OK \([1-9]\d* tests?, \d+ assertions?\)",
    "ruff, mypy": r"All checks passed!|Success: no issues found in .*",
    "pyright": r"0 errors, \d+ warnings?, \d+ informations?.*",
    "black, ruff format": r"[1-9]\d* files? (?:would be left unchanged\.|already formatted)",
    "prettier": r"All matched files use Prettier code style!",
    "eslint": r"✖ \d+ problems? \(0 errors, .*",
    "pylint": r"Your code has been rated at 10\.00/10.*",
    "rubocop": r"[1-9]\d* files? inspected, no offenses detected",
    "bandit": r"\tNo issues identified\.",
    "golangci-lint, flutter": r"0 issues\.|No issues found!.*",
    "credo, psalm": r".*found no issues\.|.*No errors found!.*",
    "dbt": r"(?:[\d:]+ +)?Completed successfully|(?:[\d:]+ +)?Done\. PASS=[1-9]\d* WARN=\d+ ERROR=0 .*",
    "bazel, swift, xcodebuild": r"INFO: Build completed successfully, .*|Build complete! .*"
    r"|Test run with [1-9]\d* tests? .*passed after .*|\*\* (?:TEST|BUILD) SUCCEEDED \*\*.*",
    "nx, turbo": r" *NX +Successfully ran targets? .*",
    "phpstan": r" *\[OK\] No errors",
    "tox, nox": r"  congratulations :\).*|nox > Session \S+ was successful.*",
    "ansible-lint": r"Passed: 0 failure\(s\), .*",
    "gradle, maven, dotnet": r"BUILD SUCCESSFUL in .*|(?:\[INFO\] )?BUILD SUCCESS|Build succeeded(?:\.| .*in [\d.]+s)",
    "cargo": r" +Finished `?(?!test)\w.*target\(s\) in .*",
    "vite, webpack": r"✓ built in .*|webpack [\d.]+ compiled (?:successfully|with \d+ warnings?) in .*",
    "django": r"\ASystem check identified no issues .*|No changes detected",
    "alembic": r"No new upgrade operations detected\.",
    "nginx, apache": r"nginx: configuration file .* test is successful|Syntax OK",
    "terraform": r"Success! The configuration is valid.*|Plan: \d+ to \w+, .*|No changes\. .*|Apply complete! .*",
    "kubectl": r"(?:deployment|daemon set|statefulset) .*successfully rolled out|statefulset rolling update complete.*"
    r"|[\w.-]+/\S+ condition met",
    "helm": r"STATUS: deployed|[1-9]\d* chart\(s\) linted, 0 chart\(s\) failed",
    "systemctl": r"\A(?:active\s+)*active\s*\Z",
    "sbt, flutter": r"All tests passed!",
}
_ILL = {
    "pytest": r"(?:FAILED|ERROR) \S+\.py::.*",
    "go": r"FAIL(?:\t.*)?|--- FAIL: .*|# \S+(?: \[.*\])?\n(?:vet: )?\S+\.go:\d+:\d+: .*",
    "tap": r"not ok \d+(?!.*# (?:skip|todo)).*",
    "ruff": r"Found \d+ errors?\.",
    "ruff, mypy, tsc": r"\[\*\] \d+ fixable with .*|Found [1-9]\d* errors? in .*"
    r"|.*\berror TS(?!5\d{3}|18003|6053)\d+: .*",
    "pyright": r"[1-9]\d* errors?, \d+ warnings?, .*",
    "vitest": r" +Errors  +\d+ errors?",
    "eslint": r"✖ \d+ problems? \([1-9]\d* errors?, .*|ESLint found too many warnings .*",
    "pylint": r"\S+:\d+:\d+: [EF]\d{4}: .*",
    "flake8": r"\S+\.py:\d+:\d+: (?!E902)[A-Z]+\d+ .*",
    "yamllint": r"  \d+:\d+ +error +.*",
    "ansible-lint": r"Failed: [1-9]\d* failure\(s\), .*|[a-z][\w-]*\[[\w-]+\]: .*\n\S+\.ya?ml:\d+.*"
    r"|\S+\.ya?ml:\d+(?::\d+)?: [a-z][\w-]*\[[\w-]+\].*",
    "shellcheck": r"In \S+ line \d+:",
    "rubocop": r"\d+ files? inspected, \d+ offenses? detected.*",
    "phpstan": r" *\[ERROR\] Found \d+ errors?.*",
    "bandit": r">> Issue: \[.*",
    "black, ruff format": r"\d+ files? would be reformatted.*|would reformat .*",
    "cargo fmt": r"Diff in .*:\d+:",
    "prettier": r"\[warn\] Code style issues found in .*",
    "pre-commit": r".*\.\.\.Failed",
    "tox, nox": r"  evaluation failed :\(.*|nox > Session \S+ failed\.",
    "compilers": r"\S+:\d+(?::\d+)?: (?:fatal )?error: .*|collect2: error: ld returned .*",
    "cargo": r"error(?:\[E\d+\])?: could not compile .*|error: test failed.*",
    "make": r"g?make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+.*",
    "vite, webpack": r"error during build:|webpack [\d.]+ compiled with \d+ errors?.*",
    "golangci-lint": r"[1-9]\d* issues:",
    "dbt": r"(?:[\d:]+ +)?Completed with [1-9]\d* errors?.*|(?:[\d:]+ +)?Done\. PASS=\d+ WARN=\d+ ERROR=[1-9].*",
    "bazel, xcodebuild": r"(?:ERROR|FAILED): Build did NOT complete successfully.*|\*\* (?:TEST|BUILD) FAILED \*\*.*",
    "swift, sbt": r".*Test run with \d+ tests? .*failed after .*|\[error\] .*sbt\.TestsFailedException.*",
    "nx, turbo": r" *NX +Ran targets? .* failed.*| *ERROR +run failed: .*",
    "gradle, maven, dotnet": r"BUILD FAILED.*|.*COMPILATION ERROR.*|(?:\[\w+\] )?BUILD FAILURE|Build FAILED\."
    r"|Build failed with .* in [\d.]+s",
    "nginx, apache": r"nginx: configuration file .* test failed|.*Syntax error on line \d+ of .*",
    "kubectl": r"error: timed out waiting for the condition.*|error: deployment .* exceeded its progress deadline",
    "compose": r"dependency failed to start: .*|container \S+ is unhealthy",
    "helm": r"Error: (?:UPGRADE|INSTALLATION) FAILED: .*|.*chart\(s\) linted, [1-9]\d* chart\(s\) failed",
    "terraform": r"│ Error: .*",
    "systemctl": r"\A(?:(?:in)?active\s+|failed\s+)*(?:inactive|failed)",
    "django, alembic": r"(?:ERROR|FAILED): New upgrade operations detected.*|SystemCheckError: .*",
}


def _any(table: dict[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"^(?:{form})\s*$" for form in table.values()), re.MULTILINE)


_SAYS_WELL, _SAYS_ILL = _any(_WELL), _any(_ILL)
_GO_OK = re.compile(r"^ok  \t\S+\t(?!.*\[no tests to run\])", re.MULTILINE)
_TAP = re.compile(r"^1\.\.(\d+)$(?:\n#.*)*((?:\n(?:ok \d+|#| ).*)+)", re.MULTILINE)
_NOTHING = re.compile(
    r"no tests? (?:ran|to run|found|files? found|specified|were found|executed)|no test files|[Cc]ould(?: not|n't) find"
    r"|Ran 0 tests|errors? during collection|errors? occurred outside of examples|did not match the filters"
    r"|No (?:Python )?files? (?:found|matching|to check|provided)|No Python files|no hosts matched|Missing script"
    r"|No test configuration|Failed to import test module|no Go files|:test NO-SOURCE|No loadable tox|Checked 0 files",
    re.IGNORECASE,
)
_UNREADY = re.compile(
    r"command not found|: not found$|No such file or directory|[Cc]annot find module|MODULE_NOT_FOUND|ENOENT|E902"
    r"|[Nn]o rule to make target|No targets specified|is not a directory|does not exist|[Pp]ermission denied"
    r"|(?:[Uu]nknown|[Uu]nrecogni[sz]ed|[Nn]o such) (?:option|argument|command|flag)|[Ii]nvalid option|^[Uu]sage:"
    r"|cannot load such file|Cannot connect to the Docker|[Cc]onnection refused|timed? ?out after|is not recognized"
    r"|No module named|ImproperlyConfigured|No space left|not found in current directory"
    r"|directory not found|Don't know how to build|No configuration file|no such file exists"
    r"|Some errors were emitted|^Killed$|[Nn]o valid credential|[Ee]rror configuring .*[Bb]ackend"
    r"|You must be logged in|\(Mix\) The database|\b[A-Z]+_[A-Z_]+`? must be set",
    re.MULTILINE,
)


def verdicts(output: str, *, is_complete: bool = True) -> frozenset[bool]:
    """Return the results of the summaries in a plain output; empty for none. `is_complete`: no line is filtered out."""
    results = {result for result in _summary_results(output, is_complete=is_complete) if result is not None}
    if _SAYS_ILL.search(output) and not is_unready(output):
        results.add(False)
    if is_complete and (_all_ok(output) or (_SAYS_WELL.search(output) and not ran_nothing(output))):
        results.add(True)
    return frozenset(results)


def ran_nothing(output: str) -> bool:
    """Return whether the output says that there was nothing to check, or only skips."""
    return bool(_NOTHING.search(output)) or None in _summary_results(output, is_complete=True)


def is_unready(output: str) -> bool:
    """Return whether the output names a reason why a check could not start."""
    return bool(_UNREADY.search(output))


def _all_ok(output: str) -> bool:
    """Return whether packages of Go, or all tests of a plan in TAP, are reported as ok and not all skipped."""
    if "=== RUN" in output and "--- PASS" not in output:
        return False
    plan = _TAP.search(output)
    tests = re.findall(r"^ok \d+(.*)", plan[2], re.MULTILINE) if plan else []
    executed = [suffix for suffix in tests if not re.search(r"# skip", suffix, re.IGNORECASE)]
    return bool(_GO_OK.search(output)) or bool(plan and executed and len(tests) == int(plan[1]))


def _summary_results(output: str, *, is_complete: bool) -> Iterator[bool | None]:
    """Yield per summary with counts whether all is well; None: nothing ran, or it only failed to load."""
    for name, form in _COUNTS.items():
        pairs = _WORD_FIRST if name in _WORDS_FIRST else _NUMBER_FIRST
        for summary in form.finditer(output):
            result = _result_of(pairs.findall(summary[1]))
            yield None if result and name.endswith("*") and not is_complete else result


def _result_of(pairs: Iterable[tuple[str, str]]) -> bool | None:
    counts = dict.fromkeys(_KINDS, 0)
    for pair in pairs:
        number, word = pair if pair[0].isdigit() else reversed(pair)
        for kind, words in _KINDS.items():
            counts[kind] += int(number) if words.fullmatch(word.lower()) else 0
    if counts["bad"] or counts["error"]:
        return False if counts["bad"] or counts["good"] or counts["run"] > counts["error"] else None
    return True if counts["good"] or counts["run"] > counts["idle"] else None
