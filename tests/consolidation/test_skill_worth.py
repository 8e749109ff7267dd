"""What a skill is worth over recorded runs, and offers of it that are withheld from some of them."""

from collections import Counter
from datetime import timedelta
from statistics import median
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client, override_settings
from rest_framework.test import APIClient

from consolidation.guidance import offer_benefit
from consolidation.guidance.anytime import answer_of
from consolidation.models.worth import SkillOffer, SkillWorth
from memories.models import Memory, Proposal
from memories.values.choices import Outcome, Type
from memories.values.trust import SYSTEM
from skills import publishing
from skills.models import SkillVersion
from tests.benchmarks.skill_effects import series
from tests.consolidation.experience import NOON, consolidated
from tests.consolidation.test_guidance import SCOPE, ask, learn
from tests.make import make_person
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
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


def test_files_that_change_a_command_with_its_arguments_and_what_does_not_start_are_offered_too(
    agent: APIClient, skill: Memory
) -> None:
    """A stored `<value>` would reach the agent as `&lt;value>`: a block for a prompt escapes it."""
    (effect,) = skill.payload["effects"]
    version = SkillVersion.objects.get(skill=skill.pk)
    idle = "Do not lose time with what does not start here: `pytest` (started in 0 of 3 runs)."
    files = "Change the files (`cat >`); of 6 runs: `shop/models.py` (6) and `changes/*.md` (5)."
    plain = "Change the files (`sed -i`)."
    acts = [f"Run `{effect} app=<value>`.", f"Call `{effect}`.", f"Run `vendor/bin/sail {effect} all`."]
    steps = [
        "Look with `get_ticket`.",
        f"Look with `a` for {effect} and `b`.",
        files,
        plain,
        *acts,
        f"Call `{effect}s`.",
        idle,
    ]
    procedure = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    SkillVersion.objects.filter(pk=version.pk).update(fields={**version.fields, "procedure": procedure})
    told = ask(agent)["skill"]
    assert told["steps"] == [files, plain, f"Run `{effect} app={{value}}`.", *acts[1:]]
    assert told["avoid"][0] == idle


def test_a_skill_whose_time_is_over_is_offered_to_nobody(agent: APIClient, skill: Memory) -> None:
    Memory.objects.filter(pk=skill.pk).update(expires_at=NOON, deletion_policy="manual_only")
    assert ask(agent)["skill"] is None


@pytest.mark.parametrize(
    ("well", "by", "steps", "lessons"),
    [
        (3, SkillVersion.MadeBy.CONSOLIDATION, False, True),
        (1, SkillVersion.MadeBy.CONSOLIDATION, True, False),
        (3, SkillVersion.MadeBy.EDIT, True, True),
    ],
)
def test_of_a_weak_skill_only_the_lessons_are_offered(
    agent: APIClient, skill: Memory, well: int, by: SkillVersion.MadeBy, steps: bool, lessons: bool
) -> None:
    """Of six that followed it all ended well; so did those that did otherwise, or a part of them. Of what people wrote
    both are offered."""
    SkillWorth.objects.filter(pk=skill.pk).update(otherwise_well=well, otherwise_ill=3 - well)
    SkillVersion.objects.filter(skill=skill.pk).update(made_by=by)
    before = SkillVersion.objects.get(skill=skill.pk)
    SkillVersion.objects.filter(pk=before.pk).update(fields={**before.fields, "failure_modes": ["The fare was basic."]})
    told = ask(agent)
    assert told["decision"] == "skill"
    assert ("The fare was basic." in told["skill"]["avoid"]) == lessons
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


@override_settings(SKILL_HOLDBACK=0.5)
def test_a_skill_that_a_run_does_without_is_not_found_by_it_whichever_name_it_gives(
    agent: APIClient, skill: Memory
) -> None:
    threads = [f"t-{n}" for n in range(12)]
    runs = {thread: str(learn(50 + n, "cancel_ticket", thread_id=thread).pk) for n, thread in enumerate(threads)}
    without = {thread for thread in threads if ask(agent, thread_id=thread)["withheld"]}
    assert 0 < len(without) < len(threads)
    assert {thread for thread in threads if ask(agent, episode_id=runs[thread])["withheld"]} == without
    assert SkillOffer.objects.count() == len(threads), "a run that gives its other name is the same run"

    def finds(**named: str) -> list[bool]:
        found = [
            agent.post("/api/v1/search", {"query": query, "types": ["competence"], **named}, format="json").json()
            for query in ("cancel the ticket", "")
        ]
        tools: Any = [
            agent.post(f"/api/v1/tools/{tool}", {"text": "cancel the ticket", **named}, format="json").json()
            for tool in ("memory_query", "skill_search")
        ]
        return [*(str(skill.pk) in str(one) for one in found), *("cancel" in str(one) for one in tools)]

    assert finds() == [True] * 4
    for thread, episode in runs.items():
        expected = [thread not in without] * 4
        assert finds(for_run=thread) == finds(for_run=episode) == expected, thread


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


