"""GET episodes and GET agents: lists with filters and pages, within what the caller may see."""

from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Agent
from memories.values.choices import Permission, Sensitivity
from tests.make import caller, make_agent, make_memory, make_run, user
from tests.memos_site.test_api_lists import pages

pytestmark = pytest.mark.django_db


def listed(client: APIClient, query: str = "", *, path: str = "episodes", by: str = "content") -> list[Any]:
    answer = client.get(f"/api/v1/{path}?{query}")
    assert answer.status_code == 200, answer.content
    return [row[by] for row in answer.json()["results"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {"a", "b", "c"}),
        ("outcome=success", {"a"}),
        ("outcome=unknown", {"c"}),
        ("outcome=failure,unknown", {"b", "c"}),
        ("open=true", {"c"}),
        ("open=false", {"a", "b"}),
        ("source=P01", {"a"}),
        ("scope=project:a", {"b"}),
        ("scope=", {"a", "c"}),
        ("thread_id=t1", {"c"}),
        ("tag=x", {"b"}),
        ("q=parcels", {"b"}),
        ("outcome=success&source=P02", set()),
    ],
)
def test_episodes_are_found_by_how_they_ended_and_where_they_come_from(
    agent: APIClient, query: str, found: set[str]
) -> None:
    make_memory("a note is no episode", status="confirmed")
    make_run(title="a", outcome="success", source="P01")
    said = [user("Where are my parcels?")]
    make_run(title="b", outcome="failure", source="P02", scope="project:a", tags=["x"], messages=said)
    event = {"source": "P02", "event_kind": "opened", "ref": "r", "summary": "c", "thread_id": "t1"}
    assert agent.post("/api/v1/events", event, format="json").status_code == 201
    assert set(listed(agent, query)) == found


def test_episodes_come_newest_first_in_pages_and_without_what_happened_in_them(agent: APIClient) -> None:
    made = [str(make_run(title=f"run {number}").pk) for number in range(5)]
    assert pages(agent, "/api/v1/episodes?limit=2") == [made[:2:-1], made[2:0:-1], made[:1]]
    [episode] = agent.get("/api/v1/episodes?limit=1").json()["results"]
    assert "timeline" not in episode["payload"]
    assert episode["payload"]["event_count"] == 2
    assert agent.get(f"/api/v1/episodes/{episode['id']}/events").status_code == 200


def test_secret_foreign_and_expired_episodes_are_in_no_list() -> None:
    make_run(title="secret", sensitivity="hyper")
    make_run(title="foreign", scope="project:b")
    make_memory("expired", type="episodic", status="confirmed", expires_at=timezone.now())
    make_run(title="own", scope="project:a")
    assert listed(caller(scopes=["project:a"], clearance=Sensitivity.LOW)) == ["own"]
    assert caller(permissions=["ingest"]).get("/api/v1/episodes").status_code == 403


@pytest.mark.parametrize(
    "query", ["outcome=good", "open=maybe", "status=candidate", "cursor=x", "limit=0", "ordering=key"]
)
def test_what_episodes_cannot_be_asked_is_named(agent: APIClient, query: str) -> None:
    answer = agent.get(f"/api/v1/episodes?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, f"/{query.split('=', maxsplit=1)[0]}")


def test_review_lists_the_agents_and_never_their_tokens() -> None:
    judge = caller(name="judge", permissions=["review"])
    agent, _ = make_agent("P01", scopes=["project:a"])
    make_agent("P02", permissions=[*Permission.values])
    assert listed(judge, path="agents", by="name") == ["P01", "P02", "judge"]
    assert listed(judge, "permission=ingest", path="agents", by="name") == ["P01", "P02"]
    assert listed(judge, "permission=ingest&scope=project:a", path="agents", by="name") == ["P01"]
    [first] = judge.get("/api/v1/agents?limit=1").json()["results"]
    assert first == {
        "name": "P01",
        "clearance": "medium",
        "scopes": ["project:a"],
        "permissions": ["ingest", "read", "report", "skills"],
        "expires_at": None,
    }
    agent.revoke(by=agent.trust.actor, at=timezone.now())
    assert listed(judge, path="agents", by="name") == ["P02", "judge"]
    assert pages(judge, "/api/v1/agents?limit=1", key="name") == [["P02"], ["judge"]]
    assert caller().get("/api/v1/agents").status_code == 403


def test_a_reviewer_of_one_scope_is_told_of_no_agent_that_sees_more() -> None:
    make_agent("everywhere")
    make_agent("elsewhere", scopes=["project:b"])
    make_agent("wider", scopes=["project:a", "project:b"])
    make_agent("higher", scopes=["project:a"], clearance=Sensitivity.HIGH)
    make_agent("beside", scopes=["project:a"])
    judge = caller(name="judge", permissions=["review"], scopes=["project:a"])
    assert listed(judge, path="agents", by="name") == ["beside", "judge"]
    assert Agent.objects.count() == 6
