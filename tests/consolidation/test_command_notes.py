"""A check says of a command that it does not start in the repository at hand, and what starts there instead."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import ActorKind, Sensitivity, Status
from memories.values.trust import Actor
from tests.consolidation.experience import NOON
from tests.consolidation.test_command_facts import (
    BROKEN,
    DOES_NOT,
    MISSING,
    PASSED,
    STARTS,
    commands,
    digested,
    facts,
    nine_runs,
)
from tests.make import caller
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
NOTE = "`pytest` did not start in 4 of 4 runs in `sympy`; `bin/test` started in 5 of 5"
MEND = {"role": "user", "content": "mend it"}
Json = dict[str, Any]


def checked(line: str, client: APIClient | None = None, argument: str = "command", **body: Any) -> Json:
    asked = {"about_to": {"tool": "bash", "arguments": {argument: line}}, **({"task": "mend it"} | body)}
    told: Any = (client or caller(clearance=Sensitivity.MEDIUM)).post(
        "/api/v1/guidance", {name: value for name, value in asked.items() if value is not None}, format="json"
    )
    assert told.status_code == 200, told.content
    return dict(told.json())


def notes(line: str, client: APIClient | None = None, argument: str = "command", **body: Any) -> list[Json]:
    return list(checked(line, client, argument, **body)["check"]["arguments"])


def so_far(*lines: tuple[str, str]) -> list[Json]:
    """The messages of a run that called these commands."""
    said: list[Json] = [MEND]
    for n, (line, result) in enumerate(lines):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "bash", "arguments": {"command": line}}}
        said.append({"role": "assistant", "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{n}", "content": result})
    return said


@shared_rows
def counted() -> None:
    """Nine runs that are counted."""
    nine_runs()


@pytest.mark.parametrize("line", ["pytest sympy/core", "cd /testbed && pytest -q sympy/core", "PYTHONPATH=. pytest"])
def test_what_does_not_start_is_said_with_what_does(line: str, counted: None) -> None:
    assert notes(line) == [{"pointer": "/arguments/command", "note": NOTE}]
    assert notes(line, argument="cmd") == [{"pointer": "/arguments/cmd", "note": NOTE}]


def test_a_run_that_could_not_start_a_command_supports_no_call_of_it() -> None:
    for _ in range(4):
        commands(DOES_NOT, STARTS)
    digested()
    told = checked("pytest sympy/core")
    assert told["expected"]["effects"] == ["bin/test"]
    assert told["check"]["verdict"] == "advised_against"
    assert told["check"]["text"] == "No similar case ran `pytest`; 4 of 4 ended well without it."
    assert [run["called"] for run in told["check"]["runs"]] == [False] * 4
    started = checked("bin/test sympy/core")["check"]
    assert (started["verdict"], started["text"]) == (
        "supported",
        "4 of 4 similar cases that ran `bin/test` ended well.",
    )


@pytest.mark.parametrize("line", ["bin/test sympy/core", "python -m pytest sympy", "ls sympy", "pytest 'sympy", ""])
def test_nothing_is_said_of_what_starts_or_is_not_known(line: str, counted: None) -> None:
    assert notes(line) == []


def test_a_program_that_only_reads_may_be_missing_too() -> None:
    for _ in range(3):
        commands(("rg Symbol sympy/core", "<returncode>127</returncode>\nbash: line 1: rg: command not found"))
    digested()
    assert [told["note"] for told in notes("rg zeta sympy")] == ["`rg` did not start in 3 of 3 runs in `sympy`"]


def test_another_repository_learns_nothing_from_it(counted: None) -> None:
    for _ in range(3):
        commands(("pytest sphinx/ext", PASSED), repository="sphinx")
    digested()
    assert notes("pytest sphinx/ext") == []
    assert notes("pytest -q") == []  # in which of the two?
    assert [told["note"] for told in notes("pytest -q sympy/core")] == [NOTE]
    looked = so_far(("cat sympy/core/basic.py", "class Basic"))
    assert [told["note"] for told in notes("pytest -q", task=None, messages=looked)] == [NOTE]


def test_the_only_repository_of_a_scope_is_meant_by_its_folders() -> None:
    nine_runs(repository="https://git.example.org/tools/solver.git")
    told = NOTE.replace("`sympy`", "`tools/solver`")
    assert [note["note"] for note in notes("pytest sympy/core")] == [told]
    assert [note["note"] for note in notes("pytest -q solver/core")] == [told]


def test_a_repository_with_an_owner_is_known_by_its_folder() -> None:
    nine_runs(repository="https://git.example.org/tools/solver.git")
    for _ in range(3):
        commands(("pytest sphinx/ext", PASSED), repository="sphinx")
    digested()
    assert [told["note"] for told in notes("pytest solver/core")] == [NOTE.replace("`sympy`", "`tools/solver`")]
    assert notes("pytest sympy/core") == []


def test_what_starts_now_and_then_is_not_said(counted: None) -> None:
    for answer in (PASSED, MISSING):
        commands(("pytest sympy/core", answer))
        digested()
    assert notes("pytest sympy/core") == []


def test_what_starts_on_another_level_is_not_said_to_who_sees_both(counted: None) -> None:
    for _ in range(5):
        commands(("pytest sympy/core", PASSED), sensitivity="high")
    digested()
    assert notes("pytest sympy/core") != []
    assert notes("pytest sympy/core", caller(clearance=Sensitivity.HIGH)) == []


def test_what_started_in_this_run_is_left_alone(counted: None) -> None:
    installed = so_far(("pip install pytest", PASSED), ("pytest sympy/core", PASSED))
    assert notes("pytest sympy/core", task=None, messages=installed) == []


def test_a_person_who_dismisses_the_fact_ends_the_notes(counted: None) -> None:
    (fact,) = facts()
    fact.revise("dismiss", {"status": Status.DISMISSED}, by=PERSON, why="no", at=NOON)
    assert notes("pytest sympy/core") == []


def test_a_fact_whose_time_is_over_is_not_told(counted: None) -> None:
    Memory.objects.filter(pk=facts()[0].pk).update(expires_at=NOON, deletion_policy="manual_only")
    assert notes("pytest sympy/core") == []


def test_a_flagged_fact_is_not_told(counted: None) -> None:
    facts()[0].revise("edit", {"flags": ["instructions"]}, by=PERSON, why="", at=NOON)
    assert notes("pytest sympy/core") == []


def test_what_turned_is_not_said(counted: None) -> None:
    for _ in range(3):
        commands(("bin/test sympy/core", BROKEN))
    digested()
    assert notes("pytest sympy/core") == []


def test_nobody_learns_what_runs_above_a_clearance_or_in_another_scope_showed() -> None:
    nine_runs(sensitivity="high")
    assert notes("pytest sympy/core") == []
    assert notes("pytest sympy/core", caller(clearance=Sensitivity.HIGH)) != []
    elsewhere = caller(clearance=Sensitivity.HIGH, scopes=["project:other"])
    assert notes("pytest sympy/core", elsewhere) == []
    assert notes("pytest sympy/core", caller(clearance=Sensitivity.HIGH), scopes=["project:other"]) == []


def test_a_memory_that_a_person_made_more_secret_is_not_told(counted: None) -> None:
    facts()[0].revise("edit", {"sensitivity": Sensitivity.HIGH}, by=PERSON, why="", at=NOON)
    assert notes("pytest sympy/core") == []


def test_what_secret_runs_showed_stays_secret_though_a_person_lowered_the_memory() -> None:
    nine_runs(sensitivity="high")
    facts()[0].revise("edit", {"sensitivity": Sensitivity.LOW}, by=PERSON, why="", at=NOON)
    assert notes("pytest sympy/core") == []