def offers(skill: Memory, offered: tuple[int, int], withheld: tuple[int, int], *, version: int = 1) -> None:
    """Offers whose runs have ended, (well, all) of each arm, in turns as a lot of one half would mix them."""
    facts: dict[str, Any] = {"memory": skill, "version": version, "scope": SCOPE, "agent": "a", "share": 0.5}
    for kept, (well, runs) in ((False, offered), (True, withheld)):
        ended = [
            Outcome.SUCCESS if n * well // runs != (n + 1) * well // runs else Outcome.FAILURE for n in range(runs)
        ]
        SkillOffer.objects.bulk_create(
            SkillOffer(thread_id=f"{kept}-{n}", withheld=kept, outcome=one, at=NOON + timedelta(minutes=n), **facts)
            for n, one in enumerate(ended)
        )


@pytest.mark.parametrize(
    ("offered", "withheld", "answer", "sentence"),
    [
        ((3, 4), (1, 2), "unknown", "Not known yet: about 260 more runs. Of runs that got it 3 of 4 ended well"),
        ((150, 200), (60, 200), "helps", "It helps. Of runs that got it 150 of 200 ended well, of those that did"),
        ((60, 200), (150, 200), "hurts", "It does harm. Of runs that got it 60 of 200 ended well"),
        (
            (2400, 3000),
            (2400, 3000),
            "no_effect",
            ("Its measured effect is less than five points. Of runs that got it 2400 of"),
        ),
    ],
)
def test_the_page_and_the_api_say_alike_whether_it_helps_and_people_are_asked_where_it_does_not(
    agent: APIClient,
    skill: Memory,
    offered: tuple[int, int],
    withheld: tuple[int, int],
    answer: str,
    sentence: str,
) -> None:
    offers(skill, offered, withheld)
    for _ in range(2):
        offer_benefit.measure(SCOPE, at=NOON)
    told = agent.get(f"/api/v1/skills/{skill.skill.name}/worth").json()
    assert (told["answer"], told["version"]) == (answer, 1)
    assert told["said"].startswith(sentence)
    assert (told["withheld"]["well"], told["withheld"]["runs"]) == withheld
    client = Client()
    client.force_login(make_person(group="reviewer"))
    assert told["said"] in " ".join(client.get(f"/memories/{skill.pk}/").content.decode().split())
    asked = Proposal.objects.filter(kind=Proposal.Kind.FAILING)
    assert asked.count() == (answer in ("hurts", "no_effect"))
    assert agent.get(f"/api/v1/skills/{skill.skill.name}/worth?version=9").status_code == 404
    assert agent.get("/api/v1/skills/nobody-knows/worth").status_code == 404


@override_settings(SKILL_HOLDBACK="auto")
def test_half_of_the_runs_do_without_until_the_answer_is_known_then_none(agent: APIClient, skill: Memory) -> None:
    told = {n: ask(agent, thread_id=f"t-{n}")["withheld"] for n in range(20)}
    assert 0 < sum(told.values()) < 20  # a lot drawn by ids: 20 alike come twice in a million
    task = {"task": "Please cancel my ticket 3 and give me the money back", "scope": SCOPE}
    for n, withheld in told.items():
        items = agent.post("/api/v1/context", {**task, "thread_id": f"t-{n}"}, format="json").json()["items"]
        assert not (withheld and any(item["memory_id"] == str(skill.pk) for item in items))
    assert set(SkillOffer.objects.values_list("share", flat=True)) == {0.5}
    said = agent.get(f"/api/v1/skills/{skill.skill.name}/worth").json()["said"]
    assert said == "Not known yet: no run from which it was withheld (SKILL_HOLDBACK) has ended and been counted."
    SkillOffer.objects.all().delete()
    offers(skill, (150, 200), (60, 200))
    offer_benefit.measure(SCOPE, at=NOON)
    assert not any(ask(agent, thread_id=f"t-{n}")["withheld"] for n in range(20, 32))


@pytest.mark.parametrize(("well", "without", "answer", "most"), [(0.7, 0.5, "helps", 420), (0.35, 0.5, "hurts", 730)])
def test_an_effect_is_known_after_a_few_hundred_runs(well: float, without: float, answer: str, most: int) -> None:
    found = [answer_of(series(n, well, without, runs=3_000)) for n in range(25)]
    assert {one.answer for one in found} == {answer}
    assert median(one.runs for one in found) <= most


def test_without_an_effect_hardly_a_series_says_otherwise() -> None:
    found = Counter(answer_of(series(n, 0.5, 0.5, runs=20_000)).answer for n in range(20))
    assert found["helps"] + found["hurts"] <= 1
    assert found["no_effect"] >= 19
