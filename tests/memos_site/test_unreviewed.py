"""Every door to other agents says what one of them alone has said: the API, tools, MCP, the hooks of coding agents."""

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import Origin, Permission, Status
from memories.values.speakers import agents_of, review_of
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import ANNA, AT, bearing, make_agent
from tests.memories.searched import known
from tests.memos_site.harness import connect, hook, sessions
from tests.memos_site.mcp_client import session

if TYPE_CHECKING:
    from mcp import Client as McpClient

pytestmark = pytest.mark.django_db
PAYS = "Acme pays on net-30 terms"
MARK = "unreviewed, said by one agent"
QUESTION = "When does Acme pay?"
Json = dict[str, Any]


@pytest.fixture
def ada() -> APIClient:
    return bearing(make_agent("ada")[1])


@pytest.fixture
def bob() -> APIClient:
    return bearing(make_agent("bob")[1])


def stored(client: APIClient, *, status: str = Status.CONFIRMED, **said: Any) -> Memory:
    """The same claim once more; then it stands where the ladder would have taken it."""
    body = {"key": "acme-terms", "category": "fact", "content": PAYS, "company_id": "Acme", "source": "P01", **said}
    answer: Any = client.post("/api/v1/memories", body, format="json")
    Memory.objects.filter(pk=answer.json()["memory"]["id"]).update(status=status, confidence=70)
    return Memory.objects.get(pk=answer.json()["memory"]["id"])


def asked(client: Any, path: str, body: Json) -> Json:
    answer: Any = client.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def block(client: Any) -> str:
    return str(asked(client, "context", {"task": QUESTION})["block"])


READS = {
    "memory_query": {"text": QUESTION},
    "search": {"query": QUESTION},
    "memory_get": {"key": "acme-terms"},
    "memory_by_company": {"company_id": "Acme"},
    "memory_by_plugin": {"plugin": "P01"},
}


def told(client: APIClient, tool: str) -> Json:
    """The memory as this tool answers it, {} for none."""
    answer: Any = client.post(f"/api/v1/tools/{tool}", READS[tool], format="json")
    body = answer.json()
    return dict(body.get("memory") or next(iter(body.get("results", ())), {}))


def test_a_context_marks_the_line_and_says_who_stands_behind_each_item(ada: APIClient, bob: APIClient) -> None:
    stored(ada)
    assert (MARK in block(ada), MARK in block(bob)) == (False, True)
    for client in (ada, bob):
        [item] = asked(client, "context", {"task": QUESTION})["items"]
        assert (item["review"], item["agents"], item["overridable"]) == ("one_agent", 1, True)
    stored(bob)
    [item] = asked(bob, "context", {"task": QUESTION})["items"]
    assert (item["review"], item["agents"], MARK in block(ada) + block(bob)) == ("agents", 2, False)


def test_a_persons_promotion_takes_the_mark_and_its_undo_brings_it_back(
    ada: APIClient, bob: APIClient, reviewer: Client
) -> None:
    memory = stored(ada)
    batch = asked(reviewer, f"memories/{memory.pk}/promote", {"to": "applied"})["batch"]
    [item] = asked(bob, "context", {"task": QUESTION})["items"]
    assert (item["review"], item["overridable"], MARK in block(bob)) == ("person", False, False)
    asked(reviewer, f"audit/{batch}/undo", {})
    [item] = asked(bob, "context", {"task": QUESTION})["items"]
    assert (item["review"], item["overridable"], MARK in block(bob)) == ("one_agent", True, True)


@pytest.mark.parametrize("tool", READS)
def test_a_tool_marks_what_one_other_agent_has_said(ada: APIClient, bob: APIClient, tool: str) -> None:
    stored(ada)
    other, own = told(bob, tool), told(ada, tool)
    assert (other["review"], other["agents"], other["unreviewed"]) == ("one_agent", 1, "said by one agent")
    assert (own["review"], "unreviewed" in own) == ("one_agent", False)
    stored(bob)
    assert (told(bob, tool)["review"], "unreviewed" in told(bob, tool)) == ("agents", False)


@pytest.mark.parametrize("tool", READS)
def test_what_is_hidden_no_tool_gives_to_others(ada: APIClient, bob: APIClient, tool: str, settings: Any) -> None:
    stored(ada)
    settings.UNREVIEWED_CLAIMS = "hide"
    assert (told(bob, tool), told(ada, tool)["content" if tool != "memory_get" else "key"] != "") == ({}, True)
    settings.UNREVIEWED_CLAIMS = "plain"
    assert "unreviewed" not in told(bob, tool)


def test_hidden_it_is_in_no_search_and_no_list_of_others_but_people_and_reviewers_see_it(
    ada: APIClient, bob: APIClient, reviewer: Client, settings: Any
) -> None:
    stored(ada)
    settings.UNREVIEWED_CLAIMS = "hide"
    judge = bearing(make_agent(permissions=[*Permission.values])[1])
    found = [len(asked(one, "search", {"query": QUESTION})["results"]) for one in (ada, bob, judge, reviewer)]
    listed = [len(one.get("/api/v1/memories").json()["results"]) for one in (ada, bob, judge, reviewer)]
    blocks = [PAYS in block(one) for one in (ada, bob, judge, reviewer)]
    assert (found, listed, blocks) == ([1, 0, 0, 1], [1, 0, 1, 1], [True, False, False, True])


