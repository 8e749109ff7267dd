"""Which learned skills a person is asked about: those that say enough for the next run."""

from datetime import timedelta

import pytest
from django.test import Client

from consolidation.models import Pattern
from memories import search
from memories.models import Memory
from memories.values.choices import ActorKind
from memories.values.trust import Actor, everything
from memos_site import review
from tests.consolidation.experience import NOON, competence, consolidated, messages, run
from tests.consolidation.test_effect_patterns import command_lines, effects_of_skills
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
PERSON = Actor(ActorKind.PERSON, "Rita")
Effects = tuple[str, ...]


def waiting() -> list[Effects]:
    trust, at = everything(PERSON), NOON + timedelta(days=2)
    rows = review.waiting_memories(trust, at=at, kind="competence")
    parts = review.waiting_parts(trust, at=at, kind="competence")
    assert {row.pk for part in parts.values() for row in part} == {row.pk for row in rows}
    return sorted(tuple(row.payload["effects"]) for row in rows)


WISHES = {
    "pause": "please hold my newsletter for a while",
    "pause+move": "send the magazine to another flat and hold it until then",
    "cancel_order": "the blender is not needed anymore",
}


def wished(tools: list[str], minutes: int) -> None:
    run(tools, messages=messages(tools, opening=WISHES["+".join(tools)]), minutes=minutes)


def test_what_changes_nothing_or_says_no_more_than_its_name_waits_for_nobody() -> None:
    for minute in range(12):
        said = messages(["get_user"], opening="is my warranty still valid?")
        run(["get_user"], messages=said, minutes=20 + minute)
    for minute in range(4):
        run(["cancel_order"], messages=messages(["cancel_order"], opening="please cancel my order"), minutes=minute)
        run(
            ["create_ticket"],
            messages=messages(["create_ticket"], opening="please create a ticket"),
            minutes=10 + minute,
        )
        wished(["pause"], 40 + minute)
    consolidated()
    assert sorted(effects_of_skills()) == [(), ("cancel_order",), ("create_ticket",), ("pause",)]
    assert "warranty" in Pattern.objects.get(effects=[]).memory.content  # type: ignore[union-attr]
    assert waiting() == [("pause",)]


def test_to_change_nothing_is_a_lesson_without_a_button_to_publish_it() -> None:
    for minute in range(2):
        run(["get_user"], minutes=minute)
        run(["pause"], minutes=10 + minute)
    consolidated()
    client = signed_in()
    pages = {key: page_of(client, competence(key)) for key in ("no_action", "pause")}
    assert 'value="promote' in pages["pause"] and "The lesson is to change nothing" not in pages["pause"]
    assert 'value="promote' not in pages["no_action"] and "The lesson is to change nothing" in pages["no_action"]


def page_of(client: Client, memory: Memory) -> str:
    return client.get(f"/memories/{memory.pk}/").content.decode()


def test_what_ended_well_alone_in_one_case_is_kept_and_does_not_wait() -> None:
    wished(["pause"], 0)
    wished(["pause", "move"], 1)
    for minute in range(6):
        wished(["cancel_order"], 2 + minute)
        run(["get_user"], messages=messages(["get_user"], opening="is my warranty still valid?"), minutes=30 + minute)
    consolidated()
    assert sorted(effects_of_skills()) == [(), ("cancel_order",), ("pause",)]
    assert waiting() == [("cancel_order",)]
    for minute in range(4):
        wished(["pause"], 10 + minute)
    consolidated(at=NOON + timedelta(hours=2))
    assert waiting() == [("cancel_order",), ("pause",)]


def test_few_cases_of_what_is_mostly_a_part_of_more_do_not_wait() -> None:
    for minute in range(2):
        wished(["pause"], minute)
    for minute in range(5):
        wished(["pause", "move"], 10 + minute)
        run(["get_user"], messages=messages(["get_user"], opening="is my warranty still valid?"), minutes=30 + minute)
    consolidated()
    assert sorted(effects_of_skills()) == [(), ("move", "pause"), ("pause",)]
    assert waiting() == [("move", "pause")]
    for minute in range(3):
        wished(["pause"], 20 + minute)
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


def test_two_ways_for_one_request_are_one_question_and_the_better_one_is_selected() -> None:
    """Ten identical requests: the first way ended well in 4 of 4, the second in 2 of 6."""
    ask = "I want another seat, please"
    for n in range(4):
        run(["swap_seat"], messages=messages(["swap_seat"], opening=ask), minutes=n)
    second = ["cancel_booking", "create_booking"]
    for n in range(6):
        run(second, "success" if n < 2 else "failure", messages=messages(second, opening=ask), minutes=10 + n)
    consolidated()
    assert waiting() == [("swap_seat",)]
    [better] = Memory.objects.filter(payload__effects=["swap_seat"])
    assert "4 of 4 ended well with it, 2 of 6 with `cancel_booking` plus `create_booking`." in better.content
    asked = {"query": ask, "types": ["competence"], "scopes": ["project:acme"], "include_candidates": True}
    found = search.search(search.check(asked), trust=everything(PERSON), at=NOON + timedelta(hours=2))
    assert [result.memory for result in found.results[:1]] == [better]
    assert found.selection is not None
    assert found.selection.selected[0] == better.pk
