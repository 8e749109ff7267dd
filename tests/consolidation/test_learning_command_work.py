"""Skills of runs that worked by command lines: where, tried before and after, and what starts there."""

import re
from typing import Any

import pytest

from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import Script, learned, run


def lines(*commands: str | tuple[str, str]) -> tuple[Script, ...]:
    pairs = [(one, "ok") if isinstance(one, str) else one for one in commands]
    return tuple(("bash", {"command": line}, result) for line, result in pairs)


def mended(n: int, place: str = "orders", **more: Any) -> Run:
    return run(
        n,
        f"The total of {'abcdefgh'[n % 8]} is wrong",
        *lines(
            f"cat > try.py <<E\nimport {place}\nE",
            "python try.py",
            f"sed -i s/a/b/ {place}/totals.py",
            "python try.py",
            ("pytest -q", "<returncode>127</returncode>\npytest: command not found"),
            ("bin/test all", "<returncode>0</returncode>\nRan 12 tests in 2s"),
            "rm try.py",
        ),
        **more,
    )


def edited(n: int) -> Run:
    return run(n, "The total is wrong", *lines("sed -i s/a/b/ orders/totals.py", "ls orders/x"), outcome="failure")


def test_it_says_to_try_before_and_after_and_what_starts_there() -> None:
    runs = [mended(n) for n in range(4)]
    fields = learned(runs, [*runs, *(edited(n) for n in range(10, 14))]).fields

    assert fields.title == "Change files and run bin/test"
    assert "Use when something in `orders` is to be changed." in fields.description
    steps = [line.split(". ", 1)[1] for line in fields.procedure.splitlines()]
    assert steps == [
        "Write a script that shows what is asked for and run it before you change anything: so in 4 of 4 runs that "
        "ended well.",
        "Change the files (`cat >` or `sed -i`); of 4 runs: `orders/totals.py` (4).",
        "Run your script again after the last change: 4 of 4.",
        "Run the tests with `bin/test {name}` (started in 4 of 4 runs).",
        "Do not lose time with what does not start here: `pytest` (started in 0 of 4 runs).",
        "At the end, in most of 4 runs that ended well: `rm` (4).",
    ]


def test_what_is_run_before_files_are_changed_stands_before_and_a_wrapper_is_called_by_its_path() -> None:
    built = "<returncode>0</returncode>\nBUILD SUCCESSFUL"
    made = lines("bin/rails g migration AddColour", "./gradlew openApiGenerate")
    runs = [
        run(
            n,
            "A colour",
            *made,
            *lines("sed -i s/a/b/ db/x.rb", ("./gradlew test", built), ("./gradlew lint", built)),
        )
        for n in range(4)
    ]
    assert [line.split(". ", 1)[1] for line in learned(runs).fields.procedure.splitlines()] == [
        "Run `bin/rails g migration {name}`.",
        "Run `./gradlew openApiGenerate`.",
        "Change the files (`sed -i`); of 4 runs: `db/x.rb` (4).",
        "Run the tests with `./gradlew test` (started in 4 of 4 runs).",
        "Run `./gradlew lint`.",
    ]


@pytest.mark.parametrize("path", ["/home/ann/venv/bin/rubocop", "~/venv/bin/rubocop", "ssh ann@web rubocop"])
def test_the_path_of_a_program_that_only_one_machine_has_is_not_told(path: str) -> None:
    runs = [run(n, "A colour", *lines("sed -i s/a/b/ db/x.rb", f"{path} lib/x")) for n in range(4)]
    assert not {"home", "venv", "ann"} & {*re.findall(r"\w+", learned(runs).fields.procedure)}


def test_an_interpreter_whose_path_is_left_out_leaves_no_option_as_a_command() -> None:
    tests = ("/home/ann/app/.venv/bin/python -m pytest -q", "<returncode>0</returncode>\n3 passed in 2s")
    runs = [run(n, "A colour", *lines("sed -i s/a/b/ db/x.py", tests)) for n in range(4)]
    assert learned(runs).fields.procedure.endswith("2. Run `pytest`.")


def test_look_ups_that_everybody_makes_are_no_advice() -> None:
    looks = lines("ls a", "grep -n x a/b.py | head", "kubectl get pods", "node --version", "echo done", "git diff")
    runs = [run(n, "mend it", *looks, *lines("sed -i s/a/b/ a/b.py", "helm upgrade shop")) for n in range(3)]

    assert learned(runs).fields.procedure.splitlines()[0] == "1. Look first: `kubectl get`."
    assert "Look first" not in learned([mended(n) for n in range(4)]).fields.procedure


