"""Which commands of a run have started, told from exit codes and answers of many tools."""

from typing import Any

import pytest

from consolidation.learning.commands.purposes import purpose
from consolidation.learning.effects.command_starts import CaseAttempt, attempts, tally
from consolidation.learning.effects.places import place, repository
from consolidation.learning.facts.startups import Startups
from tests.consolidation.recorded import RULES, run

UNLOADED = "unittest.loader._FailedTest"


def shown(line: str, answer: Any) -> dict[str, bool]:
    found = attempts(run(1, "mend it", ("bash", {"command": line}, answer)), RULES)
    return {one.form: one.started for one in found}


def coded(code: int, said: str = "") -> str:
    return f"<returncode>{code}</returncode>\n<output>\n{said}\n</output>"


@pytest.mark.parametrize(
    ("line", "answer", "form"),
    [
        ("cd x && python -m pytest -q a/b.py", coded(1, "=== 2 failed, 3 passed in 0.1s ==="), "python -m pytest"),
        ("./bin/test sympy/core", coded(1, "== tests finished: 64 passed, 2 failed, in 0.3 s =="), "bin/test"),
        ("python3 tests/runtests.py mail", coded(1, "Ran 2 tests in 1s\n\nFAILED"), "python3 tests/runtests.py"),
        ("go test ./...", {"exit_code": 1, "stdout": "--- FAIL: TestAdd (0.00s)"}, "go test"),
        ("cargo test", {"returncode": 101, "stdout": "test result: FAILED. 3 passed; 1 failed"}, "cargo test"),
        ("npx jest src", {"exit_code": 1, "stderr": "Tests:       1 failed, 4 passed, 5 total"}, "npx jest"),
        ("flake8 src", coded(1, "src/a.py:3:1: E302 expected 2 blank lines"), "flake8"),
        ("poetry run pytest", coded(0, "== 3 passed in 1s =="), "poetry run pytest"),
        ("pytest tests | tail -3", coded(0, "== 3 passed in 1s =="), "pytest"),
        ("make build", coded(0), "make build"),
        ("cd infra && tofu plan", coded(0, "Plan: 1 to add, 0 to change, 0 to destroy."), "tofu plan"),
    ],
)  # fmt: skip
def test_what_did_its_work_has_started(line: str, answer: Any, form: str) -> None:
    assert shown(line, answer) == {form: True}


@pytest.mark.parametrize(
    ("line", "answer", "form"),
    [
        ("pytest -q", coded(127, "/bin/sh: 1: pytest: not found"), "pytest"),
        ("python m.py && pytest", "bash: line 1: pytest: command not found", "pytest"),
        ("cd x && ./bin/test a", "bash: line 1: ./bin/test: No such file or directory", "bin/test"),
        ("/usr/bin/python3 -m pytest a", coded(1, "python3: No module named pytest"), "/usr/bin/python3 -m pytest"),
        ("python tests/runtests.py", coded(2, "can't open file 'tests/runtests.py'"), "python tests/runtests.py"),
        ("pytest --nope", coded(4, "ERROR: usage: pytest\npytest: error: unrecognized arguments: --nope"), "pytest"),
        ("bin/test", coded(1, "Traceback:\nImportError: cannot import name 'Mapping'"), "bin/test"),
        ("pytest tests", coded(2, "!!! Interrupted: 1 error during collection !!!\n=== 1 error in 0.1s ==="), "pytest"),
        ("npm run lint", {"exit_code": 1, "stderr": 'npm error Missing script: "lint"'}, "npm run lint"),
        ("bin/test", {"output": "", "metadata": {"exit_code": 127, "duration_seconds": 0.1}}, "bin/test"),
        ("make test", coded(2, "make: *** No rule to make target 'test'.  Stop."), "make test"),
        ("python repro.py", coded(127, "bash: python: command not found"), "python"),
    ],
)  # fmt: skip
def test_what_is_not_found_or_breaks_off_before_its_work_has_not(line: str, answer: Any, form: str) -> None:
    assert shown(line, answer) == {form: False}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("pytest nowhere.py", coded(4, "= no tests ran =\nERROR: file or directory not found: nowhere.py")),
        ("bin/test forms", coded(1, f"ERROR: forms ({UNLOADED})\nNo module named 'forms'\nRan 1 test in 0s")),
        ("pytest | head -2", coded(0, "collecting ...")),
        ("pytest a || bin/test a", coded(1, "== 1 failed in 1s ==")),
        ("pytest 'open", coded(1, "unexpected EOF")),
        ("pytest", None),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_left_out(line: str, answer: Any) -> None:
    assert shown(line, answer) == {}


@pytest.mark.parametrize("line", ["python /home/joe/acme.py", "./mend_joe.py", "~/bin/x/y z", "/home/joe/run.sh a"])
def test_no_code_or_path_of_ones_own_is_a_form(line: str) -> None:
    assert not [form for form in shown(line, coded(0)) if "joe" in form or "/" in form]


def test_forms_of_one_purpose_stand_for_each_other() -> None:
    forms = ["pytest", "python -m unittest", "bin/test", "npm test", "python3 tests/runtests.py", "go test"]
    assert {purpose(form) for form in forms} == {"tests"}
    assert [purpose(form) for form in ("pip install", "rg", "python3", "mypy")] == ["packages", "rg", "python", "types"]


def test_a_place_is_the_package_that_is_named_most_and_no_folder_that_the_run_made() -> None:
    lines = ["mkdir -p scratch/a", "ls scratch/a", "cat scratch/b/c", "sed -n 1p lib/solver/core.py", "ls /home/joe/x"]
    found = run(1, "mend it", *[("bash", {"command": line}, "") for line in lines])
    assert place(found, RULES, {}) == "solver"
    assert place(found, RULES, {"repository": "git@example.org:tools/solver.git"}) == "tools/solver"


@pytest.mark.parametrize(
    ("said", "name"),
    [("https://bot:key@example.org/a/b.git", "a/b"), ("/home/joe/solver", "solver"), (r"C:\Users\joe\solver", "solver"),
     (r"\\host\joe\solver", "solver"), ("x", "x"), (7, ""), ("", "")],
)  # fmt: skip
def test_a_repository_is_named_without_a_login(said: Any, name: str) -> None:
    assert repository(said) == name


def test_what_starts_now_and_then_is_not_said() -> None:
    cases = [run(n, "mend it").id for n in range(10)]
    seen = [CaseAttempt("pytest", case, n % 2 == 0) for n, case in enumerate(cases)]
    assert Startups("", "tests", tally(seen)).claims() == {}
    firm = tally([*seen, *(CaseAttempt("bin/test", case, True) for case in cases)])
    found = Startups("", "tests", firm)
    assert found.sentence(found.claims(), "en") == "In these runs `bin/test` starts (10 of 10 runs)."
    assert Startups("", "git", {"git": firm["bin/test"]}).claims() == {}


def test_a_place_is_the_project_that_calls_say_they_work_in() -> None:
    line = {"command": ["bash", "-lc", "sed -n 1,9p api/keys/v1/keys.proto"], "workdir": "/workspace/gateway"}
    assert place(run(1, "go", ("shell", line, "x")), RULES, {}) == "gateway"
    edit = ("Edit", {"file_path": "/home/mia/forum/app/models/post.rb"}, "done")
    test = ("Bash", {"command": "bundle exec rspec spec/models/post_spec.rb"}, "5 examples, 0 failures")
    assert place(run(1, "go", edit, test), RULES, {}) == "forum"
