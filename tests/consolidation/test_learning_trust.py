"""What runs teach stays at their level: a skill learns nothing from more secret runs, nor do these make it unripe."""

import json

import pytest

from consolidation.models import Pattern
from memories.models import Memory
from memories.values.choices import Sensitivity
from skills.models import SkillVersion
from tests.consolidation.experience import consolidated, messages, run

pytestmark = pytest.mark.django_db


def learnt() -> dict[str, tuple[str, int]]:
    """Of each level: the words of its skill, and how many runs it counts."""
    versions = SkillVersion.objects.select_related("skill__memory__performance").order_by("number")
    return {
        Sensitivity(one.skill.memory.sensitivity).label: (
            json.dumps(one.fields) + one.skill_md + json.dumps(one.skill.memory.payload),
            one.skill.memory.performance.successes,
        )
        for one in versions
    }


def secret_runs(tools: list[str], n: int) -> None:
    """Runs that say and call what no other run does."""
    for number in range(n):
        said = messages(tools, opening="merge the takeover of Zephyr quietly")
        run(tools, messages=said, sensitivity="high", thread_id=f"secret-{number}", minutes=number)


def test_a_competence_of_low_sensitivity_learns_nothing_from_more_secret_runs() -> None:
    secret_runs(["build", "deploy"], 6)
    for number in range(4):
        opening = "please build and deploy the site"
        run(["build", "deploy"], messages=messages(["build", "deploy"], opening=opening), thread_id=f"t{number}")
    consolidated()
    found = learnt()
    assert {level: runs for level, (_, runs) in found.items()} == {"low": 4, "high": 6}
    for word in ("takeover", "zephyr", "quietly"):
        assert word not in found["low"][0].lower()


def test_nor_does_it_say_what_more_secret_runs_did_instead_and_failed() -> None:
    opening = "please build and deploy the site"
    for number in range(6):
        run(["build", "deploy"], messages=messages(["build", "deploy"], opening=opening), thread_id=f"t{number}")
        said = messages(["build", "bribe_inspector"], opening=opening)
        run([], "failure", sensitivity="high", messages=said, thread_id=f"secret-{number}")
        run([], sensitivity="high", messages=messages(["build", "deploy"], opening=opening), thread_id=f"s{number}")
    consolidated()
    found = learnt()
    assert "bribe_inspector" in found["high"][0], "or this test shows nothing"
    assert "bribe_inspector" not in found["low"][0]


def test_the_runs_of_another_sensitivity_do_not_make_a_pattern_unripe() -> None:
    """Its parts are skills, but only above it: below, nothing says yet what it does."""
    for tools in (["build"], ["deploy"]):
        secret_runs(tools, 3)
    consolidated()
    run(["build", "deploy"], sensitivity="low", thread_id="a")
    run(["build", "deploy"], sensitivity="low", thread_id="b")
    consolidated()
    low = Pattern.objects.filter(sensitivity=Sensitivity.LOW)
    assert [pattern.memory is not None for pattern in low] == [True]
    assert Memory.objects.filter(type="competence", sensitivity=Sensitivity.LOW).count() == 1


def test_of_one_sensitivity_its_parts_do() -> None:
    for tools in (["build"], ["deploy"]):
        for number in range(3):
            run(tools, sensitivity="low", thread_id=f"{tools[0]}-{number}")
    consolidated()
    run(["build", "deploy"], sensitivity="low", thread_id="a")
    run(["build", "deploy"], sensitivity="low", thread_id="b")
    consolidated()
    assert Memory.objects.filter(type="competence").count() == 2
