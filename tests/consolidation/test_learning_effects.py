"""What a run changed: effects of tools and of command lines."""

from typing import Any

import pytest

from consolidation.learning.commands import commands
from consolidation.learning.effects.effects import effects, with_single_commands
from consolidation.learning.effects.tool_rules import ToolRules
from tests.consolidation.recorded import run

RULES = ToolRules(frozenset({"think_hard"}), ("transfer_*",), frozenset({"bash", "shell"}), {"sync_index": True})


def of(*tools: str | tuple[str, Any]) -> frozenset[str]:
    script = [(tool, {}, "done") if isinstance(tool, str) else (*tool, "done") for tool in tools]
    return effects(run(1, "please", *script), RULES)


def test_looking_up_handing_over_and_ignored_tools_are_no_effects() -> None:
    assert of("get_order", "refund", "transfer_to_human", "think_hard", "sync_index") == {"refund"}


def test_a_run_that_only_looked_has_the_empty_set() -> None:
    assert of("get_order", "transfer_to_human") == frozenset()


def test_the_seeds_build_tools_act() -> None:
    assert of("go_test", "go_build", "lint") == {"go_build", "go_test", "lint"}


def test_chinese_look_ups_read_and_a_refund_acts() -> None:
    assert of("查询订单", "订单查询", "获取用户信息", "退款", "取消订单") == {"退款", "取消订单"}


def test_a_handover_is_known_behind_the_name_of_its_server() -> None:
    assert of("mcp__desk__transfer_to_human") == frozenset()


def test_what_a_caller_marked_as_acting_acts_whatever_its_name() -> None:
    rules = ToolRules(marked={"get_token": False})
    assert effects(run(1, "please", ("get_token", {}, "t")), rules) == {"get_token"}


def test_a_command_line_counts_as_its_commands() -> None:
    assert of(("bash", {"command": "cd x && python -m pytest -q a.py"}), ("bash", {"cmd": "git log"})) == {"pytest"}


def test_what_is_done_in_a_folder_that_comes_and_goes_is_an_experiment_and_builds_are_none() -> None:
    tried = "mkdir -pv .run/base && git archive HEAD | tar x -C .run/base && .run/base/bin/up; rm -rv .run/base"
    assert of(("bash", {"command": f"{tried}\nbin/up; pytest -v"})) == {"bin/up", "pytest"}
    built = "mkdir -p build && cmake -B build && cmake --build build && npm run build; rm -rf build"
    assert of(("bash", {"command": built})) == {"cmake", "npm run build"}
    assert of(("bash", {"command": "git add a/b.sh; bash a/b.sh; rm a/b.sh; make test"})) == {"a/b.sh", "make test"}


def test_a_broken_or_missing_command_line_counts_as_its_tool() -> None:
    assert of(("bash", {"command": "echo 'open"})) == {"bash"}
    assert of(("shell", {"session": 4})) == of(("Bash", {"session": 4})) == {"bash"}


def test_a_command_line_in_a_list_or_as_plain_text_is_read() -> None:
    assert of(("shell", {"command": ["bash", "-lc", "cd a && git commit -m 'x y'"]})) == {"git commit"}
    assert of(("bash", "make test")) == {"make test"}


def test_a_command_that_writes_acts_although_its_program_reads() -> None:
    assert of(("bash", {"command": "cat > a <<E\nE"}), ("bash", {"command": "find . -delete"})) == {
        "cat >",
        "find -delete",
    }


def ran(*answers: tuple[str, str]) -> frozenset[str]:
    """The effects of command lines with what each answered."""
    return effects(run(1, "please", *(("bash", {"command": line}, said) for line, said in answers)), RULES)


GONE = "<returncode>127</returncode>\nbash: line 1: pytest: command not found"
NO_MODULE = "<returncode>1</returncode>\n/usr/bin/python3: No module named pytest"
GREEN = "<returncode>0</returncode>\n12 passed in 0.3s"
RED = "<returncode>1</returncode>\nAssertionError\n1 failed, 2 passed in 0.3s"


def test_a_command_that_did_not_start_is_no_effect() -> None:
    assert ran(("pytest a", GONE), ("python3 -m pytest a", NO_MODULE), ("bin/test a", GREEN)) == {"bin/test"}
    assert ran(("pytest a || bin/test a", GONE.replace("127", "0"))) == {"bin/test"}
    assert ran(("sed -i s/a/b/ x.py && pytest a", GONE)) == {"sed -i"}
    assert ran(("pytest a", GONE)) == frozenset()


def test_what_started_once_in_any_form_is_an_effect_and_so_is_a_test_that_fails() -> None:
    assert ran(("pytest a", GONE), ("pip install pytest", "ok"), ("pytest a", GREEN)) == {"pytest"}
    assert ran(("pytest a || python -m pytest a", GONE.replace("127", "0"))) == {"pytest"}
    assert ran(("pytest a", RED)) == {"pytest"}
    assert ran(("make deploy", "")) == {"make deploy"}


def test_commands_that_are_told_apart_have_the_same_effects() -> None:
    lines = (("pytest a", GONE), ("pytest a; bin/test a", GONE), ("git commit -m x", ""))
    recorded = run(1, "please", *(("bash", {"command": line}, said) for line, said in lines))
    assert (
        effects(with_single_commands(recorded, RULES), RULES) == effects(recorded, RULES) == {"bin/test", "git commit"}
    )


