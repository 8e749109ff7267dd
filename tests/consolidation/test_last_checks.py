"""How a run ended by its last check: which commands check, and what their output says, as the tools print it."""

from typing import Any

import pytest

from consolidation.learning.comparison.last_checks import last_check
from consolidation.learning.runs import errors
from tests.consolidation import recorded

PASSED, FAILED = "3 passed in 0.1s", "1 failed, 2 passed in 0.1s"
UNIT = "Ran 1 test in 0.001s\n\nOK"


def sh(command: str, output: Any) -> tuple[str, dict[str, str], Any]:
    return "bash", {"command": command}, output


def code(number: int, output: str = "") -> dict[str, Any]:
    return {"exit_code": number, "output": output}


EDIT = sh("sed -i s/a/b/ x.py", "")


BRANCH = sh("git checkout -q -b t/HB-102 && git push -u origin t/HB-102", "branch 't/HB-102' set up to track it")
PULL_REQUEST = sh("gh pr create --fill", "https://forge.harbor.example/shop/harbor/pull/42")
REJECTED = " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs"
REFUSED = sh("gh pr merge 42 --merge", "Exit code 1\nX Pull request shop/harbor#42 is not mergeable")
MERGED = sh("gh pr merge 42 --squash", "✓ Squashed and merged pull request shop/harbor#42 (t/HB-102)")


def told(*script: Any) -> bool | None:
    check = last_check(recorded.run(1, "make it pass", *script), recorded.RULES)
    return None if check is None else check.passed


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([sh("pytest -q", PASSED)], True),
        ([sh("pytest -q", PASSED), sh("ls", "src")], True),
        ([sh("pytest -q", FAILED), sh("ls", "src")], False),
        ([sh("pytest -q", FAILED), EDIT, sh("pytest -q", PASSED)], True),
        ([sh("pytest -q", PASSED), EDIT], None),
        ([sh("pytest -q", PASSED), ("Edit", {"file_path": "x.py"}, "done")], None),
        ([sh("pytest -q", PASSED), sh("git add -A && git commit -m x", "1 file changed")], True),
        ([sh("pytest -q", FAILED), sh("git commit -am x", "1 file changed")], None),
        ([sh("make check", code(0, "1 passed")), BRANCH, PULL_REQUEST, MERGED], True),
        ([sh("make check", code(0, "1 passed")), BRANCH, PULL_REQUEST, REFUSED, MERGED], True),
        ([sh("make check", code(0, "1 passed")), BRANCH, PULL_REQUEST, REFUSED], None),
        ([sh("make check", code(0, "1 passed")), sh("git checkout old", code(0))], None),
        ([sh("make check", code(0, "1 passed")), sh("git checkout -b x origin/old", code(0))], None),
        ([sh("make check", code(0, "1 passed")), sh("git switch -c x", code(0))], True),
        ([sh("make check", code(0, "1 passed")), sh("git push origin main 2>&1 | tail -2", code(0, REJECTED))], None),
        ([sh("make check", code(0, "1 passed")), PULL_REQUEST, sh("gh pr checks 42", code(1, "e2e  fail"))], None),
        ([sh("make check", code(0, "1 passed")), PULL_REQUEST, sh("gh pr checks 42", code(0, "e2e  pass"))], True),
        ([sh("pytest -q | tail -1", FAILED)], False),
        ([sh("ruff check .", code(0))], True),
        ([sh("mypy . | head", code(0))], None),
        ([sh("pytest -q", "bash: pytest: command not found")], None),
        ([sh("python3 test_add.py", UNIT), sh("ls", "src")], True),
        ([sh("cd app && node --test tests/add.test.mjs", "ℹ pass 1\nℹ fail 2\n")], False),
        ([sh("bash run_tests.sh", code(1, "no")), sh("ls", "src")], False),
        ([sh("python3 test_add.py", code(1, "Traceback (most recent call last):\nAssertionError"))], False),
        ([sh("python3 scripts/check.py", code(1, "2 problems"))], False),
        ([sh("python3 add.py", UNIT)], None),
        ([("Write", {"file_path": "/r/test_bug.py"}, "done"), sh("python3 test_bug.py", UNIT)], None),
        ([sh("cat > test_bug.py <<E\nx\nE", ""), sh("python3 test_bug.py", UNIT)], None),
        ([sh("cat > final_test.sh <<E\nx\nE", ""), sh("chmod +x *.sh && ./final_test.sh", code(0, "fine"))], None),
        ([sh("python3 test_add.py; ls", UNIT)], True),
        ([sh("./tests/runtests.py forms", UNIT), sh("./tests/runtests.py models", UNIT)], True),
        ([sh("tests/runtests.py a", "Found 2 test(s).\nSystem check identified no issues (0 silenced).")], None),
        ([sh("pytest --version", code(0, "pytest 8.3"))], None),
        ([sh("pytest -q", FAILED), sh("pytest --version", code(0, "pytest 8.3"))], False),
        ([sh("pytest --collect-only -q", code(0, "3 tests collected"))], None),
        ([sh("npm test -- --help", code(0, "Usage"))], None),
        ([sh("python3 test_add.py --help", code(0, UNIT))], None),
        ([sh("npm t", code(1, "no"))], False),
        ([sh("docker run --rm img pytest -q", code(0, PASSED))], True),
        ([sh("ssh web 'cd api && make test'", code(2, "no"))], False),
        ([sh("ssh web 'make test; ls'", code(0, "no"))], None),
        ([sh("ruff format .", code(0, "1 file reformatted"))], None),
        ([sh("npm test > log 2>&1 &", code(0))], None),
        ([sh("bash -lc 'npm test | tail -3'", code(0, "done"))], None),
        ([sh("docker compose exec -T web pytest -q", FAILED)], False),
        ([sh("docker exec web bash -lc 'cd api && pytest -q'", code(0, PASSED))], True),
        (
            [sh("npx -y jest  # don't watch", {"metadata": {"exit_code": 1}, "output": "Tests: 1 failed, 1 total"})],
            False,
        ),
        ([("go_test", {}, "ok  \tacme/pay\t0.01s")], True),
        ([("go_test", {}, "done"), ("build_report", {}, "BUILD SUCCESS")], None),
        ([sh("make deploy", code(0, "ok"))], None),
        ([sh("npm run lint:fix", code(0, "ok"))], None),
        ([sh("python -m py_compile x.py", code(0))], None),
        ([sh("cmake ..", code(0, "-- Configuring done"))], None),
        ([sh("pytest -q", FAILED), sh("ruff check .", "All checks passed!")], None),
        ([sh("pytest -q", "collecting ..."), sh("ruff check .", "All checks passed!")], None),
        ([sh("pytest -q", PASSED), sh("pytest -q tests/b", FAILED)], False),
        ([sh("pytest -q", FAILED), sh("git stash", "Saved"), sh("pytest -q", PASSED)], None),
        ([sh("git stash && pytest -q; git stash pop", FAILED)], None),
        ([sh("pytest -q; echo $?", "timed out\n124")], None),
        ([sh("make check; echo exit=$?", "all fine\nexit=0")], True),
        ([sh("npm test && git commit -am x", code(1, "nothing to commit, working tree clean"))], None),
        ([sh("npm test | grep passing", "  3 passing (5ms)")], None),
        ([sh("npx eslint . || true", "(Bash completed with no output)")], True),
        ([sh("ls", "src")], None),
        ([sh("docker-compose config -q", code(0))], True),
        ([sh("docker-compose config -q", code(1, "Unsupported config option for services.a: 'imag'"))], None),
        ([], None),
    ],
)
def test_the_last_check_after_the_last_change_tells_how_a_run_ended(script: list[Any], expected: bool | None) -> None:
    assert told(EDIT, *script) is expected