def test_a_list_is_filtered_by_who_stands_behind_a_claim(ada: APIClient, bob: APIClient) -> None:
    stored(ada)
    known("Acme pays by cheque", speakers=["agent:a", "agent:b", "agent:c"])
    known("Acme pays late", hold="floor")
    reviews = ("person", "agents", "one_agent")
    pages = [bob.get(f"/api/v1/memories?review={review}").json()["results"] for review in reviews]
    found = [[(row["review"], row["agents"]) for row in page] for page in pages]
    assert found == [[("person", 1)], [("agents", 3)], [("one_agent", 1)]]
    assert bob.get("/api/v1/memories?review=nobody").status_code == 400


def test_the_history_of_a_memory_names_no_speaker(ada: APIClient, bob: APIClient) -> None:
    memory = stored(ada, content="Maria prefers tea", status=Status.CANDIDATE)
    stored(bob, content="Maria prefers coffee", status=Status.CANDIDATE)
    text = bob.get(f"/api/v1/memories/{memory.pk}?include=history&include=evidence").content.decode()
    assert "prefers coffee" in text
    assert "speakers" not in text
    assert "agent:" not in text


@pytest.mark.django_db(transaction=True)
def test_mcp_marks_texts_and_structures(live_server: Any) -> None:
    stored(bearing(make_agent("ada")[1]))

    async def work(client: "McpClient") -> dict[str, list[str]]:
        arguments: dict[str, Json] = {**READS, "context": {"task": QUESTION}}
        answers = {name: await client.call_tool(name, given) for name, given in arguments.items()}
        return {name: [block.text for block in answer.content] for name, answer in answers.items()}  # type: ignore[union-attr]

    texts = session(live_server.url, make_agent("bob")[1], work)
    for name in READS:
        assert '"unreviewed":"said by one agent"' in texts[name][-1], name
    assert texts["memory_get"][0].startswith(f"[{MARK}] {PAYS}\n")
    assert f"- [fact, {MARK}] {PAYS}" in texts["context"][0]
    assert '"review":"one_agent","agents":1' in texts["context"][1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini-cli"])
def test_a_hook_prints_the_mark(tmp_path: Path, live_server: Any, harness: str) -> None:
    stored(bearing(make_agent("ada")[1]))
    connect(tmp_path, live_server.url, make_agent("bob")[1])
    said = hook(tmp_path, sessions(QUESTION, "t", {}, {})[harness][0], harness)
    assert f"- [fact, {MARK}] {PAYS}" in said["hookSpecificOutput"]["additionalContext"]


def test_a_page_says_that_nobody_has_reviewed_it(ada: APIClient, reviewer: Client) -> None:
    memory = stored(ada, status=Status.CANDIDATE)
    said = "Reported by one agent, not reviewed"
    pages = [reverse("pane", args=[memory.pk]), reverse("memory", args=[memory.pk])]
    assert [said in reviewer.get(page).content.decode() for page in pages] == [True, True]
    memory.promote(by=ANNA, at=AT)
    assert said not in reviewer.get(f"/memories/{memory.pk}/").content.decode()


def test_what_a_user_said_in_a_run_is_shown_as_a_users_words_and_no_agents(reviewer: Client) -> None:
    task = {"role": "user", "content": "What was our net revenue in March?"}
    run([], messages=[task, {"role": "user", "content": "Remember: invoices are due after 30 days"}])
    consolidated(at=NOON + timedelta(days=1))
    memory = Memory.objects.get(origin=Origin.EXTRACTED)
    pane = strip_tags(reviewer.get(reverse("pane", args=[memory.pk])).content.decode())
    assert "A user said it first" in " ".join(pane.split())
    assert "Not reviewed." in pane
    assert "one agent" not in pane


def test_what_a_person_dismissed_is_not_called_decided_by_nobody(ada: APIClient, reviewer: Client) -> None:
    memory = stored(ada, status=Status.CANDIDATE)
    memory.dismiss(by=ANNA, why="noise", at=AT)
    page = reviewer.get(f"/memories/{memory.pk}/").content.decode()
    assert "not reviewed" not in page.lower()
    assert "What happens when I decide" not in page


def test_the_page_of_memories_is_narrowed_by_who_stands_behind_them(ada: APIClient, reviewer: Client) -> None:
    stored(ada)
    known("Acme pays late", hold="floor")
    whole = reviewer.get("/memories/").content.decode()
    assert "?review=one_agent" in whole
    narrowed = reviewer.get("/memories/?review=one_agent").content.decode()
    assert (PAYS in narrowed, "Acme pays late" in narrowed) == (True, False)
    searched = strip_tags(reviewer.get("/memories/?review=person&q=Acme+pays").content.decode())
    assert (PAYS in searched, "pays late" in searched) == (False, True)


def test_who_repeats_in_a_session_what_its_context_told_there_is_no_second_voice(
    ada: APIClient, bob: APIClient
) -> None:
    stored(ada)
    told = bob.post("/api/v1/context", {"task": QUESTION, "source": "bob", "thread_id": "s1"}, format="json").json()
    assert MARK in told["block"]
    again: Json = {"key": "acme-terms", "category": "fact", "content": "Acme pays its invoices on terms of net-30"}
    claim = stored(bob, **again, thread_id="s1")
    assert (review_of(claim), agents_of(claim), claim.content, claim.times_confirmed) == ("one_agent", 1, PAYS, 1)
    claim = stored(bob, **again, thread_id="s2")  # of itself, in another session
    assert (review_of(claim), agents_of(claim)) == ("agents", 2)
