"""The table of tools, and its door over HTTP: the same verbs as the endpoints, in answers short enough for a model."""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.models import Memory
from memories.values.choices import Permission, Sensitivity, Type
from memos_site.api.tools import TOOLS
from tests.make import AT, bearing, make_agent, make_memory, make_run, make_skill, user
from tests.memories.searched import known
from tests.memos_site.calling import NAMES, good_calls

pytestmark = pytest.mark.django_db
Json = dict[str, Any]


def agent_client(**facts: Any) -> tuple[APIClient, str]:
    agent, token = make_agent(**facts)
    return bearing(token), agent.trust.actor.identity


def call(client: APIClient, tool: str, arguments: Any, **headers: str) -> Any:
    return client.post(f"/api/v1/tools/{tool}", arguments, format="json", headers=headers)


def answer(client: APIClient, tool: str, **arguments: Any) -> Json:
    response = call(client, tool, arguments)
    assert response.status_code == 200, response.json()
    return dict(response.json())


def test_the_table_has_the_tools_that_were_agreed_and_none_that_decides() -> None:
    assert set(TOOLS) == NAMES
    assert all(Permission.REVIEW not in tool.needs for tool in TOOLS.values())


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_every_tool_is_told_in_one_sentence_with_a_schema_that_stands_alone(tool: Any) -> None:
    assert tool.description.endswith(".")
    assert tool.description.count(". ") == 0
    assert len(tool.description) < 250
    text = json.dumps(tool.schema)
    assert tool.schema["type"] == "object"
    assert "$ref" not in text
    assert '"null"' not in text
    assert ("next" in tool.schema["properties"]) == tool.read_only


def test_the_whole_list_leaves_room_in_a_context_window() -> None:
    client, _ = agent_client()
    entries = client.get("/api/v1/tools").json()["results"]
    assert {entry["name"] for entry in entries} == NAMES
    assert len(json.dumps([[entry["description"], entry["input_schema"]] for entry in entries])) < 25_000


def test_a_schema_names_what_the_endpoint_takes() -> None:
    client, _ = agent_client()
    schemas = {entry["name"]: entry["input_schema"] for entry in client.get("/api/v1/tools").json()["results"]}
    assert schemas["memory_store"]["required"] == ["source", "key", "category", "content"]
    assert schemas["check_before_write"]["properties"]["about_to"]["required"] == ["tool"]
    assert schemas["add_conversation"]["properties"]["title"]["type"] == "string"


@pytest.mark.parametrize("tool", sorted(NAMES))
def test_every_tool_can_be_called(tool: str) -> None:
    client, identity = agent_client()
    response = call(client, tool, good_calls(identity)[tool])
    assert response.status_code == 200, response.json()
    assert len(response.content) < 4_200


