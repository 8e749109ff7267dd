"""Command lines of strong coding agents, as they were recorded: one line edits, generates, builds, checks and looks."""

from typing import Any

import pytest

from consolidation.learning.comparison.last_checks import LastCheck, last_check
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

CHECKED = (
    "wrote stock/schema.json\ndatabase ready\nchange ok\n..  [100%]\n{}\nrc={}\n M stock/models.py\n+    notes: str"
)
GREEN, RED = CHECKED.format("2 passed in 6.96s", 0), CHECKED.format("1 failed, 1 passed in 6.03s", 1)
LOOK = 'for f in bin/* stock/*; do echo "=== $f"; cat $f; done; git log --oneline | cut -c1-80'


def sh(command: str, output: str = "") -> Script:
    return "shell", {"command": ["bash", "-lc", command]}, output


def by_sed(field: str) -> str:
    return (
        f"sed -i \"s/^    city: str$/&\\n    {field}: str = ''/\" stock/models.py\n"
        f'sed -i "s/city\\"\\]/city\\", \\"{field}\\"]/" stock/export.py\n'
        f'echo "Added: {field}; see the schema." > changes/0002-{field}.md'
    )


def by_code(field: str) -> str:
    return (
        "python3 - <<'P'\nimport pathlib\np = pathlib.Path(\"stock/models.py\"); s = p.read_text()\n"
        f'p.write_text(s.replace("city: str", "city: str\\n    {field}: str"))\n'
        f'pathlib.Path("stock/export.py").write_text("{field}")\n'
        f'pathlib.Path("changes/0002-{field}.md").write_text("Added: {field}\\n")\nP'
    )


BASE = (
    "mkdir -p .run/base && git archive HEAD | tar x -C .run/base && .run/base/bin/up 2>&1 | tail -2; rm -rf .run/base"
)
CHECK = "bin/gen && bin/up; bin/verify; echo rc=$?; git status --short; git diff"
LAST = "python3 -c \"from stock import export; print(export.as_csv(['call first']))\""


def field_added(n: int) -> Run:
    field = ("phone", "vat_id", "weight", "notes", "country")[n]
    change = by_code(field) if n % 2 else by_sed(field)
    mended = f"{BASE}\n{change}\n{CHECK}" if n % 3 else f"{change}\n{CHECK}\n{LAST}"
    return run(
        n,
        f"Add a text field {field}, in the export too",
        sh(LOOK, "..."),
        sh(f"{change}\n{CHECK}", RED),
        sh(mended, GREEN),
    )


def ended(*script: Any) -> bool | None:
    check = last_check(run(1, "make it pass", *script), RULES)
    return None if check is None else check.passed


def test_sessions_of_long_lines_give_one_skill_with_files_generator_and_check() -> None:
    runs = [field_added(n) for n in range(5)]

    assert all(last_check(one, RULES) == LastCheck("bin/verify", passed=True) for one in runs)
    fields = learned(runs).fields
    assert fields.title == "Change files and run bin/gen, bin/up and bin/verify"
    assert fields.procedure.splitlines() == [
        "1. Look first: `git log` and `cut`.",
        "2. Change the files (`echo >` or `sed -i`); of 5 runs: `stock/models.py` (5), `stock/export.py` (5) and "
        "`changes/NNNN-*.md` (5; first line such as `Added: …`).",
        "3. Run `bin/gen`.",
        "4. Run `bin/up`.",
        "5. Run `bin/verify`.",
    ]


EDIT = sh("sed -i s/a/b/ x.py")


@pytest.mark.parametrize(
    ("line", "output", "expected"),
    [
        ("bin/verify; echo rc=$?; git status --short", "fine\nrc=0\n M x.py", True),
        ("bin/verify; echo rc=$?; git status --short", "no fragment\nrc=1\n M x.py", False),
        ('make check 2>&1 | tail -3; echo "exit: ${PIPESTATUS[0]}"; git diff', "no\nexit: 2\n+rc=0", False),
        ('make check 2>&1 | tail -3; echo "exit: $?"; git diff', "fine\nexit: 0\n+x", None),  # of tail
        ("bin/verify && ls; echo rc=$?", "x.py\nrc=0", True),
        ("bin/verify; ls; echo rc=$?", "x.py\nrc=0", None),  # of ls
        ("bash scripts/run-checks.sh", {"exit_code": 0, "output": "fine"}, True),
        ("tools/dev check", {"exit_code": 1, "output": "2 problems"}, False),
        ("ci/run", {"exit_code": 0, "output": "fine"}, True),
        ("./deploy.sh test", {"exit_code": 0, "output": "fine"}, None),
        ("bin/verify-email", {"exit_code": 0, "output": "fine"}, None),
        ("pytest -q; python3 -c 'import cart; print(cart.total())'", "3 passed in 0.1s\n7", True),
        ("pytest -q; python3 - <<'P'\nimport cart\nprint(cart.total())\nP", "3 passed in 0.1s\n7", True),
        ("pytest -q; python3 - <<'P'\nopen('x.py', 'w').write('')\nP", "3 passed in 0.1s", None),
        ("pytest -q; python3 generate.py", "3 passed in 0.1s", None),
        ("pytest -q && git commit -qam x; rm -f /tmp/probe.py", "3 passed in 0.1s", True),
        ("pytest -q; rm stock/x.py", "3 passed in 0.1s", None),
    ],
)
def test_the_exit_code_that_a_line_tells_is_that_of_its_check_whatever_follows(
    line: str, output: Any, expected: bool | None
) -> None:
    assert ended(EDIT, sh(line, output)) is expected


def test_a_script_that_the_run_wrote_is_no_check_and_one_beside_an_edit_is() -> None:
    assert (
        ended(sh("cat > bin/verify <<'E'\ntrue\nE\nchmod +x bin/verify"), sh("bin/verify", "2 passed in 0.1s")) is None
    )
    line = "sed -i s/a/b/ stock/x.py && bin/verify"
    assert ended(sh(line, "1 failed in 0.1s"), sh(line, "2 passed in 0.1s")) is True


def test_a_script_of_its_own_that_a_run_removes_at_its_end_takes_nothing_back() -> None:
    wrote = sh("cat > repro.py <<'E'\nimport stock\nE\npython repro.py")
    assert ended(wrote, EDIT, sh("pytest -q", "2 passed in 0.1s"), sh("rm repro.py")) is True
    assert ended(EDIT, sh("pytest -q", "2 passed in 0.1s"), sh("rm setup.py")) is None
