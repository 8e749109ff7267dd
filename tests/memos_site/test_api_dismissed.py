"""Dismissed memories are listed for those who review, wherever their status is named."""

from typing import Any

import pytest
from django.test import Client

from tests.make import caller, make_memory
from tests.memos_site.mcp_client import modern
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
WORD = "Acme pays twice"
TOLD = "dismissed memories are listed for those who review: this needs the permission review"
ASKED: dict[str, tuple[str, dict[str, Any] | None]] = {
    "search": ("search", {"statuses": ["dismissed"]}),
    "search with others": ("search", {"statuses": ["confirmed", "dismissed"]}),
    "retrieve": ("retrieve", {"statuses": ["dismissed"]}),
    "tool": ("tools/search", {"statuses": ["dismissed"]}),
    "list": ("memories?status=dismissed", None),
    "list with others": ("memories?status=confirmed,dismissed", None),
    "list as of then": ("memories?status=dismissed&as_of=2026-03-02T12:00:00Z", None),
    "list by source": ("memories?status=dismissed&source_plugin=P01", None),
}


def answer_of(client: Client, name: str) -> Any:
    path, body = ASKED[name]
    if body is None:
        return client.get(f"/api/v1/{path}")
    return client.post(f"/api/v1/{path}", body, "application/json")


def mcp(client: Any, **arguments: Any) -> dict[str, Any]:
    message, headers = modern("tools/call", name="search", arguments=arguments)
    return dict(client.post("/mcp", message, format="json", headers=headers).json())


@pytest.mark.parametrize("name", ASKED)
def test_an_agent_without_the_permission_review_is_refused(name: str) -> None:
    make_memory(WORD, status="dismissed")
    client: Any = caller()
    path, body = ASKED[name]
    refused = client.get(f"/api/v1/{path}") if body is None else client.post(f"/api/v1/{path}", body, format="json")
    assert (refused.status_code, refused.json()["detail"]) == (403, TOLD)
    judge: Any = caller(permissions=["read", "review"])
    shown = judge.get(f"/api/v1/{path}") if body is None else judge.post(f"/api/v1/{path}", body, format="json")
    assert shown.status_code == 200
    assert WORD in shown.content.decode() or "as_of" in path


@pytest.mark.parametrize("name", ["list", "list with others"])
def test_of_people_those_see_them_who_review(name: str) -> None:
    make_memory(WORD, status="dismissed")
    assert answer_of(signed_in("vera", group="viewer"), name).status_code == 403
    assert WORD in answer_of(signed_in("anna", group="reviewer"), name).content.decode()


@pytest.mark.parametrize("blank", ["status=", "status=,"])
def test_a_blank_status_names_none_and_lists_what_holds(blank: str) -> None:
    for status in ("dismissed", "candidate", "superseded", "confirmed"):
        make_memory(f"{WORD} {status}", status=status)
    agent: Any = caller()
    shown = agent.get(f"/api/v1/memories?{blank}").json()
    assert [row["status"] for row in shown["results"]] == ["confirmed"]


def test_over_mcp_the_same() -> None:
    make_memory(WORD, status="dismissed")
    refused = mcp(caller(), statuses=["dismissed"])["result"]
    assert refused["isError"]
    assert TOLD in refused["content"][0]["text"]
    assert WORD in mcp(caller(permissions=["read", "review"]), statuses=["dismissed"])["result"]["content"][0]["text"]


def test_the_other_statuses_are_named_by_everybody_who_reads() -> None:
    for status in ("superseded", "retracted", "candidate"):
        make_memory(f"{WORD} {status}", status=status)
    client: Any = caller()
    found = client.post("/api/v1/search", {"statuses": ["superseded", "retracted", "candidate"]}, format="json")
    assert len(found.json()["results"]) == 3
    assert len(client.get("/api/v1/memories?status=superseded,retracted").json()["results"]) == 2
