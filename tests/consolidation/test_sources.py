"""A learned competence lists the runs that it comes from, within what the reader may see, and its version."""

from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from consolidation.models import Pattern
from memories.api import provenance
from memories.models import Evidence, Memory
from memories.values.choices import Sensitivity
from memories.values.trust import everything
from skills.models import Skill
from tests.consolidation.experience import consolidated, run
from tests.make import caller, make_memory
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
BASE = "/api/v1/memories"


@shared_rows
def learned() -> Memory:
    for minutes in (1, 2):
        run(["build", "test"], minutes=minutes)
    consolidated()
    return Memory.objects.filter(type="competence").get()


def refs(client: APIClient, memory: Memory) -> list[str]:
    shown = client.get(f"{BASE}/{memory.pk}").json()["provenance"]["sources"]
    assert {source["kind"] for source in shown} <= {"episode"}
    return [source["ref"] for source in shown]


def test_a_learned_competence_lists_the_runs_it_comes_from(learned: Memory) -> None:
    runs = [str(pk) for pk in learned.evidence.order_by("at").values_list("episode", flat=True)]
    assert len(runs) == 2
    assert refs(caller(), learned) == runs
    [first, _] = caller().get(f"{BASE}/{learned.pk}").json()["provenance"]["sources"]
    assert (first["created_by"], first["timestamp"][:10]) == ("build-agent", "2026-03-01")


def test_lists_searches_and_decisions_name_them_too(learned: Memory, admin_client: Any) -> None:
    Pattern.objects.filter(memory=learned).update(waits=True)  # nobody is asked about what only says its name
    client = caller(permissions=["read", "review"])
    listed = client.get(f"{BASE}?status=candidate").json()["results"][0]
    asked = {"query": "build and test", "statuses": ["candidate"], "types": ["competence"]}
    found = client.post("/api/v1/search", asked, format="json").json()["results"][0]["memory"]
    waiting = client.get("/api/v1/inbox").json()["results"][0]["memory"]
    pinned = client.post(f"{BASE}/{learned.pk}/pin", {"pinned": True}, format="json").json()
    for shown in (listed, found, waiting, pinned):
        assert [source["kind"] for source in shown["provenance"]["sources"]] == ["episode", "episode"]


def test_a_run_above_the_reader_or_forgotten_is_not_named(learned: Memory) -> None:
    above, gone = learned.evidence.order_by("at").values_list("episode", flat=True)
    Memory.objects.filter(pk=above).update(sensitivity=Sensitivity.HIGH)
    reader = caller(clearance=Sensitivity.LOW)
    assert refs(reader, learned) == [str(gone)]
    Memory.objects.filter(pk=gone).delete()
    assert refs(reader, learned) == []
    assert refs(caller(clearance=Sensitivity.HYPER), learned) == [str(above)]


def test_of_many_runs_the_first_ones_are_named(learned: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "MOST_NAMED", 1)
    [first] = refs(caller(), learned)
    assert first == str(learned.evidence.order_by("at").values_list("episode", flat=True)[0])


def test_what_was_learned_elsewhere_costs_no_question(django_assert_num_queries: Any) -> None:
    make_memory(type="competence")
    Evidence.objects.create(memory=Memory.objects.get(), occasion="request:1", kind="created", at=timezone.now())
    answer = {"results": [{"id": str(Memory.objects.get().pk), "type": "competence", "origin": "stored"}]}
    with django_assert_num_queries(0):
        provenance.add_episodes(answer, everything())


def test_a_competence_answers_its_version(learned: Memory) -> None:
    client = caller(permissions=["read", "ingest", "review"])

    def version(pk: Any) -> Any:
        return client.get(f"{BASE}/{pk}").json()["payload"]["version"]

    assert version(learned.pk) == 1
    Skill.objects.get(pk=learned.pk).versions.update(number=3)
    assert version(learned.pk) == 1
    client.post(f"{BASE}/{learned.pk}/promote", {}, format="json")
    assert version(learned.pk) == 3
    for said, answered in (({}, 1), ({"version": None}, 1), ({"version": "2.1"}, "2.1"), ({"version": 0}, 0)):
        payload = {"skill_name": f"pay {said}", **said}
        body = {"type": "competence", "source": "ci", "payload": payload}
        stored = client.post(BASE, body, format="json").json()["memory"]
        assert (stored["payload"]["version"], version(stored["id"])) == (answered, answered)
    new = {"memory": {"payload": {"skill_name": "pay now"}}, "rationale": "r"}
    made = client.post(f"{BASE}/{stored['id']}/supersede", new, format="json").json()
    assert made["payload"]["version"] == 1
