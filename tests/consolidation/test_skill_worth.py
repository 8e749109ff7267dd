"""What a skill is worth over recorded runs, and offers of it that are withheld from some of them."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client, override_settings
from rest_framework.test import APIClient

from consolidation.guidance import holdback
from consolidation.guidance.holdback import Arm, Arms
from consolidation.models.worth import SkillOffer, SkillWorth
from memories.models import Memory, Proposal
from memories.values.choices import Outcome, Sensitivity, Status, Type
from memories.values.trust import SYSTEM
from skills import publishing
from skills.models import SkillVersion
from tests.consolidation.experience import NOON, consolidated
from tests.consolidation.test_guidance import SCOPE, ask, learn
from tests.make import caller, make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent() -> APIClient:
    return caller(clearance=Sensitivity.MEDIUM)


@pytest.fixture
def skill() -> Memory:
    """Learned from six cases that ended well with it and two that ended ill without, and published."""
    for n in range(6):
        learn(n, "cancel_ticket")
    for n in (6, 7):
        learn(n, outcome="failure")
    consolidated()
    memory = Memory.objects.get(type=Type.COMPETENCE, payload__effects=["cancel_ticket"])
    publishing.publish(memory, by=SYSTEM, at=NOON, batch=uuid4())
    return Memory.objects.get(pk=memory.pk)


def test_a_skill_says_how_runs_that_would_be_led_to_it_ended(skill: Memory) -> None:
    worth = SkillWorth.objects.get(pk=skill.pk)
    assert (worth.runs, worth.routed) == (8, 8)
    assert (worth.followed_well, worth.followed_ill, worth.otherwise_well, worth.otherwise_ill) == (6, 0, 0, 2)
    assert (worth.gained, worth.lost, worth.is_weak) == (2, 0, False)
    assert worth.diverging == "the failed run did not call `cancel_ticket`"
    assert len(worth.cases) == 8
    assert worth.weight > 0


@pytest.mark.parametrize(
    ("followed", "otherwise", "weak"),
    [
        ((6, 0), (0, 0), False),
        ((6, 2), (0, 3), False),
        ((2, 2), (2, 1), True),
        ((3, 1), (3, 1), True),
        ((0, 1), (9, 0), False),
    ],
)
def test_a_skill_is_weak_when_runs_speak_against_it(
    followed: tuple[int, int], otherwise: tuple[int, int], weak: bool
) -> None:
    worth = SkillWorth()
    worth.followed_well, worth.followed_ill = followed
    worth.otherwise_well, worth.otherwise_ill = otherwise
    assert worth.is_weak == weak


def test_the_page_and_the_inbox_say_what_it_is_worth(skill: Memory) -> None:
    for n in range(30, 33):
        learn(n, "rebook_ticket", wish="Please rebook my flight {n} to another day, I am ill")
    consolidated(at=NOON + timedelta(hours=3))
    client = Client()
    client.force_login(make_person(group="reviewer"))
    page = client.get(f"/memories/{skill.pk}/").content.decode()
    assert "would be routed here" in page
    assert "the most similar one that did not" in page
    inbox = client.get("/").content.decode()
    assert "Of the last 11 runs 3 would be routed here" in inbox


def test_a_published_skill_is_offered_with_its_steps(agent: APIClient, skill: Memory) -> None:
    told = ask(agent)
    assert (told["decision"], told["skill"]["memory_id"]) == ("skill", str(skill.pk))
    assert 1 <= len(told["skill"]["steps"]) <= 5
    package: Any = agent.get(told["skill"]["url"])
    assert package.status_code == 200
    assert b"".join(package.streaming_content)[:2] == b"PK"
    assert (told["offer_id"], told["withheld"], SkillOffer.objects.count()) == (None, False, 0)


@pytest.mark.parametrize(
    ("well", "by", "steps"),
    [
        (3, SkillVersion.MadeBy.CONSOLIDATION, False),
        (1, SkillVersion.MadeBy.CONSOLIDATION, True),
        (3, SkillVersion.MadeBy.EDIT, True),
    ],
)
def test_of_a_weak_skill_only_the_lessons_are_offered(
    agent: APIClient, skill: Memory, well: int, by: SkillVersion.MadeBy, steps: bool
) -> None:
    """Of six that followed it all ended well; so did those that did otherwise, or a part of them. Of what people wrote
    the steps are offered."""
    SkillWorth.objects.filter(pk=skill.pk).update(otherwise_well=well, otherwise_ill=3 - well)
    SkillVersion.objects.filter(skill=skill.pk).update(made_by=by)
    before = SkillVersion.objects.get(skill=skill.pk)
    SkillVersion.objects.filter(pk=before.pk).update(fields={**before.fields, "failure_modes": ["The fare was basic."]})
    told = ask(agent)
    assert told["decision"] == "skill"
    assert "The fare was basic." in told["skill"]["avoid"]
    assert (bool(told["skill"]["steps"]), bool(told["skill"]["summary"])) == (steps, True)


def test_a_run_is_offered_a_skill_once_however_often_it_asks(agent: APIClient, skill: Memory) -> None:
    first, again, other = (ask(agent, thread_id=thread) for thread in ("t-1", "t-1", "t-2"))
    assert first["offer_id"] == again["offer_id"] != other["offer_id"]
    assert SkillOffer.objects.count() == 2


@override_settings(SKILL_HOLDBACK=0.5)
def test_a_share_of_the_runs_does_without_and_always_alike(agent: APIClient, skill: Memory) -> None:
    told = {n: ask(agent, thread_id=f"t-{n}") for n in range(40)}
    withheld = {n for n, one in told.items() if one["withheld"]}
    assert 8 <= len(withheld) <= 32
    for n in withheld:
        assert (told[n]["decision"], told[n]["skill"], told[n]["expected"]["effects"]) == ("unsure", None, [])
    assert {n for n in range(40) if ask(agent, thread_id=f"t-{n}")["withheld"]} == withheld


@override_settings(SKILL_HOLDBACK=0.5)
def test_nothing_is_withheld_from_a_nameless_run_and_no_skill_of_a_person(agent: APIClient, skill: Memory) -> None:
    assert not ask(agent)["withheld"]
    SkillVersion.objects.filter(skill=skill.pk).update(made_by=SkillVersion.MadeBy.EDIT)
    assert not any(ask(agent, thread_id=f"t-{n}")["withheld"] for n in range(12))


def test_how_the_run_ended_is_written_to_its_offer(agent: APIClient, skill: Memory) -> None:
    SkillOffer.objects.create(memory=skill, version=1, scope=SCOPE, thread_id="t-1", agent="a", withheld=False, at=NOON)
    learn(20, "cancel_ticket", thread_id="t-1", minutes=5)
    consolidated(at=NOON + timedelta(hours=2))
    assert SkillOffer.objects.get().outcome == Outcome.SUCCESS


def test_an_offer_that_was_made_after_a_run_had_ended_is_not_about_that_run(skill: Memory) -> None:
    """The thread goes on: what is offered to its next run is settled with that one."""
    facts: dict[str, Any] = {"memory": skill, "version": 1, "scope": SCOPE, "agent": "a", "withheld": False}
    SkillOffer.objects.create(thread_id="t-1", at=NOON + timedelta(hours=1), **facts)
    learn(20, "cancel_ticket", thread_id="t-1", minutes=5)
    consolidated(at=NOON + timedelta(hours=2))
    assert SkillOffer.objects.get().outcome == ""


def test_offers_that_do_harm_beyond_doubt_are_put_before_a_person_once(skill: Memory) -> None:
    ended = {False: Outcome.FAILURE, True: Outcome.SUCCESS}
    facts: dict[str, Any] = {"memory": skill, "version": 1, "scope": SCOPE, "agent": "a", "at": NOON}
    SkillOffer.objects.bulk_create(
        SkillOffer(thread_id=f"{withheld}-{n}", withheld=withheld, outcome=ended[withheld], **facts)
        for withheld in (False, True)
        for n in range(40)
    )
    Memory.objects.filter(pk=skill.pk).update(sensitivity=Sensitivity.HIGH)
    assert [holdback.flag_harm(SCOPE, at=NOON) for _ in range(2)] == [1, 1]
    proposal = Proposal.objects.get(kind=Proposal.Kind.FAILING)
    assert "0 of 40 runs that were offered this skill ended well, and 40 of 40" in proposal.why
    assert proposal.sensitivity == Sensitivity.HIGH
    assert Memory.objects.get(pk=skill.pk).status == Status.CONFIRMED


@pytest.mark.parametrize(
    ("offered", "withheld", "harms"),
    [((0, 0), (9, 9), False), ((10, 5), (10, 9), False), ((200, 60), (200, 150), True), ((200, 150), (200, 60), False)],
)
def test_harm_is_told_from_chance(offered: tuple[int, int], withheld: tuple[int, int], harms: bool) -> None:
    arms = Arms(Arm(*offered), Arm(*withheld))
    low, high = arms.difference
    assert -1 <= low < high <= 1
    assert arms.harms == harms


@pytest.mark.parametrize(
    ("offered", "withheld", "sentence"),
    [
        ((2, 3), (0, 0), "there is nothing to compare yet."),
        ((3, 4), (1, 2), "Of 100 runs that get it, anything from 100 fewer to 100 more may end well"),
        ((150, 200), (60, 200), "<strong>It helps.</strong> Of 100 runs that get it, between 21 and 69 more end well."),
        ((60, 200), (150, 200), "It does harm.</strong> Of 100 runs that get it, between 21 and 69 fewer end well."),
    ],
)
def test_the_page_says_in_words_what_both_kinds_of_runs_tell(
    skill: Memory, offered: tuple[int, int], withheld: tuple[int, int], sentence: str
) -> None:
    facts: dict[str, Any] = {"memory": skill, "version": 1, "scope": SCOPE, "agent": "a", "at": NOON}
    for kept, (well, runs) in ((False, offered), (True, withheld)):
        ended = [Outcome.SUCCESS] * well + [Outcome.FAILURE] * (runs - well)
        SkillOffer.objects.bulk_create(
            SkillOffer(thread_id=f"{kept}-{n}", withheld=kept, outcome=one, **facts) for n, one in enumerate(ended)
        )
    client = Client()
    client.force_login(make_person(group="reviewer"))
    page = " ".join(client.get(f"/memories/{skill.pk}/").content.decode().split())
    assert sentence in page
    assert f"{offered[0]} of {offered[1]}" in page