def test_another_tool_with_a_command_argument_stays_a_tool() -> None:
    assert of(("robot", {"command": "rm -rf x"})) == {"robot"}


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("git commit -m 'a b' && git log", ("git commit", "git log")),
        ("FOO=1 ./bin/test x | tail -5", ("bin/test", "tail")),
        ("python bin/test x", ("bin/test",)),
        ("/usr/bin/python3.9 -m pytest a", ("pytest",)),
        ("python reproduce.py 2>&1 | head", ("python", "head")),
        ("cat <<'EOF' > a.py\nit's (broken\nEOF\npython a.py", ("cat >", "python")),
        ("cat a.py > /dev/null", ("cat",)),
        ("sed -n '1,3p' f", ("sed",)),
        ("sed -i.bak 's/a/b/' f", ("sed -i",)),
        ("find . -name '*.pyc' -delete", ("find -delete",)),
        ("find . -name x | xargs grep foo", ("find", "grep")),
        ("for f in *.py; do sed -i s/a/b/ $f; done", ("sed -i",)),
        ("git -C x status; git branch; git branch -d y", ("git status", "git branch --list", "git branch")),
        ("sudo -E apt-get install -y jq", ("apt-get install",)),
        ("timeout 60 bash -c 'npm run test'", ("npm run test",)),
        ("grep foo $(git ls-files | tail)", ("grep",)),
        ("curl -s https://x -d @body", ("POST x",)),
        ("cd x; export A=1", ("cd",)),
        ("type ls", ("sh type",)),
        ("", ()),
        (")(", ()),
        ("myenv/bin/pytest -q", ("myenv/bin/pytest",)),
        ("proj/.venv/bin/pytest -q", ("pytest",)),
        ("az login --username anna-smith", ("az login",)),
        ("gcloud --project anna compute instances list", ("gcloud compute instances",)),
        ("gh -R anna/shop pr list", ("gh pr list",)),
    ],
)
def test_kinds_of_a_command_line(line: str, kinds: tuple[str, ...]) -> None:
    assert commands.kinds(line) == kinds


@pytest.mark.parametrize("kind", ["ls", "git log", "sed", "find", "cat", "cd", "git branch --list", "python --version"])
def test_kinds_that_only_read(kind: str) -> None:
    assert commands.reads(kind)


@pytest.mark.parametrize("kind", ["sed -i", "cat >", "git commit", "pytest", "python", "rm", "type", "join", "test"])
def test_kinds_that_act(kind: str) -> None:
    assert not commands.reads(kind)


def test_a_line_of_any_length_and_shape_is_read_without_a_fault() -> None:
    for line in (
        "a" * 100_000,
        "bash -c " * 50,
        "xargs " * 5_000,
        "((((",
        "$($($(",
        "<<EOF",
        "> > >",
        "\x00 'x",
        "find . -exec",
        "xargs",
    ):
        commands.kinds(line)


@pytest.mark.parametrize(
    "ways",
    [
        [("Edit", {"file_path": "a.py"})],
        [("Write", {"file_path": "a.py"})],
        [("Edit", {"file_path": "a.py"}), ("Write", {"file_path": "b.py"})],
        [("apply_patch", {"input": "*** Begin Patch"})],
        [("Read", {"file_path": "a.py"}), ("bash", {"command": "sed -i s/a/b/ a.py"})],
    ],
)
def test_however_an_agent_with_tools_for_files_changes_them_it_is_one_effect(ways: list[tuple[str, Any]]) -> None:
    assert of(*ways, ("bash", {"command": "make test"})) == {"edit", "make test"}


def test_of_an_agent_with_a_shell_alone_changes_of_files_go_with_any_work() -> None:
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n*** End Patch\nEOF"
    for change in (patch, "sed -i s/a/b/ a.py", "cat > a.py <<'EOF'\nx\nEOF"):
        lines = ["find . -name a.py", change, "make test"]
        whole = run(1, "please", *(("bash", {"command": line}, "done") for line in lines))
        assert effects(whole, RULES) == effects(with_single_commands(whole, RULES), RULES) == {"make test"}


def test_a_linter_beside_other_commands_and_a_build_beside_tests_are_no_other_way_of_working() -> None:
    assert ran(("pytest a", GREEN), ("ruff check .", "ok"), ("mypy .", "ok")) == {"pytest"}
    assert ran(("go build ./...", "ok"), ("go test ./...", "ok")) == {"go test"}
    assert ran(("make generate", "ok"), ("make lint", "ok")) == {"make generate"}
    assert ran(("ruff check .", "ok"), ("ruff format .", "ok")) == {"ruff check", "ruff format"}


def test_a_test_command_that_only_failed_where_another_went_well_at_the_end_was_in_vain() -> None:
    unset = "<returncode>101</returncode>\nerror: `DATABASE_URL` must be set to use query macros"
    assert ran(("cargo test", unset), ("cargo nextest run", GREEN)) == {"cargo nextest"}
    assert ran(("cargo nextest run", GREEN), ("cargo test", unset)) == {"cargo nextest", "cargo test"}
