"""Batches, idempotency keys, and how much a report costs (cases 17 and 18)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memories.models import Episode, Event, IdempotencyKey, Memory
from tests.make import AT, bearing, caller, make_agent, make_person, run, user

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
EVENT: Json = {"kind": "event", "source": "ci", "event_kind": "deploy", "ref": "build-7"}


def batch(*items: Json, **agent: Any) -> list[Json]:
    answer = caller(**agent).post("/api/v1/batch", {"items": list(items)}, format="json")
    assert answer.status_code == 200, answer.json()
    results: list[Json] = answer.json()["results"]
    return results


def test_two_bad_items_of_ten_do_not_stop_the_others() -> None:
    items = [{**EVENT, "ref": f"build-{n}"} for n in range(10)]
    items[3] = {**EVENT, "ref": ""}
    items[7] = {"kind": "wish", "source": "ci"}
    results = batch(*items)
    assert [result["status"] for result in results] == [201, 201, 201, 400, 201, 201, 201, 400, 201, 201]
    assert results[3]["error"]["detail"] == "event ref is required for event candidates"
    assert results[7]["error"]["errors"][0]["pointer"] == "/kind"
    assert [result["index"] for result in results] == list(range(10))
    assert Memory.objects.count() == 8


def test_every_kind_may_come_in_one_batch_in_its_order() -> None:
    results = batch(
        {"kind": "tool_output", "source": "ci", "tool_name": "rg", "thread_id": "t1"},
        {**EVENT, "thread_id": "t1"},
        {"kind": "observation", "source": "ci", "subject": "ci", "predicate": "runs_on", "object": "linux"},
        {"kind": "working_state", "source": "ci", "thread_id": "t1", "state": "done"},
        {"kind": "conversation", "source": "ci", **run()},
        {"kind": "event", "source": "ci", "event_kind": "end", "ref": "x", "thread_id": "t1"},
    )
    assert [result["status"] for result in results] == [201, 200, 201, 201, 201, 200]
    assert results[0]["memory"]["id"] == results[5]["memory"]["id"]
    assert results[5]["memory"]["payload"]["event_count"] == 3


def test_claims_come_in_a_batch_as_they_come_alone() -> None:
    claim = {"kind": "memory", "source": "ci", "category": "fact"}
    note = {**claim, "key": "acme-terms", "content": "Acme pays on net-30 terms"}
    triple = {"subject": "acme", "predicate": "pays_on", "object": "net-30"}
    results = batch(
        {**EVENT, "thread_id": "t1"},
        note,
        {**claim, "type": "semantic", "payload": triple},
        note,
        {**note, "category": "rule"},
        {**EVENT, "thread_id": "t1"},
    )
    assert [result["status"] for result in results] == [201, 201, 201, 200, 400, 200]
    assert results[1]["memory"]["id"] == results[3]["memory"]["id"]
    assert results[1]["memory"]["status"] == "candidate"
    assert results[4]["error"]["detail"].startswith("Invalid category: must be one of")


def test_conversations_that_follow_each_other_are_known_by_their_ids() -> None:
    named = {"kind": "conversation", "source": "ci", "id": "r1"}
    results = batch({**named, **run()}, {**named, **run()}, {**named, **run(title="x", messages=[user("else")])})
    assert [result["status"] for result in results] == [201, 200, 409]
    assert Episode.objects.count() == 1


def test_an_item_without_its_kind_or_permission_says_so() -> None:
    outcome = {"kind": "outcome", "source": "ci", "target_record_id": "x", "outcome_status": "success"}
    results = batch({"source": "ci"}, outcome, permissions=["ingest"])
    assert results[0]["error"]["detail"] == "candidate kind is required"
    assert (results[1]["status"], results[1]["error"]["code"]) == (403, "not_allowed")


@pytest.mark.parametrize(
    ("item", "pointer", "code"),
    [
        (7, "", "not_an_object"),
        (None, "", "not_an_object"),
        ([EVENT], "", "not_an_object"),
        ({**EVENT, "kind": ["event"]}, "/kind", "unknown_value"),
        ({**EVENT, "kind": {"event": 1}}, "/kind", "unknown_value"),
    ],
)
def test_an_item_of_no_shape_is_answered_in_its_place(item: Any, pointer: str, code: str) -> None:
    [wrong, right] = batch(item, EVENT)
    assert (wrong["status"], right["status"]) == (400, 201)
    [error] = wrong["error"]["errors"]
    assert (error["pointer"], error["code"]) == (pointer, code)


@pytest.mark.parametrize("items", [None, [], "x", [EVENT] * 1001])
def test_a_batch_has_one_to_a_thousand_items(items: Any) -> None:
    assert caller().post("/api/v1/batch", {"items": items}, format="json").status_code == 400


def test_a_batch_costs_the_same_statements_however_long_it_is() -> None:
    def statements(size: int) -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            batch(*({**EVENT, "thread_id": f"{size}-{n % 5}"} for n in range(size)))
        return len(writes(queries))

    assert statements(10) == statements(500)


def writes(queries: CaptureQueriesContext) -> list[str]:
    verbs = ("INSERT", "UPDATE", "DELETE", "WITH")  # several tables may be written by one statement
    wrote = [query["sql"] for query in queries.captured_queries if query["sql"].lstrip().startswith(verbs)]
    return [sql for sql in wrote if "memories_agent" not in sql]


def test_the_first_event_of_an_episode_costs_at_most_six_writes_and_a_joining_one_four() -> None:
    client = caller()
    body = {**EVENT, "thread_id": "t1"}
    del body["kind"]
    client.post("/api/v1/events", body, format="json")
    with CaptureQueriesContext(connection) as joining:
        client.post("/api/v1/events", body, format="json")
    with CaptureQueriesContext(connection) as first:
        client.post("/api/v1/events", {**body, "thread_id": "t2"}, format="json")
    assert len(writes(first)) <= 6
    assert len(writes(joining)) <= 4


def test_the_same_key_and_body_give_the_first_answer_again() -> None:
    client, body = caller(), {name: value for name, value in EVENT.items() if name != "kind"}
    first = client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k1"})
    again = client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k1"})
    other = client.post("/api/v1/events", {**body, "ref": "y"}, format="json", headers={"Idempotency-Key": "k1"})
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert again.json() == first.json()
    assert other.json()["code"] == "idempotency_key_reused"
    assert Memory.objects.count() == 1
    assert client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k" * 256}).status_code == 400


def test_a_refused_request_does_not_use_up_its_key() -> None:
    client, body = caller(), {name: value for name, value in EVENT.items() if name != "kind"}
    refused = client.post("/api/v1/events", {**body, "ref": ""}, format="json", headers={"Idempotency-Key": "k1"})
    taken = client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k1"})
    assert (refused.status_code, taken.status_code) == (400, 201)


def test_keys_of_two_agents_are_two_keys() -> None:
    body = {name: value for name, value in EVENT.items() if name != "kind"}
    for client in (caller(), caller()):
        client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k1"})
    assert Memory.objects.count() == IdempotencyKey.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k1"}], ids=["thread", "key"])
def test_many_at_one_moment_find_one_episode(headers: dict[str, str]) -> None:
    token, calls = make_agent()[1], 12
    body = {"source": "ci", "event_kind": "e", "ref": "r", "thread_id": "t1"}

    def send_event(_: int) -> int:
        try:
            return bearing(token).post("/api/v1/events", body, format="json", headers=headers).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(send_event, range(calls)))
    stored = 1 if headers else calls
    assert sorted(statuses) == ([201] * calls if headers else [200] * (calls - 1) + [201])
    assert Episode.objects.get().event_count == Event.objects.count() == stored
    assert list(Event.objects.values_list("position", flat=True)) == list(range(1, stored + 1))


def test_a_person_and_an_agent_of_one_name_have_two_keys() -> None:
    body = {name: value for name, value in EVENT.items() if name != "kind"}
    agent, person = caller(name="anna"), APIClient()
    person.force_login(make_person("anna"))
    for client in (agent, person):
        answer = client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k1"})
        assert (answer.status_code, answer.get("Idempotent-Replay")) == (201, None)
    assert Memory.objects.count() == IdempotencyKey.objects.count() == 2


def test_an_expired_key_is_free_again() -> None:
    client, body = caller(), {name: value for name, value in EVENT.items() if name != "kind"}
    client.post("/api/v1/events", body, format="json", headers={"Idempotency-Key": "k1"})
    IdempotencyKey.objects.update(expires_at=AT)
    other = client.post("/api/v1/events", {**body, "ref": "y"}, format="json", headers={"Idempotency-Key": "k1"})
    assert (other.status_code, other.get("Idempotent-Replay")) == (201, None)
    assert Memory.objects.count() == 2
    assert IdempotencyKey.objects.get().expires_at > AT
