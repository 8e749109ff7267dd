"""Whose words are to be followed: what a person taught or promoted to applied. A number never makes a directive."""

from typing import Any

import pytest

from memories.intake import claims
from memories.intake.reports.claims import read, read_teaching
from memories.models import Memory
from memories.people import trust_of
from memories.search.context.assembling import directives_among
from memories.values.choices import Hold, Status
from memories.values.trust import Trust, everything
from memos_site import review
from tests.make import ANNA, AT, make_agent, make_memory, make_person

pytestmark = pytest.mark.django_db
RULE = "Run the linter before each commit"


@pytest.fixture
def bot() -> Trust:
    return make_agent("bot")[0].trust


def stored(trust: Trust, times: int = 1, **said: Any) -> Memory:
    """The same claim, so many times."""
    body = {"key": "rule", "category": "workflow", "content": RULE, "source": "P01", "confidence": 50, **said}
    for _ in range(times):
        answer = claims.store(read(body), trust=trust, at=AT)
    assert answer.memory is not None
    return Memory.objects.get(pk=answer.memory.pk)


def is_directive(memory: Memory) -> bool:
    memory.refresh_from_db()
    return memory.pk in directives_among([memory])


def test_what_climbed_by_number_is_none(bot: Trust) -> None:
    memory = stored(bot, times=9)
    assert (memory.status, is_directive(memory)) == (Status.APPLIED, False)


def test_what_a_person_only_confirmed_before_it_climbed_is_none(bot: Trust) -> None:
    memory = stored(bot)
    memory.promote(by=ANNA, at=AT)
    memory = stored(bot, times=9)
    assert (memory.status, memory.hold, is_directive(memory)) == (Status.APPLIED, Hold.FLOOR, False)


def test_what_a_person_promoted_to_applied_is_one_until_that_is_taken_back() -> None:
    memory = make_memory(RULE, category="workflow")
    entry = memory.promote(to=Status.APPLIED, by=ANNA, at=AT)
    assert is_directive(memory)
    memory.demote(to=Status.CONFIRMED, by=ANNA, at=AT)
    assert not is_directive(memory)
    memory.promote(by=ANNA, at=AT, to=Status.APPLIED)
    assert is_directive(memory)
    assert entry.actor == "anna"


def test_an_undone_demotion_leaves_what_a_number_applied_a_hint(bot: Trust) -> None:
    memory = stored(bot, times=9)
    batch = memory.demote(by=ANNA, at=AT).batch_id
    review.undo(trust_of(make_person()), batch, at=AT)
    assert (Memory.objects.get().status, is_directive(memory)) == (Status.APPLIED, False)


def test_what_a_person_taught_is_one(bot: Trust) -> None:
    taught = claims.teach(read_teaching({"content": RULE, "key": "rule"}), trust=trust_of(make_person()), at=AT)
    assert taught.memory is not None
    assert is_directive(taught.memory)
    assert is_directive(stored(bot, times=3))
    taught.memory.demote(to=Status.CONFIRMED, by=ANNA, at=AT)
    assert not is_directive(taught.memory), "a person took it back"


@pytest.fixture
def three_speakers(settings: Any) -> None:
    settings.LADDER = {**settings.LADDER, "apply_agents": 3}


@pytest.mark.usefixtures("three_speakers")
def test_one_agent_alone_applies_nothing_where_several_are_asked_for(bot: Trust) -> None:
    memory = stored(bot, times=9)
    assert (memory.status, review.explain(memory, everything()).remaining) == (
        Status.CONFIRMED,
        "Applied automatically once 2 more agents or sessions report it.",
    )
    assert stored(make_agent()[0].trust).status == Status.CONFIRMED
    assert stored(make_agent()[0].trust).status == Status.APPLIED


@pytest.mark.usefixtures("three_speakers")
def test_sessions_count_like_agents_and_one_thread_on_two_days_is_one(bot: Trust) -> None:
    assert stored(bot, times=4, confidence=100).status == Status.CONFIRMED
    assert [stored(bot, thread_id=name).status for name in ("t1", "t2", "t3")] == ["confirmed", "confirmed", "applied"]
    memory = Memory.objects.get()
    memory.evidence.filter(occasion__contains="t3").update(occasion="thread:P01/t2:2026-03-02")
    assert memory.evidence.agents_or_sessions() == 2
