"""What is derived is as sensitive as what it rests on, and of one scope: evidence of two scopes makes two memories."""

from datetime import timedelta

import pytest

from memories.models import Evidence, Memory
from memories.values.choices import Sensitivity
from tests.consolidation.experience import consolidated, run
from tests.consolidation.plugins import EMAIL, MORNING, ran, ruled
from tests.make import caller
from tests.memories.storing import agent, store

pytestmark = pytest.mark.django_db
SCOPES = ["project:acme", "project:other"]


def test_a_fact_derived_from_a_high_episode_is_high() -> None:
    episode = run(["build"], scope="", sensitivity="high")
    whole = caller(clearance=Sensitivity.HIGH)
    said = {"key": "terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "P01"}
    fact = whole.post("/api/v1/memories", {**said, "episode_id": str(episode.pk)}, format="json").json()["memory"]
    assert fact["sensitivity"] == "high"
    assert caller(clearance=Sensitivity.MEDIUM).get(f"/api/v1/memories/{fact['id']}").status_code == 404


def test_a_known_fact_that_a_high_episode_confirms_becomes_high() -> None:
    whole = agent(clearance=Sensitivity.HIGH)
    stored = store(trust=whole)
    again = store(trust=whole, episode_id=str(run(["build"], scope="", sensitivity="high").pk))
    assert stored.memory is not None
    assert (again.reinforced, Memory.objects.get(pk=stored.memory.pk).sensitivity) == (True, Sensitivity.HIGH)


def test_one_fact_from_episodes_of_two_scopes_is_two_memories() -> None:
    for scope in (*SCOPES, *SCOPES):
        store(episode_id=str(run(["build"], scope=scope).pk))
    facts = Memory.objects.filter(key="acme-terms").order_by("scope")
    assert [(fact.scope, fact.times_confirmed) for fact in facts] == [(scope, 1) for scope in SCOPES]
    spoke = Evidence.objects.filter(memory__in=facts).values_list("memory__scope", "episode__scope").distinct()
    assert set(spoke) == {(scope, scope) for scope in SCOPES}


def test_runs_of_two_scopes_teach_two_competences() -> None:
    for scope in (*SCOPES, *SCOPES):
        run(["build", "test"], scope=scope)
    consolidated()
    learnt = Memory.objects.filter(type="competence").order_by("scope")
    assert [(memory.scope, memory.performance.successes) for memory in learnt] == [(scope, 2) for scope in SCOPES]


def test_the_rules_mix_neither_scopes_nor_what_they_rest_on() -> None:
    for day in range(3):
        ran("P01", MORNING + timedelta(days=day), sensitivity="high", **EMAIL)
        ran("P01", MORNING + timedelta(days=day), scope="project:other", **EMAIL)
    ruled()
    found = Memory.objects.filter(key__startswith="p01-acmecorp").order_by("scope")
    expected = [(SCOPES[0], Sensitivity.HIGH), (SCOPES[1], Sensitivity.LOW)]
    assert [(memory.scope, memory.sensitivity) for memory in found] == expected


def test_a_skill_learns_nothing_from_a_run_that_became_more_secret_since_it_was_counted() -> None:
    secret = run(["build", "test"])
    consolidated()
    Memory.objects.filter(pk=secret.pk).update(sensitivity=Sensitivity.HIGH)
    for minute in (1, 2):
        run(["build", "test"], minutes=minute)
    consolidated()
    (learnt,) = Memory.objects.filter(type="competence")
    assert learnt.sensitivity == Sensitivity.LOW
    version = learnt.skill.versions.first()
    assert version is not None and "in 2 of 2 runs" in str(version.fields)  # of three that were counted
