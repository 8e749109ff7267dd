"""Names of another form, blank ones within a payload, and numbers beyond all sums are refused by their field."""

from typing import Any

import pytest

from tests.make import caller

pytestmark = pytest.mark.django_db
Json = dict[str, Any]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("repository", "acme shop", "must be owner/name or the name of a folder"),
        ("scope", "no scope!", "letters, digits and . _ : @ + - only"),
    ],
)
def test_a_name_of_another_form_is_refused_in_the_words_of_its_field(field: str, value: str, says: str) -> None:
    event = {"source": "ci", "event_kind": "deploy", "ref": "build-7", field: value}
    answer = caller().post("/api/v1/events", event, format="json")
    [error] = answer.json()["errors"]
    assert (answer.status_code, error["pointer"], error["detail"].startswith(says)) == (400, f"/{field}", True)


@pytest.mark.parametrize(
    ("kind", "payload", "field"),
    [
        ("competence", {"skill_name": " "}, "skill_name"),
        ("semantic", {"subject": "Acme", "predicate": "\t", "object": "x"}, "predicate"),
        ("plan_graph", {"plan_id": "p", "nodes": [{"id": " "}]}, "nodes/0/id"),
    ],
)
def test_a_blank_name_within_a_payload_is_missing_too(kind: str, payload: Json, field: str) -> None:
    answer = caller().post("/api/v1/memories", {"source": "ci", "type": kind, "payload": payload}, format="json")
    assert answer.status_code == 400, answer.content
    [error] = answer.json()["errors"]
    assert (error["pointer"], error["detail"]) == (f"/payload/{field}", "is required")


def test_a_time_that_no_sum_could_hold_is_refused() -> None:
    report = {"source": "ci", "tool_name": "rg", "latency_ms": 1e308}
    answer = caller().post("/api/v1/tool-outputs", report, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/latency_ms")


def test_a_payload_that_is_no_object_is_refused_in_words_of_json() -> None:
    body = {"type": "semantic", "source": "ci", "content": "Acme pays", "payload": 5}
    answer = caller().post("/api/v1/memories", body, format="json")
    assert (answer.status_code, answer.json()["detail"]) == (400, "payload: must be a JSON object")


@pytest.mark.parametrize("field", ["company_id", "thread_id"])
def test_a_blank_name_that_may_be_left_out_is_none(field: str) -> None:
    note = {"key": "terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "ci", field: " "}
    assert caller().post("/api/v1/memories", note, format="json").json()["memory"][field] is None