def test_a_run_that_changed_nothing_has_not_failed_where_the_tests_that_it_was_asked_to_run_did() -> None:
    assert told(sh("pytest -q", FAILED)) is told(sh("pytest -q", PASSED)) is None


def test_a_build_called_with_quiet_says_nothing_where_all_is_well() -> None:
    assert told(EDIT, sh("./mvnw -q -pl web test", "")) is True
    assert told(EDIT, sh("./mvnw -pl web test", "")) is None


def test_what_gemini_reports_of_a_command_is_its_output_and_code() -> None:
    report = "Command: x\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: {}\nProcess Group PGID: 7"
    assert told(EDIT, sh("pytest -q", report.format(FAILED, 1))) is False
    assert told(EDIT, sh("ruff check", "Output: fine\nProcess Group PGID: 7")) is True
    result = errors.parse_report(report.format("No project was found.", 1))
    assert errors.looks_failed(result) and errors.message(result) == "No project was found."


RESTART, STATUS, WAIT = "kubectl set image deploy/web web=web:2", "kubectl rollout status deploy/web", "Waiting for ..."
OUT, LATE = 'deployment "web" successfully rolled out', f"{WAIT}\nerror: timed out waiting for the condition"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([sh(STATUS, OUT)], True),
        ([sh(STATUS, LATE)], False),
        ([sh(STATUS, LATE), sh("kubectl get pods", "web 1/1"), sh(STATUS, OUT)], True),
        ([sh(STATUS, LATE), sh("kubectl rollout undo deploy/web", "rolled back"), sh(STATUS, OUT)], False),
        ([sh(STATUS, OUT), sh("kubectl rollout undo deploy/web", "rolled back"), sh(STATUS, OUT)], None),
        ([sh(STATUS, LATE), sh("kubectl rollout undo deploy/web", "rolled back")], None),
        ([sh("kubectl wait --for=condition=ready pod/a", "pod/a condition met")], True),
        ([sh("helm upgrade web ./web", code(0, "STATUS: deployed"))], None),
        ([sh("helm upgrade web ./web --wait", code(0, "STATUS: deployed"))], True),
        ([sh("systemctl is-active web", "active\n")], True),
        ([sh("systemctl is-active web db", code(3, "active\nfailed\n"))], False),
        ([sh("nginx -t", "nginx: configuration file /etc/nginx/nginx.conf test is successful")], True),
        ([sh("nginx -t", "... test is successful"), sh("systemctl reload nginx", "")], None),
        ([sh("ansible-playbook a.yml", "web : ok=2    changed=1    unreachable=0    failed=0    skipped=0")], True),
        ([sh("ansible-playbook a.yml", "web : ok=2    changed=1    unreachable=0    failed=1    skipped=0")], False),
        ([sh("ansible-playbook --check a.yml", "web : ok=2    changed=1    unreachable=0    failed=0")], None),
    ],
)
def test_the_state_of_what_was_deployed_is_a_check_and_a_rollback_that_works_is_no_success(
    script: list[Any], expected: bool | None
) -> None:
    assert told(sh(RESTART, "image updated"), *script) is expected