def test_a_caller_is_shown_only_what_it_may_call() -> None:
    client, _ = agent_client(permissions=["report"])
    names = {entry["name"] for entry in client.get("/api/v1/tools").json()["results"]}
    assert names == {"ingest_outcome", "report_skill_use"}
    refused = call(client, "memory_query", {"text": "Acme"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")


def test_no_token_no_tools() -> None:
    assert APIClient().get("/api/v1/tools").status_code == 401
    assert call(APIClient(), "memory_query", {"text": "Acme"}).status_code == 401


def test_an_unknown_tool_is_404() -> None:
    client, _ = agent_client(permissions=Permission.values)
    assert call(client, "memory_promote", {}).status_code == 404


@pytest.mark.parametrize(
    ("tool", "arguments", "pointer"),
    [
        ("memory_query", {}, "/text"),
        ("memory_query", {"text": "a", "colour": 1}, "/colour"),
        ("memory_store", {"key": "k", "category": "gossip", "content": "c", "source": "s"}, "/category"),
        ("memory_get", {}, ""),
        ("memory_query", {"text": "a", "next": "x"}, "/next"),
        ("memory_query", {"text": "a", "max_chars": 3}, "/max_chars"),
        ("memory_store", {"key": "k", "category": "fact", "content": "c", "source": "s", "next": "0"}, "/next"),
        ("ingest_outcome", {"source": "s", "target_record_id": "7", "outcome_status": "success"}, "/target_record_id"),
        ("check_before_write", {"task": "a"}, "/about_to"),
        ("check_before_write", {"task": "a", "about_to": {}}, "/about_to/tool"),
        ("skill_get", {"name": "a", "version": 0}, "/version"),
        ("search", [], ""),
    ],
)
def test_wrong_arguments_are_a_400_that_names_the_field(tool: str, arguments: Any, pointer: str) -> None:
    client, _ = agent_client()
    response = call(client, tool, arguments)
    assert response.status_code == 400
    assert pointer in [error["pointer"] for error in response.json()["errors"]]


def test_storing_is_the_same_verb_as_the_endpoint() -> None:
    client, _ = agent_client()
    note = {"key": "acme-terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "P01"}
    assert call(client, "memory_store", note).json()["created"] is True
    again = client.post("/api/v1/memories", note, format="json").json()
    assert (again["created"], again["reinforced"]) == (False, True)
    assert answer(client, "memory_store", **note)["reinforced"] is True


def test_the_same_idempotency_key_stores_once_and_another_body_is_a_conflict() -> None:
    client, _ = agent_client()
    event = {"source": "P01", "event_kind": "mail", "ref": "m1"}
    first = call(client, "ingest_event", event, **{"Idempotency-Key": "k1"})
    again = call(client, "ingest_event", event, **{"Idempotency-Key": "k1"})
    assert first.json() == again.json()
    assert (Memory.objects.count(), again["Idempotent-Replay"]) == (1, "true")
    assert call(client, "ingest_event", {**event, "ref": "m2"}, **{"Idempotency-Key": "k1"}).status_code == 409


def test_what_a_caller_may_not_see_is_in_no_answer() -> None:
    client, _ = agent_client(clearance=Sensitivity.LOW)
    secret = make_memory(
        "Acme is for sale", key="sale", company_id="acme", status="confirmed", sensitivity=Sensitivity.HIGH
    )
    assert call(client, "memory_get", {"id": str(secret.pk)}).status_code == 404
    assert call(client, "memory_delete", {"key": "sale"}).status_code == 404
    for tool, arguments in (
        ("memory_query", {"text": "Acme is for sale"}),
        ("search", {"query": "Acme is for sale"}),
        ("memory_by_company", {"company_id": "acme"}),
        ("memory_by_plugin", {"plugin": "P01"}),
        ("memory_by_plugin", {"source": "P01"}),
    ):
        assert answer(client, tool, **arguments)["results"] == []


def test_by_company_is_the_most_certain_first_and_counts_a_use() -> None:
    client, _ = agent_client()
    for number in (70, 90, 80):
        make_memory(f"Fact {number}", key=f"k{number}", company_id="acme", status="confirmed", confidence=number)
    results = answer(client, "memory_by_company", company_id="acme", limit=2)
    assert [row["confidence"] for row in results["results"]] == [90, 80]
    last = answer(client, "memory_by_company", company_id="acme", limit=2, next=results["next"])
    assert ([row["confidence"] for row in last["results"]], "next" in last) == ([70], False)
    assert set(Memory.objects.values_list("times_used", flat=True)) == {1}


def test_a_long_list_comes_in_pages_that_fit_and_nothing_is_lost_between_them() -> None:
    client, _ = agent_client()
    for number in range(30):
        make_memory(
            f"Fact {number}: " + "words " * 60, key=f"k{number:02}", source="P07", status="confirmed", created_at=AT
        )
    asked: Json = {"plugin": "P07", "limit": 30}
    keys, pages = [], 0
    while True:
        response = call(client, "memory_by_plugin", asked)
        assert len(response.content) <= 4_000
        keys += [row["key"] for row in response.json()["results"]]
        pages += 1
        if "next" not in response.json():
            break
        asked["next"] = response.json()["next"]
    assert pages > 3
    assert sorted(keys) == [f"k{number:02}" for number in range(30)]


def test_a_long_memory_comes_in_pieces_that_make_the_whole() -> None:
    client, _ = agent_client()
    content = "".join(f"line {number}\n" for number in range(2_000))
    memory = make_memory(content, key="long", status="confirmed")
    asked: Json = {"id": str(memory.pk)}
    pieces = []
    while True:
        page = answer(client, "memory_get", **asked)
        pieces.append(page["content"])
        if "next" not in page:
            break
        asked["next"] = page["next"]
    assert "".join(pieces) == content
    assert max(len(piece) for piece in pieces) < 4_000
    assert len(answer(client, "memory_get", id=str(memory.pk), max_chars=100_000)["content"]) == len(content)


def test_an_episode_is_read_event_by_event() -> None:
    client, _ = agent_client()
    episode = make_run(messages=[user(f"Question {number} " + "word " * 100) for number in range(20)])
    first = answer(client, "memory_get", id=str(episode.pk))
    rest = answer(client, "memory_get", id=str(episode.pk), next=first["next"])
    assert first["memory"]["id"] == str(episode.pk)
    assert rest["events"][0]["position"] == first["events"][-1]["position"] + 1


def test_one_item_that_is_too_long_alone_is_cut_and_says_so() -> None:
    client, _ = agent_client()
    make_memory("word " * 4_000, key="long", source="P07", status="confirmed")
    response = call(client, "memory_by_plugin", {"plugin": "P07", "max_chars": 600})
    assert "characters more" in response.json()["results"][0]["content"]
    assert len(response.content) <= 600


def test_a_skill_is_found_read_and_its_use_counted() -> None:
    client, _ = agent_client()
    make_skill("rename-file", published=False)
    skill = make_skill()
    assert [row["name"] for row in answer(client, "skill_search")["results"]] == ["book-flight"]
    read = answer(client, "skill_get", name="book_flight")
    assert read["skill_md"].startswith("---\nname: book-flight")
    assert read["url"].endswith("/api/v1/skills/book-flight/versions/1/content?scope=")
    assert call(client, "skill_get", {"name": "rename-file"}).status_code == 404
    assert answer(client, "report_skill_use", name=skill.name, outcome="success")["performance"]["success_count"] == 1


def test_a_search_that_finds_competences_answers_what_the_endpoint_selects() -> None:
    client, _ = agent_client()
    memory = known("Book a flight", type=Type.COMPETENCE, confidence=90)
    asked = {"query": "book a flight", "types": ["competence"]}

    told = answer(client, "search", **asked)["selection"]

    selection = client.post("/api/v1/search", asked, format="json").json()["selection"]
    assert (told["selected"], told.keys()) == (selection["selected"], selection.keys())
    assert list(told["scores"]) == told["selected"] == [str(memory.pk)]


def test_a_tool_call_names_the_node_that_later_ones_depend_on() -> None:
    client, _ = agent_client()
    first = answer(client, "ingest_tool_output", source="P01", tool_name="get_order", thread_id="t1")
    [node] = first["node_ids"]
    later = answer(client, "ingest_tool_output", source="P01", tool_name="refund", depends_on=[node])
    assert later["episode_id"] == first["episode_id"]


def test_a_null_argument_counts_as_not_given() -> None:
    client, _ = agent_client()
    assert answer(client, "memory_query", text="Acme", scope=None, category=None, next=None)["results"] == []
