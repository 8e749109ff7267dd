"""An `Idempotency-Key` that comes again: the first answer, but not what was raised above its caller since."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Agent, Memory
from memories.values.choices import Sensitivity
from tests.make import ANNA, Json, bearing, make_agent, make_memory, make_person, run

pytestmark = pytest.mark.django_db
NOTE = {"key": "acme-terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "P01"}
EVENT = {"source": "ci", "event_kind": "deploy", "ref": "v1", "summary": "Acme went live"}
WITH_REVIEW = ["read", "ingest", "report", "review"]


def keyed(client: APIClient, path: str, body: Json) -> Any:
    return client.post(f"/api/v1/{path}", body, format="json", headers={"Idempotency-Key": "once"})


def raised(id: str, to: Sensitivity = Sensitivity.HYPER) -> None:
    Memory.objects.get(pk=UUID(id)).edit({"sensitivity": to}, by=ANNA, at=timezone.now())


@pytest.fixture
def row_and_client() -> tuple[Agent, APIClient]:
    made, token = make_agent(permissions=WITH_REVIEW)
    return made, bearing(token)


@pytest.mark.parametrize(("path", "body"), [("memories", NOTE), ("events", EVENT), ("conversations", run())])
def test_a_write_is_answered_like_one_that_met_something_hidden(row_and_client: Any, path: str, body: Json) -> None:
    _, client = row_and_client
    first = keyed(client, path, body).json()
    shown = first.get("memory") or first.get("episode") or first
    assert keyed(client, path, body).json() == first
    raised(shown["id"])
    again = keyed(client, path, body)
    assert (again.status_code, again.json()["notice"]) == (202, "accepted")
    assert shown["content"] not in again.content.decode()
    assert Memory.objects.count() == 1


def test_of_a_batch_only_the_raised_items_are_withheld(row_and_client: Any) -> None:
    _, client = row_and_client
    body = {"items": [{"kind": "memory", **NOTE}, {"kind": "event", **EVENT}]}
    first = keyed(client, "batch", body).json()["results"]
    raised(first[0]["memory"]["id"])
    again = keyed(client, "batch", body).json()["results"]
    assert again[0] == {"index": 0, "status": 202, "memory": None}
    assert again[1] == first[1]


def test_a_decision_about_what_was_raised_is_about_nothing(row_and_client: Any) -> None:
    _, client = row_and_client
    memory = make_memory()
    assert keyed(client, f"memories/{memory.pk}/promote", {}).status_code == 200
    raised(str(memory.pk))
    assert keyed(client, f"memories/{memory.pk}/promote", {}).status_code == 404


def test_an_own_row_that_was_above_its_caller_from_the_start_is_answered_again(row_and_client: Any) -> None:
    _, client = row_and_client
    body = {**NOTE, "sensitivity": "high"}
    first = keyed(client, "memories", body)
    again = keyed(client, "memories", body)
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())


def test_a_caller_whose_clearance_was_lowered_hears_no_more_of_others_rows(row_and_client: Any) -> None:
    made, client = row_and_client
    memory = make_memory(sensitivity=Sensitivity.MEDIUM)
    assert keyed(client, f"memories/{memory.pk}/promote", {}).status_code == 200
    Agent.objects.filter(pk=made.pk).update(clearance=Sensitivity.LOW)
    assert keyed(client, f"memories/{memory.pk}/promote", {}).status_code == 404


def test_another_parameter_is_another_request(client: Client) -> None:
    client.force_login(make_person(group="administrator"))
    memory = make_memory()
    more: Any = {"content_type": "application/json", "headers": {"Idempotency-Key": "once"}}
    assert client.post(f"/api/v1/memories/{memory.pk}/erase?dry_run=1", {}, **more).status_code == 200
    erased = client.post(f"/api/v1/memories/{memory.pk}/erase", {}, **more)
    assert (erased.status_code, erased.json()["code"]) == (409, "idempotency_key_reused")
