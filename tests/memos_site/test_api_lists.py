"""Lists: filters, orderings, pages by cursor, the default, and as many queries for many rows as for few."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.models import Agent, Memory
from tests.make import answer, call, caller, make_agent, make_memory, make_run, make_skill, user

pytestmark = pytest.mark.django_db
PATH = "/api/v1/memories"


@pytest.fixture
def skill_reviewer() -> APIClient:
    return caller(permissions=["read", "review", "skills"])


def listed(client: APIClient, query: str = "", path: str = PATH) -> list[str]:
    """The contents of one page."""
    found = client.get(f"{path}?{query}")
    assert found.status_code == 200, found.content
    return [row["content"] for row in found.json()["results"]]


def pages(client: APIClient, url: str, *, key: str = "id", on: str = "next") -> list[list[Any]]:
    """What the pages show, followed by their links."""
    read = []
    while url:
        page = client.get(url).json()
        read.append([row[key] for row in page["results"]])
        url = page[on]
    return read


@pytest.mark.parametrize(
    "path",
    [
        *("memories?scope=a&scope=b", "episodes?source=a&source=b", "audit?actor=a&actor=b", "inbox?scope=a&scope=b"),
        *("insights?scope=a&scope=b", "packs?scope=a&scope=b", "places?scope=a&scope=b", "export?scope=a&scope=b"),
        "places/agents.md?scope=a&scope=b",
    ],
)
def test_a_filter_of_one_value_that_comes_twice_is_named_and_not_half_followed(
    skill_reviewer: APIClient, path: str
) -> None:
    [wrong] = skill_reviewer.get(f"/api/v1/{path}").json()["errors"]
    assert (wrong["pointer"], wrong["code"]) in {(f"/{name}", "too_many") for name in ("scope", "source", "actor")}


def test_by_default_a_list_shows_what_holds_newest_first(skill_reviewer: APIClient) -> None:
    now = timezone.now()
    for status in ("candidate", "confirmed", "applied", "contested", "dismissed", "superseded", "retracted"):
        make_memory(status, status=status)
    make_memory("expired", status="confirmed", expires_at=now)
    make_memory("not yet", status="confirmed", valid_from=now + timedelta(days=1))
    make_memory("no more", status="confirmed", valid_to=now)
    assert listed(skill_reviewer) == ["applied", "confirmed"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=candidate", {"b"}),
        ("status=candidate,confirmed", {"a", "b", "c"}),
        ("status=candidate&status=confirmed", {"a", "b", "c"}),
        ("type=semantic", {"a", "c"}),
        ("type=competence", set()),
        ("category=fact", {"a"}),
        ("origin=taught", {"c"}),
        ("source=P01", {"a"}),
        ("company_id=acme", {"c"}),
        ("scope=project:a", {"a"}),
        ("scope=", {"c"}),
        ("thread_id=t1", {"c"}),
        ("tag=x", {"a", "c"}),
        ("tag=x&tag=y", {"c"}),
        ("min_confidence=70", {"c"}),
        ("source=nobody", set()),
        ("source=P01&tag=y", set()),
    ],
)
def test_a_filter_takes_away_the_others(skill_reviewer: APIClient, query: str, found: set[str]) -> None:
    make_memory("a", status="confirmed", category="fact", scope="project:a", tags=["x"])
    make_memory("b", status="candidate", source="P02")
    facts = {"company_id": "acme", "thread_id": "t1", "confidence": 70, "tags": ["x", "y"]}
    make_memory("c", status="confirmed", source="P02", origin="taught", **facts)
    assert set(listed(skill_reviewer, query)) == found


@pytest.mark.parametrize("query", ["source=P01", "company_id=acme"])
def test_of_one_source_or_company_the_ten_most_certain_come_first(skill_reviewer: APIClient, query: str) -> None:
    for n in range(12):
        make_memory(f"{n % 4}", confidence=60 + n % 4, company_id="acme", status="confirmed")
    assert listed(skill_reviewer, query) == ["3", "3", "3", "2", "2", "2", "1", "1", "1", "0"]


@pytest.mark.parametrize("ordering", ["created_at", "updated_at", "confidence", "salience", "times_used", "key"])
def test_pages_hold_every_row_once_in_order_forth_and_back(skill_reviewer: APIClient, ordering: str) -> None:
    now = timezone.now()
    for n in range(9):
        moment = now - timedelta(microseconds=n // 3)
        facts: dict[str, Any] = {
            "created_at": moment,
            "updated_at": moment,
            "salience_at": now - timedelta(days=n // 3),
        }
        make_memory(
            status="confirmed", confidence=60 + n // 3, times_used=n // 3, key=f"k{n}" if n % 2 else None, **facts
        )
    for name in (ordering, f"-{ordering}"):
        forth = pages(skill_reviewer, f"{PATH}?limit=2&ordering={name}")
        ids = [id for page in forth for id in page]
        assert [len(page) for page in forth] == [2, 2, 2, 2, 1]
        assert len(set(ids)) == 9
        shown = skill_reviewer.get(f"{PATH}?ordering={name}").json()["results"]
        assert [row["id"] for row in shown] == ids
        values = ["" if row[ordering] is None else row[ordering] for row in shown]
        assert values == sorted(values, reverse=name.startswith("-"))


def test_previous_leads_back(skill_reviewer: APIClient) -> None:
    for _ in range(5):
        make_memory(status="confirmed")
    first = skill_reviewer.get(f"{PATH}?limit=2").json()
    second = skill_reviewer.get(first["next"]).json()
    assert first["previous"] is None
    assert skill_reviewer.get(second["previous"]).json()["results"] == first["results"]


def test_salience_is_the_same_on_every_page_and_what_expires_is_gone_at_once(skill_reviewer: APIClient) -> None:
    long_ago = timezone.now() - timedelta(days=1)
    for _ in range(4):
        make_memory(status="confirmed", half_life=0.01, salience_at=long_ago + timedelta(days=1))
    first = skill_reviewer.get(f"{PATH}?limit=2&ordering=-salience").json()
    Memory.objects.filter(pk=first["results"][0]["id"]).update(expires_at=long_ago)
    second = skill_reviewer.get(first["next"]).json()
    rows = [row for page in (first, second) for row in page["results"]]
    assert len({row["id"] for row in rows}) == len(rows) == 4
    assert len({row["salience"] for row in rows}) == 1
    assert len(skill_reviewer.get(second["previous"]).json()["results"]) == 1


def test_a_cursor_serves_its_own_ordering_only(skill_reviewer: APIClient) -> None:
    for _ in range(3):
        make_memory(status="confirmed")
    cursor = skill_reviewer.get(f"{PATH}?limit=1&ordering=confidence").json()["next"].split("cursor=")[1].split("&")[0]
    assert skill_reviewer.get(f"{PATH}?ordering=confidence&cursor={cursor}").status_code == 200
    for path in (
        f"{PATH}?ordering=times_used",
        f"{PATH}?ordering=-confidence",
        f"{PATH}?limit=1",
        "/api/v1/inbox?limit=1",
    ):
        refused = skill_reviewer.get(f"{path}&cursor={cursor}")
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/cursor")


def test_links_keep_the_filters(skill_reviewer: APIClient) -> None:
    for source in ("P01", "P01", "P02"):
        make_memory(status="confirmed", source=source)
    assert [len(page) for page in pages(skill_reviewer, f"{PATH}?source=P01&limit=1")] == [1, 1]


def test_an_episodes_events_come_in_order_page_by_page(skill_reviewer: APIClient) -> None:
    memory = make_run(messages=[{"role": "system", "content": "Be kind"}, user("a"), call("t", "1"), answer("x", "1")])
    url = f"/api/v1/episodes/{memory.pk}/events"
    assert pages(skill_reviewer, f"{url}?limit=2", key="position") == [[1, 2], [3]]
    events = skill_reviewer.get(url).json()["results"]
    assert [(event["text"], event["tool"], event["result"]) for event in events] == [
        ("Be kind", "", None),
        ("a", "", None),
        ("", "t", "x"),
    ]
    for other in (make_memory().pk, uuid4()):
        assert skill_reviewer.get(f"/api/v1/episodes/{other}/events").status_code == 404


def test_one_memory_is_shown_whole_with_its_version_as_etag(skill_reviewer: APIClient) -> None:
    memory = make_run(
        messages=[user("a"), call("t", "1", x=1), answer("x", "1")], chat_history=[user("before")], seed=7
    )
    found = skill_reviewer.get(f"{PATH}/{memory.pk}")
    payload = found.json()["payload"]
    assert found["ETag"] == '"1"'
    assert [(entry["event_kind"], entry["ref"], entry["summary"]) for entry in payload["timeline"]] == [
        ("message", "", "a"),
        ("tool_call", f"{str(memory.pk)[:8]}-2", "tool_call: t"),
    ]
    [node] = payload["tool_graph"]
    assert (node["tool"], node["args"], node["result"]) == ("t", {"x": 1}, "x")
    assert (payload["truncated"], payload["event_count"], payload["environment"]) == (False, 2, {"seed": 7})
    [row] = skill_reviewer.get(f"{PATH}?type=episodic").json()["results"]
    assert "timeline" not in row["payload"]


def test_an_agents_look_counts_as_use_and_a_persons_does_not(skill_reviewer: APIClient, admin_client: Any) -> None:
    memory = make_memory(status="confirmed")
    for reader, uses in ((skill_reviewer, 1), (skill_reviewer, 2), (admin_client, 2)):
        reader.get(f"{PATH}/{memory.pk}")
        row = Memory.objects.get()
        assert (row.times_used, row.version, row.updated_at) == (uses, 1, memory.updated_at)


@pytest.mark.parametrize(
    "path", ["memories?{all}", "memories?source=P01&{all}", "inbox", "skills", "episodes/{run}/events"]
)
def test_many_rows_need_no_more_queries_than_few(path: str, django_assert_num_queries: Any) -> None:
    agent, token = make_agent(permissions=["read", "review"])
    Agent.objects.filter(pk=agent.pk).update(last_used_at=timezone.now())
    client = APIClient(headers={"Authorization": f"Bearer {token}"})
    run = make_run(messages=[user("a"), call("t"), {"role": "system", "content": "s"}] * 20).pk
    all = "status=confirmed,candidate&type=episodic,semantic,competence"
    url = "/api/v1/" + path.format(run=run, all=all)
    for n in range(5):
        make_skill(f"skill-{n}", published=bool(n % 2))
        make_memory()
        make_run(id=str(n))
    queries = {"memories?{all}": 2, "inbox": 4, "skills": 4, "episodes/{run}/events": 3}.get(path, 3)
    for limit in (1, 50):
        with django_assert_num_queries(queries):
            joint = "&" if "?" in url else "?"
            assert len(client.get(f"{url}{joint}limit={limit}").json()["results"]) >= min(limit, 5)