def test_the_recipe_holds_the_commands_that_act_without_look_ups_chores_and_what_never_starts() -> None:
    recipe = learned([mended(n) for n in range(4)]).recipe
    assert [(step["tool"], step["step"]) for step in recipe] == [
        ("bash", "Change `orders/totals.py`"),
        ("bash", "Run `sed -i`"),
        ("bash", "Run `bin/test {name}`"),
    ]


def test_the_recipe_of_work_that_only_prepares_holds_its_chores() -> None:
    recipe = learned([run(n, "Make room", *lines("mkdir a", "rm -r b", "touch c")) for n in range(4)]).recipe
    assert [step["step"] for step in recipe] == ["Run `mkdir`", "Run `rm`", "Run `touch`"]


def test_runs_of_the_same_place_without_the_tests_are_counted_beside_those_with_them() -> None:
    runs = [mended(n) for n in range(6)]
    fields = learned(runs, [*runs, *(edited(n) for n in range(10, 14))]).fields

    assert fields.experience[0] == "Of 6 runs in `orders` that used `bin/test` 6 ended well; of 4 without 0."


def test_the_commands_of_one_run_are_no_way_to_work() -> None:
    others = [run(10 + n, "The total is wrong", *lines(line, "ls orders/x")) for n, line in enumerate(("tox", "nox"))]
    runs = [mended(n) for n in range(3)]

    def told(*more: Run) -> list[str]:
        return [line for line in learned(runs, [*runs, *more]).fields.experience if "similar requests" in line]

    assert told(*others, edited(20)) == []
    assert told(*others, edited(20), edited(21)) == [
        "2 of 4 other runs with similar requests ended well: 0 of 2 that only changed files and 2 of 2 in other ways."
    ]


def test_runs_of_many_places_are_no_condition() -> None:
    runs = [mended(n, place) for n, place in enumerate(("orders", "billing", "stock", "mails"))]

    assert "to be changed" not in learned(runs).fields.description


def test_a_test_that_fails_is_no_failure_mode_and_a_command_that_is_missing_is_one() -> None:
    def failing(n: int) -> Run:
        red = ("bin/test", "<returncode>1</returncode>\nAssertionError: total is wrong\nRan 3 tests in 1s")
        gone = ("pytest", "<returncode>127</returncode>\npytest: command not found")
        green = ("bin/test", "<returncode>0</returncode>\nRan 3 tests in 1s")
        return run(n, "mend it", *lines(red, gone, ("ls nowhere", "<returncode>2</returncode>\nls: no file"), green))

    fields = learned([failing(n) for n in range(3)]).fields

    assert [line.split(" returned")[0] for line in fields.failure_modes] == ["`pytest`"]
    assert fields.fallbacks == [
        f"After {fields.failure_modes[0].split('returned ')[1].split(' (')[0]} from `pytest`: called "
        "`bin/test` (3 of 3 runs that ended well)"
    ]


def test_a_command_that_did_not_start_is_no_step_and_no_way_out_of_an_error() -> None:
    gone = ("python -m pytest", "<returncode>1</returncode>\n/usr/bin/python: No module named pytest")
    missing = ("nosetests", "<returncode>127</returncode>\nnosetests: command not found")
    green = ("bin/test", "<returncode>0</returncode>\nRan 3 tests in 1s")
    found = learned([run(n, "mend it", *lines("sed -i s/a/b/ x.py", gone, missing, green)) for n in range(3)])

    assert [step["step"] for step in found.recipe] == ["Change `x.py`", "Run `bin/test`"]
    assert found.fields.title == "Change files and run bin/test"
    assert [line.rsplit(": ", 1)[1] for line in found.fields.fallbacks] == [
        "called `bin/test` (3 of 3 runs that ended well)",
        "called `bin/test` (3 of 3 runs that ended well)",
    ]


def test_a_tool_beside_the_command_lines_keeps_its_step() -> None:
    runs = [run(n, "mend it", *lines("pytest -q"), ("open_request", {"title": f"t{n}"}, "ok")) for n in range(3)]

    assert "Open the request with `open_request`" in learned(runs).fields.procedure
    assert "Run `pytest -q`." in learned(runs).fields.procedure