# (command, exit code, the end of its output): as the tools print it.
WELL = [
    ("pytest -q", 0, "Traceback (most recent call last)\nERROR: 3 errors handled\n.      [100%]\n1 passed in 0.03s"),
    ("pytest", 0, "x.py:3: UserWarning: 1 error in old\n===== 1 passed, 1 warning in 0.04s ====="),
    ("python -m unittest", 0, "Ran 3 tests in 0.005s\n\nOK (skipped=1, expected failures=1)"),
    ("npx jest", 0, "Error: 2 errors happened\nTests:       2 passed, 2 total"),
    (
        "npx vitest run",
        0,
        "\x1b[2m Test Files \x1b[22m 1 passed (1)\n\x1b[2m      Tests \x1b[22m \x1b[32m1 passed\x1b[39m (1)",
    ),
    ("npx mocha", 0, "    ✔ returns exit code 2\n\n  2 passing (4ms)"),
    ("npx eslint .", 0, "✖ 1 problem (0 errors, 1 warning)"),
    ("go test ./...", 0, "ok  \tacme/pay/ok\t(cached)\n?   \tacme/pay/none\t[no test files]"),
    ("cargo test", 0, "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"),
    ("ctest", 0, "100% tests passed, 0 tests failed out of 2"),
    ("bats t.bats", 0, "1..2\nok 1 a\nok 2 b"),
    ("phpunit", 0, "OK (2 tests, 2 assertions)"),
    (
        "./gradlew :pay:test --tests '*X'",
        0,
        "> Task :pay:test\n\nBUILD SUCCESSFUL in 14s\n6 actionable tasks: 3 executed",
    ),
    ("./gradlew detekt spotlessCheck", 0, "BUILD SUCCESSFUL in 4s"),
    ("dotnet test", 0, "Test summary: total: 42, failed: 0, succeeded: 42, skipped: 0, duration: 2.1s"),
    ("./vendor/bin/sail artisan test", 0, "  Tests:    12 passed (34 assertions)\n  Duration: 1.42s"),
    ("php artisan test", 0, "  Tests:    1 skipped, 12 passed (34 assertions)"),
    ("uv run dbt build", 0, "10:11:14  Done. PASS=3 WARN=0 ERROR=0 SKIP=0 TOTAL=3"),
    ("tofu -chdir=envs/a plan", 0, "Plan: 1 to add, 0 to change, 0 to destroy."),
    ("tofu apply tf.plan", 0, "Apply complete! Resources: 1 added, 0 changed, 0 destroyed."),
    ("bazelisk test //...", 0, "Executed 3 out of 3 tests: 3 tests pass."),
    ("helm lint a", 0, "1 chart(s) linted, 0 chart(s) failed"),
    ("ansible-lint", 0, "\nPassed: 0 failure(s), 0 warning(s) in 17 files processed of 23 encountered."),
    ("lein test", 0, "Ran 12 tests containing 34 assertions.\n0 failures, 0 errors."),
    ("swift test", 0, "\t Executed 12 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds"),
    ("xcodebuild test -scheme A", 0, "** TEST SUCCEEDED **"),
]
ILL = [
    ("python -m unittest", 1, "Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)"),
    ("npx vitest run", 1, " Test Files  1 passed (1)\n      Tests  1 passed (1)\n     Errors  1 error"),
    ("bin/test a", 1, "=== tests finished: 90 passed, 2 expected to fail, 2 exceptions, in 4.17 seconds ==="),
    ("npx mocha", 1, "  1 passing (4ms)\n  1 failing"),
    ("go test ./...", 1, "ok  \tacme/pay/ok\t0.01s\nFAIL"),
    ("go vet ./...", 2, "# acme/pay/vet\nvet/a.go:5:12: fmt.Printf format %d has arg of wrong type string"),
    ("cargo test", 101, "error: could not compile `pay` (lib) due to 1 previous error"),
    ("npx tsc --noEmit", 2, "bad.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'."),
    ("bats f.bats", 1, "1..2\nok 1 a\nnot ok 2 b"),
    ("make", 2, "bad.c:1:23: error: 'x' undeclared\nmake: *** [Makefile:5: bad] Error 1"),
    ("rubocop", 1, "1 file inspected, 3 offenses detected"),
    ("golangci-lint run", 1, "a.go:12:2: ineffectual assignment to err (ineffassign)\n1 issues:\n* ineffassign: 1"),
    ("dotnet test", 1, "Test summary: total: 42, failed: 1, succeeded: 41, skipped: 0, duration: 2.1s"),
    ("sail test", 1, "  Tests:    1 failed, 11 passed (33 assertions)"),
    ("dbt build", 1, "Completed with 1 error, 0 partial successes, and 0 warnings:"),
    ("swift test", 1, "\t Executed 12 tests, with 3 failures (0 unexpected) in 0.1 (0.2) seconds"),
    ("sbt test", 1, "[info] Tests: succeeded 12, failed 1, canceled 0, ignored 0, pending 0"),
    ("ansible-lint bad.yml", 2, "Failed: 7 failure(s), 0 warning(s) in 1 files processed of 1 encountered."),
    ("ansible-lint -q", 2, "name[play]: All plays should be named.\nbad.yml:1\n"),
    ("ansible-lint -q -p bad.yml", 2, "bad.yml:1: name[play][/]\nbad.yml:3: command-instead-of-shell"),
    ("tofu validate", 1, "│ Error: Unsupported argument"),
    (
        "bazel test //...",
        3,
        "Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.\nERROR: Build did NOT complete successfully",
    ),
]
NEITHER = [
    ("pytest sub", 5, "===== no tests ran in 0.02s ====="),
    ("pytest", 0, "===== 1 skipped in 0.04s ====="),
    (
        "pytest",
        2,
        "E   ModuleNotFoundError: No module named 'x'\n!!! Interrupted: 1 error during collection !!!\n1 error in 0.5s",
    ),
    ("python -m unittest", 0, "Ran 1 test in 0.007s\n\nOK (skipped=1)"),
    ("npx jest nosuch", 1, "No tests found, exiting with code 1"),
    ("npx tsc -p nosuch.json", 1, "error TS5058: The specified path does not exist: 'nosuch.json'."),
    ("npx eslint nosuch.js", 2, 'No files matching the pattern "nosuch.js" were found.'),
    ("npm test", 1, "Error: no test specified"),
    ("go test -run X ./ok", 0, "ok  \tacme/pay/ok\t0.003s [no tests to run]"),
    ("cargo test nosuch", 0, "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out"),
    ("make nosuch", 2, "make: *** No rule to make target 'nosuch'.  Stop."),
    ("ctest", 0, "No tests were found!!!"),
    ("timeout 3 pytest -v", 124, "test_s.py::test_a PASSED   [ 50%]\ntest_s.py::test_b"),
    ("rubocop nosuch.rb", 2, "Error: No such file or directory: nosuch.rb\n0 files inspected, no offenses detected"),
    ("./gradlew test", 0, "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s"),
    ("./gradlew openApiGenerate", 0, "BUILD SUCCESSFUL in 1s"),
    ("./gradlew spotlessApply", 0, "BUILD SUCCESSFUL in 1s"),
    ("tofu plan", 1, "│ Error: error configuring S3 Backend: no valid credential sources found"),
    ("php artisan make:model A", 0, "INFO  Model created successfully."),
]


@pytest.mark.parametrize(("outputs", "expected"), [(WELL, True), (ILL, False), (NEITHER, None)])
def test_a_check_is_told_by_the_lines_in_which_tools_sum_up_with_and_without_an_exit_code(
    outputs: list[tuple[str, int, str]], expected: bool | None
) -> None:
    for command, number, output in outputs:
        flagged = output if number == 0 else f"Exit code {number}\n{output}"
        for result in (output, flagged, {"output": output, "metadata": {"exit_code": number}}):
            assert told(EDIT, sh(command, result)) is expected, (command, result)
