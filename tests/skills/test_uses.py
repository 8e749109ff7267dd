"""Agents report how their uses of a skill ended: each counts once, and moves what it should and nothing else."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories import lifecycle
from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.models import Episode, Evidence, IdempotencyKey, Memory, Performance
from memories.values.choices import ActorKind, Outcome, Sensitivity
from memories.values.trust import Actor, everything
from memos_site import review
from skills import outcomes
from skills.models import Skill, SkillUse, SkillVersion
from skills.outcomes import Use
from tests.at_once import at_once
from tests.make import ANNA, AT, answer, call, caller, make_run, make_skill, make_version, user
from tests.skills.using import PATH, record, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def refund_agent() -> APIClient:
    return caller(name="refund-agent")


def make_used(**facts: Any) -> Skill:
    """A published skill with a salience that can move both ways."""
    return make_skill(salience=0.5, salience_at=timezone.now(), pinned=True, **facts)


def salience(skill: Skill) -> float:
    return float(Memory.objects.get(pk=skill.pk).salience)


def test_a_use_that_is_told_otherwise_stays_one_of_the_version_that_was_used(refund_agent: APIClient) -> None:
    skill, run = make_used(), make_run()
    report("success", client=refund_agent, episode_id=str(run.pk))
    make_version(skill, description="Books a flight or two")
    review.decide(everything(ANNA), skill.pk, "promote", at=AT)
    corrected = report("failure", client=refund_agent, episode_id=str(run.pk), status=200)
    assert (corrected["version"], corrected["outcome"], record(skill)) == (1, "failure", (0, 1, 0))
    named = report("failure", client=refund_agent, episode_id=str(run.pk), version=2, status=200)
    assert named["version"] == 2


def test_a_use_of_a_skill_that_was_retired_meanwhile_counts(refund_agent: APIClient) -> None:
    skill = make_used()
    review.decide(everything(ANNA), skill.pk, "retire", at=AT)
    told = report("failure", client=refund_agent, version=1)
    assert (told["version"], record(skill)) == (1, (0, 1, 0))
    report("failure", client=refund_agent, name="book-train", status=404)


def test_uses_move_rate_reliability_salience_and_latency_and_not_confidence(refund_agent: APIClient) -> None:
    skill = make_used(confidence=70)
    first = report("success", client=refund_agent, latency_ms=100)
    assert (first["performance"]["success_rate"], first["reliability"]) == (1.0, pytest.approx(0.2065, abs=1e-4))
    assert (first["version"], first["agent"]) == (1, "refund-agent")
    assert salience(skill) == pytest.approx(0.6)
    second = report("failure", client=refund_agent, latency_ms=300)
    assert second["performance"] == {
        "success_count": 1,
        "failure_count": 1,
        "partial_count": 0,
        "success_rate": 0.5,
        "avg_latency_ms": 200.0,
        "last_used_at": second["at"],
    }
    assert second["reliability"] == pytest.approx(0.0945, abs=1e-4)
    assert salience(skill) == pytest.approx(0.5)
    report("partial", client=refund_agent)
    shown = refund_agent.get(f"{PATH}/book-flight").json()
    assert (shown["performance"]["partial_count"], shown["performance"]["success_rate"]) == (1, 0.5)
    assert (shown["reliability"], shown["confidence"]) == (second["reliability"], 70)
    memory = Memory.objects.get(pk=skill.pk)
    assert memory.salience == pytest.approx(0.5)
    assert (memory.version, memory.updated_at) == (1, AT)


def test_the_same_key_twice_is_one_use_also_when_the_kept_answer_is_gone(refund_agent: APIClient) -> None:
    skill = make_used()
    first = report(client=refund_agent, key="k1")
    assert report(client=refund_agent, key="k1")["id"] == first["id"]
    IdempotencyKey.objects.all().delete()
    assert report(client=refund_agent, key="k1", status=200)["id"] == first["id"]
    report(client=caller(), key="k1")  # another agent's own key
    report(client=refund_agent)
    report(client=refund_agent)
    assert (record(skill), SkillUse.objects.count()) == ((4, 0, 0), 4)


@pytest.mark.parametrize("used_first", [True, False])
@pytest.mark.parametrize("outcome", Outcome.values)
def test_a_use_that_names_an_episode_and_its_digestion_count_once_together(used_first: bool, outcome: str) -> None:
    skill, episode = make_used(), make_run(outcome="success")
    read = Witness(episode.pk, Outcome.SUCCESS, AT, "read from the run")
    counting = [
        lambda: report(outcome, episode_id=str(episode.pk)),
        lambda: evidence.count(skill.memory, [read], at=AT),
    ]
    for count in counting if used_first else reversed(counting):
        count()
    counted = {"success": (1, 0, 0), "failure": (0, 1, 0), "partial": (0, 0, 1)}
    assert record(skill) == counted[outcome]  # what its user says of it is not replaced by what is read from the run
    assert Evidence.objects.filter(memory=skill.pk).count() == 1
    evidence.count(skill.memory, [read], at=AT)
    assert record(skill) == counted[outcome]


def test_told_otherwise_of_one_episode_the_counters_move_by_the_difference(refund_agent: APIClient) -> None:
    skill, episode = make_used(), str(make_run().pk)
    first = report("success", client=refund_agent, episode_id=episode, latency_ms=100, note="fine")
    again = report("failure", client=refund_agent, episode_id=episode, latency_ms=300, note="charged twice", status=200)
    assert (again["id"], again["note"], again["outcome"]) == (first["id"], "charged twice", "failure")
    assert (record(skill), again["performance"]["avg_latency_ms"]) == ((0, 1, 0), 300.0)
    report("failure", client=refund_agent, episode_id=episode, latency_ms=300, status=200)
    assert (record(skill), SkillUse.objects.count()) == ((0, 1, 0), 1)


def test_a_run_takes_as_long_as_its_outcome_says_else_as_its_calls_together() -> None:
    skill, client = make_used(), caller(name="refund-agent")
    timed, silent = (make_run(messages=[user("a"), call("t"), answer("x")]) for _ in range(2))
    Episode.objects.get(pk=timed.pk).events.exclude(tool="").update(latency_ms=40)
    report(episode_id=str(silent.pk), client=client)
    shown = report(episode_id=str(timed.pk), client=client)["performance"]
    assert shown["avg_latency_ms"] == 40.0
    told = make_run(messages=[user("b"), call("t"), answer("x")])
    Episode.objects.filter(pk=told.pk).update(outcome_details={"latency_ms": 5300.0})
    evidence.count(skill.memory, [Witness(told.pk, Outcome.SUCCESS, AT)], at=AT)
    row = Performance.objects.get(memory=skill.pk)
    assert (row.latency_total_ms, row.latency_count) == (5340.0, 2)


def test_each_version_has_the_numbers_of_its_own_uses(refund_agent: APIClient) -> None:
    skill = make_used()
    report("failure", client=refund_agent)
    former = skill.versions.get()
    SkillVersion.objects.filter(pk=former.pk).update(status=SkillVersion.Status.RETIRED)
    newer = make_version(skill, description="In two steps")
    SkillVersion.objects.filter(pk=newer.pk).update(status=SkillVersion.Status.PUBLISHED)
    make_version(skill, description="In three steps")
    assert report(client=refund_agent, version=3, status=400)["errors"][0]["pointer"] == "/version"  # only proposed
    report("success", client=refund_agent, latency_ms=80)
    report("success", client=refund_agent)
    report("failure", client=refund_agent, version=1)
    reviewer = caller(permissions=["read", "review"])
    rows = reviewer.get(f"{PATH}/book-flight/versions").json()["results"]
    counted = {
        row["number"]: (row["performance"]["success_count"], row["performance"]["failure_count"]) for row in rows
    }
    assert counted == {3: (0, 0), 2: (2, 0), 1: (0, 2)}
    shown = refund_agent.get(f"{PATH}/book-flight/versions/latest").json()
    assert (shown["performance"]["success_rate"], shown["performance"]["avg_latency_ms"]) == (1.0, 80.0)
    assert shown["reliability"] == pytest.approx(0.3424, abs=1e-4)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/outcome"),
        ({"outcome": "good"}, "/outcome"),
        ({"outcome": "success", "latency_ms": -1}, "/latency_ms"),
        ({"outcome": "success", "version": 7}, "/version"),
        ({"outcome": "success", "version": "latest"}, "/version"),
        ({"outcome": "success", "episode_id": "x"}, "/episode_id"),
        ({"outcome": "success", "rating": 5}, "/rating"),
        ({"outcome": "success", "note": "x" * 2_001}, "/note"),
    ],
)
def test_a_wrong_use_names_its_fields_and_counts_nothing(refund_agent: APIClient, body: Any, pointer: str) -> None:
    make_used()
    refused = refund_agent.post(f"{PATH}/book-flight/uses", body, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, pointer)
    assert not SkillUse.objects.exists()


def test_who_may_not_report_or_see_counts_nothing() -> None:
    make_used()
    make_skill("waits", published=False)
    make_skill("secret", sensitivity=Sensitivity.HYPER)
    report(client=caller(permissions=["read", "skills"]), status=403)
    for name in ("waits", "secret", "none"):
        report(name=name, status=404)
    for hidden in (make_run(sensitivity="hyper"), make_skill("other").memory):
        report(episode_id=str(hidden.pk), status=404)
    assert not SkillUse.objects.exists()


@pytest.mark.parametrize("scope", ["", "global"])
def test_a_shared_skill_is_reported_of_by_everybody_to_whom_it_is_offered(scope: str) -> None:
    skill, client = make_used(scope=scope), caller(scopes=["project:a"])
    told = report("failure", client=client)
    assert (told["scope"], record(skill)) == (scope, (0, 1, 0))
    refused = report("failure", client=client, note="Anna's card was charged twice", status=400)
    assert (refused["errors"][0]["pointer"], record(skill)) == ("/note", (0, 1, 0))  # other scopes would read it
    run = make_run(scope="project:a", trust=everything(Actor(ActorKind.PERSON, "anna")))
    told = report("failure", client=client, note="Anna's card was charged twice", episode_id=str(run.pk))
    assert (told["note"], record(skill)) == ("Anna's card was charged twice", (0, 2, 0))
    report(client=client, name=make_skill("elsewhere", scope="project:b").name, status=404)


def test_a_name_in_two_scopes_needs_its_scope(refund_agent: APIClient) -> None:
    make_used()
    other = make_used(scope="project:a")
    report(client=refund_agent, status=409)
    told = refund_agent.post(f"{PATH}/book_flight/uses?scope=project:a", {"outcome": "success"}, format="json")
    assert (told.status_code, told.json()["scope"], record(other)) == (201, "project:a", (1, 0, 0))


def test_an_episode_that_fewer_may_see_than_the_skill_is_not_quoted(refund_agent: APIClient) -> None:
    skill = make_used()
    for episode in (make_run(sensitivity="medium", title="raise"), make_run(scope="project:a", title="elsewhere")):
        report(client=refund_agent, episode_id=str(episode.pk))
    report(client=refund_agent, episode_id=str(make_run(title="seen").pk))
    assert sorted(Evidence.objects.filter(memory=skill.pk).values_list("snapshot", flat=True)) == ["", "", "seen"]


def test_a_forgotten_episode_takes_along_what_was_noted_about_it(refund_agent: APIClient) -> None:
    skill, episode = make_used(), make_run()
    report("failure", client=refund_agent, episode_id=str(episode.pk), note="Anna's card was charged twice")
    lifecycle.forget(episode, trust=everything(ANNA), at=AT + timedelta(days=1))
    row = SkillUse.objects.get()
    assert (row.note, row.episode, record(skill)) == ("", None, (0, 1, 0))


@pytest.mark.django_db(transaction=True)
def test_uses_at_once_are_all_counted_and_one_of_an_episode_once() -> None:
    skill, episode = make_used(), make_run()
    Performance.objects.create(memory=skill.memory)

    def use(**told: Any) -> Any:
        fresh = Skill.objects.select_related("memory").get(pk=skill.pk)
        return lambda: outcomes.report(fresh, Use(Outcome.SUCCESS, **told), trust=everything(), at=AT)

    told = at_once(use(), use(), use(episode_id=episode.pk), use(episode_id=episode.pk), use(key="k"), use(key="k"))
    assert sorted(new for _, new in told) == [False, False, True, True, True, True]
    assert record(skill) == (4, 0, 0)


def test_no_agent_tells_of_a_use_in_the_run_of_another(refund_agent: APIClient) -> None:
    skill = make_used()
    told = refund_agent.post("/api/v1/events", {"source": "a", "event_kind": "start", "ref": "1"}, format="json").json()
    report("success", client=refund_agent, episode_id=told["id"])
    refused = report("failure", client=caller(name="loud-agent"), episode_id=told["id"], status=403)
    assert "only the agent that opened this episode" in refused["detail"]
    assert record(skill) == (1, 0, 0)
