"""Which learned skills a person is asked about: those that say enough for the next run."""

from datetime import timedelta

import pytest

from consolidation.models import Pattern
from memories.models import Memory
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything
from memos_site import review
from tests.consolidation.experience import NOON, consolidated, messages, run
from tests.consolidation.test_effect_patterns import command_lines, effects_of_skills

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
Effects = tuple[str, ...]


def waiting() -> list[Effects]:
    trust, at = everything(PERSON), NOON + timedelta(days=2)
    rows = review.waiting_memories(trust, at=at, kind="competence")
    parts = review.waiting_parts(trust, at=at, kind="competence")
    assert {row.pk for part in parts.values() for row in part} == {row.pk for row in rows}
    return sorted(tuple(row.payload["effects"]) for row in rows)


def test_a_skill_that_changes_nothing_waits_only_when_it_says_when() -> None:
    for minute in range(4):
        run(["get_user"], messages=messages(["get_user"], opening="please build it"), minutes=minute)
    for minute in range(4):
        run(["cancel_order"], minutes=10 + minute)
    consolidated()
    assert sorted(effects_of_skills()) == [(), ("cancel_order",)]
    assert waiting() == [("cancel_order",)]
    for minute in range(12):
        said = messages(["get_user"], opening="is my warranty still valid?")
        run(["get_user"], messages=said, minutes=20 + minute)
    consolidated(at=NOON + timedelta(hours=2))
    assert "warranty" in Pattern.objects.get(effects=[]).memory.content  # type: ignore[union-attr]
    assert waiting() == [(), ("cancel_order",)]


def test_what_ended_well_alone_in_one_case_is_kept_and_does_not_wait() -> None:
    run(["pause"])
    run(["pause", "move"], minutes=1)
    run(["cancel_order"], minutes=2)
    run(["cancel_order"], minutes=3)
    consolidated()
    assert sorted(effects_of_skills()) == [("cancel_order",), ("pause",)]
    assert waiting() == [("cancel_order",)]
    run(["pause"], minutes=4)
    consolidated(at=NOON + timedelta(hours=2))
    assert waiting() == [("cancel_order",), ("pause",)]


def test_few_cases_of_what_is_mostly_a_part_of_more_do_not_wait() -> None:
    for minute in range(2):
        run(["pause"], minutes=minute)
    for minute in range(5):
        run(["pause", "move"], minutes=10 + minute)
    consolidated()
    assert sorted(effects_of_skills()) == [("move", "pause"), ("pause",)]
    assert waiting() == [("move", "pause")]
    for minute in range(3):
        run(["pause"], minutes=20 + minute)
    consolidated(at=NOON + timedelta(hours=2))
    assert waiting() == [("move", "pause"), ("pause",)]


def test_commands_that_start_in_several_places_are_no_skill_and_those_of_one_place_are() -> None:
    for minute in range(3):
        for place in ("sympy", "flask"):
            lines = command_lines(f"cd /testbed && pytest {place}/core/test_{minute}.py")
            run(["bash"], messages=lines, minutes=minute)
        run(["bash"], messages=command_lines(f"cd /testbed && bin/test sympy/test_{minute}.py"), minutes=10 + minute)
    consolidated()
    assert effects_of_skills() == [("bin/test",)]
    assert Memory.objects.filter(type="competence", status="candidate").count() == 1
    assert not Pattern.objects.filter(due=True).exists()
