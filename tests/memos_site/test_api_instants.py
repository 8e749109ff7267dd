"""Every instant in every answer is written one way: RFC 3339 in UTC, with `Z`; also what older rows hold."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import Permission
from tests.make import ANNA, AT, caller
from tests.memories.storing import NET30

pytestmark = pytest.mark.django_db
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
AS_AGREED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
WITH_OFFSET = "2026-03-01T14:00:00+02:00"


@pytest.fixture
def unlimited_agent() -> APIClient:
    return caller(permissions=Permission.values)


def instants(answer: Any) -> Iterator[str]:
    if isinstance(answer, dict | list):
        for item in answer.values() if isinstance(answer, dict) else answer:
            yield from instants(item)
    elif isinstance(answer, str) and INSTANT.match(answer):
        yield answer


def ask(client: APIClient, method: str, path: str, **body: Any) -> Any:
    answer = getattr(client, method)(f"/api/v1/{path}", body or None, format="json")
    assert answer.status_code < 300, answer.content
    found = [*instants(answer.json())]
    assert found
    assert [one for one in found if not AS_AGREED.fullmatch(one)] == []
    return answer.json()


def test_what_was_said_with_an_offset_is_answered_in_utc(unlimited_agent: APIClient) -> None:
    said = {"source": "ci", "timestamp": WITH_OFFSET}
    event = ask(unlimited_agent, "post", "events", event_kind="opened", ref="t1", **said)
    assert event["payload"]["timeline"][0]["t"] == "2026-03-01T12:00:00Z"
    triple = {"subject": "Acme", "predicate": "pays within", "object": "30 days"}
    observation = ask(unlimited_agent, "post", "observations", **triple, **said)
    assert observation["payload"]["evidence"][0]["timestamp"] == "2026-03-01T12:00:00Z"
    window = {"validity": {"mode": "timeboxed", "start": WITH_OFFSET}}
    closed = {**triple, **window, "predicate": "is closed"}
    timeboxed = {"type": "semantic", "category": "fact", "payload": closed, "source": "ci"}
    stored = ask(unlimited_agent, "post", "memories", **timeboxed)["memory"]
    assert stored["payload"]["validity"]["start"] == "2026-03-01T12:00:00Z"
    ask(unlimited_agent, "get", f"memories/{stored['id']}?include=history,evidence,relations")


def test_a_note_its_revision_and_the_trail_of_what_stands_beside_it(unlimited_agent: APIClient) -> None:
    note = ask(unlimited_agent, "post", "memories", key="k", category="fact", content=NET30, source="ci")["memory"]
    new = {"content": "Acme pays on net-60 terms", "payload": {"evidence": [{"source_type": "x", "source_id": "y"}]}}
    revised = ask(unlimited_agent, "post", f"memories/{note['id']}/supersede", memory=new, rationale="new contract")
    memory = Memory.objects.get(pk=revised["id"])
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    [tombstone] = ask(unlimited_agent, "get", "tombstones")["results"]
    ask(unlimited_agent, "post", f"tombstones/{tombstone['id']}/lift")
    for path in (f"memories/{memory.pk}?include=history", "audit", "memories?status=superseded,dismissed"):
        ask(unlimited_agent, "get", path)
