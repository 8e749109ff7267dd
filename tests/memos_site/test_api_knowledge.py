"""GET memories shows what is known: of a source or company best first, counted as used, and found by any key."""

from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from rest_framework.test import APIClient

from memories.models import Memory
from tests.make import AT, caller, make_memory, make_run

pytestmark = pytest.mark.django_db
PATH = "/api/v1/memories"
LONGEST_CURSOR = 1_500


def contents(client: APIClient, query: str) -> list[str]:
    found = client.get(f"{PATH}?{query}")
    assert found.status_code == 200, found.content
    return [row["content"] for row in found.json()["results"]]


def make_tool_outputs(client: APIClient, number: int) -> None:
    for n in range(number):
        body = {"source": "P01", "tool_name": "get_order", "args": {"n": n}}
        assert client.post("/api/v1/tool-outputs", body, format="json").status_code == 201


def test_twelve_tool_outputs_do_not_hide_the_preference_of_their_source(agent: APIClient) -> None:
    make_tool_outputs(agent, 12)
    make_memory("prefers tea", status="confirmed", confidence=70, company_id="acme", category="preference")
    for query in ("source=P01", "company_id=acme", "", "status=confirmed", "type="):
        assert contents(agent, query) == ["prefers tea"]


def test_episodes_come_where_the_type_names_them(agent: APIClient) -> None:
    make_tool_outputs(agent, 2)
    make_memory("prefers tea", status="confirmed")
    assert len(contents(agent, "source=P01&type=episodic")) == 2
    assert len(contents(agent, "source=P01&type=episodic,semantic")) == 3


def test_stubs_of_what_is_above_are_knowledge_too(agent: APIClient) -> None:
    make_memory(status="confirmed", sensitivity=3)
    make_run(sensitivity="high")
    found = agent.get(f"{PATH}?include_redacted=true").json()["results"]
    assert [(stub["type"], stub["redacted"]) for stub in found] == [("semantic", True)]


@pytest.mark.parametrize("query", ["source=P01", "source_plugin=P01", "company_id=acme"])
def test_what_an_agent_reads_of_a_source_or_company_is_used_and_what_a_person_reads_is_not(
    agent: APIClient, admin_client: Any, query: str
) -> None:
    shown = make_memory("a", status="confirmed", company_id="acme", confidence=70)
    beyond = make_memory("b", status="confirmed", company_id="acme", confidence=60)
    other = make_memory("c", status="confirmed", source="P02", company_id="zeta")
    for reader in (agent, admin_client):
        assert len(reader.get(f"{PATH}?{query}&limit=1").json()["results"]) == 1
        uses = dict(Memory.objects.values_list("pk", "times_used"))
        assert uses == {shown.pk: 1, beyond.pk: 0, other.pk: 0}
    assert agent.get(f"{PATH}/{shown.pk}").json()["times_used"] == 1


@pytest.mark.parametrize("query", ["", "scope=", "type=semantic"])
def test_any_other_list_uses_nothing(agent: APIClient, query: str) -> None:
    make_memory(status="confirmed")
    assert len(contents(agent, query)) == 1
    assert Memory.objects.get().times_used == 0


@pytest.mark.parametrize(
    "query", ["source_plugin=P02", "memory_types=competence", "memory_types=SkillMemory", "scopes=project:b"]
)
def test_parameters_are_known_by_their_other_names(agent: APIClient, query: str) -> None:
    make_memory("a", status="confirmed")
    make_memory("b", status="confirmed", source="P02", type="competence", scope="project:b")
    assert contents(agent, query) == ["b"]


def test_a_published_name_is_unknown_where_ours_is() -> None:
    refused = caller().get("/api/v1/adaptations?source_plugin=P01")
    assert refused.json()["errors"][0]["code"] == "unknown_parameter"


@pytest.mark.parametrize("letter", ["k", "é", "项", "\U0001f680", "\\", '"', "\x01"])
def test_keys_of_full_length_page_to_the_end_by_addresses_that_fit(agent: APIClient, letter: str) -> None:
    for n in range(3):
        make_memory(str(n), status="confirmed", key=letter * 254 + str(n))
    url, read = f"{PATH}?ordering=key&limit=1", []
    while url:
        page = agent.get(url).json()
        read += [row["content"] for row in page["results"]]
        url = page["next"]
        assert len(url or "") < LONGEST_CURSOR
    assert read == ["0", "1", "2"]


def test_the_most_various_keys_give_short_cursors_too(agent: APIClient) -> None:
    various = [chr(0x10000 + n * 4099 % 0xFFFFF) for n in range(510)]
    for n in range(2):
        make_memory(status="confirmed", key="".join(various[n::2]))
    assert len(agent.get(f"{PATH}?ordering=key&limit=1").json()["next"]) < LONGEST_CURSOR


@pytest.mark.parametrize("key", ["two\nlines", "\n", "a/b\r\nc", "tab\tand  spaces", "?&#%"])
def test_a_memory_is_found_and_forgotten_by_whatever_key_it_was_stored_under(key: str) -> None:
    client = caller(permissions=["read", "ingest"])
    body = {"key": f"k{key}k", "category": "preference", "content": "tea", "source": "P01"}
    stored = client.post(PATH, body, format="json").json()["memory"]
    url = f"{PATH}/by-key/{quote(f'k{key}k', safe='')}"
    assert client.get(url).json()["id"] == stored["id"]
    assert client.delete(url).json()["memory"] == stored["id"]


def test_a_working_state_is_found_by_a_thread_with_a_line_break(agent: APIClient) -> None:
    body = {"source": "P01", "thread_id": "two\nlines", "state": "planning"}
    assert agent.post("/api/v1/working-states", body, format="json").status_code == 201
    found = agent.get(f"/api/v1/working-states/{quote('two' + chr(10) + 'lines')}")
    assert found.json()["thread_id"] == "two\nlines"


def test_a_list_of_knowledge_passes_by_the_episodes_through_its_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX memory_newest; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    plan = Memory.objects.knowledge().current(AT).order_by("-created_at", "-id")[:50].explain()
    assert "Index Scan using memory_newest_known" in plan
