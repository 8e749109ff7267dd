"""What one coding agent has learned another is told in the names of its own tools."""

from typing import Any

import pytest

from consolidation.learning.runs.harness_tools import HARNESSES, canonical, names_of
from tests.consolidation.experience import consolidated, run
from tests.make import answer, call, caller, user

FILE = {"file_path": "/r/add.py"}
Json = dict[str, Any]


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("Bash", {"command": "ls"}, "bash"),
        ("run_shell_command", {"command": "ls"}, "bash"),
        ("exec_command", {"cmd": "ls"}, "bash"),
        ("Edit", FILE, "edit"),
        ("replace", FILE, "edit"),
        ("edit", {"filePath": "/r/add.py"}, "edit"),
        ("apply_patch", {}, "edit"),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "a"}, "edit"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, "read"),
        ("create", {"path": "/r/add.py"}, "write"),
        ("WebFetch", {"url": "https://example.com"}, "fetch"),
        ("todo_write", {}, "plan"),
        ("replace", {"order_id": 7}, "replace"),  # a shop's
        ("create", {"ticket": "T1"}, "create"),
        ("cancel_order", {}, "cancel_order"),
    ],
)
def test_tools_of_harnesses_that_do_the_same_have_one_name(tool: str, arguments: Json, kind: str) -> None:
    assert canonical(tool, arguments) == kind


def test_a_harness_is_known_by_its_source_or_by_the_tools_that_it_called() -> None:
    assert names_of("", ("write_file",))["edit"] == "write_file", "the effect of an agent that has no other"
    assert names_of("gemini-cli")["edit"] == "replace"
    assert {names_of(source)["bash"] for source in HARNESSES} == {"Bash", "bash", "run_shell_command", "Shell"}
    assert names_of("gemini-cli", ("Edit",))["edit"] == "replace"
    assert names_of("my-agent", ("replace", "cancel_order")) == {"edit": "replace"}


def fixing(tool: str, n: int) -> list[Json]:
    wish = user(f"Fix the function add in ticket T{n}00{n}, its sign is wrong")
    return [wish, call("Read", **FILE), answer("return a - b"), call(tool, "c2", **FILE), answer("updated", "c2")]


@pytest.mark.django_db
def test_gemini_is_told_of_claudes_edits_as_its_own_replace() -> None:
    for n in range(6):
        run([], "success", source="claude-code", thread_id=f"case-{n}", messages=fixing("Edit", n))
    consolidated()
    asked = {"messages": fixing("replace", 9)[:3], "about_to": {"tool": "replace", "arguments": FILE}}
    told: Any = caller().post("/api/v1/guidance", {**asked, "source": "gemini-cli"}, format="json").json()
    assert told["check"]["verdict"] != "advised_against"
    assert told["check"]["well_with"] == 6
    assert "`replace`" in told["check"]["text"]
    assert [similar["effects"] for similar in told["similar"]] == [["replace"]] * len(told["similar"])
    again: Any = caller().post("/api/v1/guidance", {**asked, "source": "claude-code"}, format="json").json()
    assert "`Edit`" in again["check"]["text"]


@pytest.mark.django_db
@pytest.mark.parametrize("asked", [{"source_plugin": "gemini-cli"}, {}], ids=["by its source", "by what it called"])
def test_a_verdict_names_tools_as_its_caller_does(asked: Json) -> None:
    for n in range(6):
        run([], "success", source="claude-code", thread_id=f"case-{n}", messages=fixing("Edit", n))
    consolidated()
    told: Any = caller().post("/api/v1/verdict", {"messages": fixing("replace", 9), **asked}, format="json").json()
    assert told["expected"]["effects"] == ["replace"]
    assert [similar["effects"] for similar in told["similar"]] == [["replace"]] * 6
