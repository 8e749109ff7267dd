"""A revision tells nothing of a memory that the reader may not see, not even its id."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import Sensitivity
from tests.make import bearing, caller, make_agent, make_memory

pytestmark = pytest.mark.django_db
EVIDENCE = {"evidence": [{"source_type": "mail", "source_id": "m-1"}]}


@pytest.fixture
def judge() -> APIClient:
    return caller(name="judge", permissions=["read", "review"], clearance=Sensitivity.HYPER)


@pytest.fixture
def reader() -> APIClient:
    return caller(clearance=Sensitivity.LOW)


def supersede(judge: APIClient, old: Memory, sensitivity: str) -> str:
    said = {"content": f"New: {old.content}", "payload": EVIDENCE, "sensitivity": sensitivity}
    answer = judge.post(f"/api/v1/memories/{old.pk}/supersede", {"memory": said, "rationale": "r"}, format="json")
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def test_what_took_its_place_above_the_reader_is_not_named(judge: APIClient, reader: APIClient) -> None:
    old = make_memory()
    new = supersede(judge, old, "high")
    for path in (f"memories/{old.pk}?include=history,relations", "memories?status=superseded", "audit"):
        assert new not in json.dumps(reader.get(f"/api/v1/{path}").json())
        assert new in json.dumps(judge.get(f"/api/v1/{path}").json())
    assert reader.get(f"/api/v1/memories/{old.pk}").json()["payload"]["revision"] == {"status": "superseded"}


def test_what_the_reader_may_see_is_named(judge: APIClient, reader: APIClient) -> None:
    old = make_memory()
    new = supersede(judge, old, "low")
    shown = reader.get(f"/api/v1/memories/{old.pk}").json()
    assert shown["payload"]["revision"] == {"status": "superseded", "superseded_by": new}


def test_what_was_merged_above_the_reader_is_not_named(judge: APIClient, reader: APIClient) -> None:
    low, high = make_memory(), make_memory("Acme pays late", sensitivity=Sensitivity.HIGH)
    body = {"ids": [str(low.pk), str(high.pk)], "memory": {"content": "Acme pays"}, "rationale": "one"}
    new = judge.post("/api/v1/memories/merge", body, format="json").json()["id"]
    assert new not in json.dumps(reader.get(f"/api/v1/memories/{low.pk}?include=history").json())


def test_where_something_comes_from_above_the_reader_is_not_named(judge: APIClient, reader: APIClient) -> None:
    old, seen = make_memory(sensitivity=Sensitivity.HIGH), make_memory("Beta pays late")
    new, other = supersede(judge, old, "low"), supersede(judge, seen, "low")
    for path in (f"memories/{new}?include=history", "memories?status=confirmed"):
        assert str(old.pk) not in json.dumps(reader.get(f"/api/v1/{path}").json())
        assert str(old.pk) in json.dumps(judge.get(f"/api/v1/{path}").json())
    [source] = reader.get(f"/api/v1/memories/{new}").json()["provenance"]["sources"]
    assert (source["kind"], source["created_by"], "ref" in source) == ("supersede", "judge", False)
    [source] = reader.get(f"/api/v1/memories/{other}").json()["provenance"]["sources"]
    assert source["ref"] == str(seen.pk)


def test_the_reference_of_an_event_is_the_callers_own_word(reader: APIClient) -> None:
    ref = "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e12"
    said = {"source": "ci", "event_kind": "deploy", "ref": ref}
    told = reader.post("/api/v1/events", said, format="json").json()
    assert [source["ref"] for source in told["provenance"]["sources"]] == [ref]


def test_a_longer_list_asks_no_more(judge: APIClient, reader: APIClient) -> None:
    asked = []
    reader.get("/api/v1/me")  # the first use of a token is written down
    for number in range(4):
        supersede(judge, make_memory(f"Fact {number}"), "low")
        with CaptureQueriesContext(connection) as queries:
            reader.get("/api/v1/memories?status=superseded")
        asked.append(len(queries))
    assert len(set(asked)) == 1


CHANGES: dict[str, dict[str, Any]] = {
    "": {"tags": ["changed"]},
    "supersede": {"memory": {"content": "new", "payload": EVIDENCE}, "rationale": "r"},
    "fork": {"memory": {"content": "new", "payload": EVIDENCE}, "rationale": "r"},
    "contest": {"rationale": "r"},
    "retract": {"rationale": "r"},
    "reinforce": {"amount": 0.1},
    "penalize": {"amount": 0.1},
}


def change(client: APIClient, memory: Memory, verb: str) -> Any:
    path = f"/api/v1/memories/{memory.pk}/{verb}".rstrip("/")
    return (client.post if verb else client.patch)(path, CHANGES[verb], format="json")


@pytest.mark.parametrize("verb", CHANGES)
def test_who_may_not_read_changes_only_what_it_created_and_is_shown_no_other(verb: str) -> None:
    agent, token = make_agent(permissions=["ingest"])
    own, other = make_memory(created_by_id=f"agent:{agent.pk}"), make_memory("the words of others")
    assert change(bearing(token), own, verb).status_code in (200, 201)
    answer = change(bearing(token), other, verb)
    assert answer.status_code == 404 and b"words" not in answer.content


@pytest.mark.parametrize("verb", CHANGES)
def test_what_is_withheld_from_the_scopes_of_an_agent_is_not_shown_by_changing_it(verb: str) -> None:
    withheld = make_memory("what q1 dismissed", withheld_from=["project:q1"])
    answer = change(caller(scopes=["project:q1"], permissions=["read", "ingest"]), withheld, verb)
    assert answer.status_code == 404 and b"dismissed" not in answer.content
