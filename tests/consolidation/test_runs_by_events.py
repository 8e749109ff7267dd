"""A run that was reported as events and tool outputs is compared as one that came as a conversation."""

from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connection
from rest_framework.test import APIClient

from consolidation.models.profiles import RunProfile
from memories.models import Event, Memory
from tests.consolidation.experience import consolidated
from tests.consolidation.test_guidance import ask, talk
from tests.make import caller

pytestmark = pytest.mark.django_db
ROLES = import_module("memories.migrations.0053_roles_of_events")
PROFILES = import_module("consolidation.migrations.0032_profiles_of_events")
KINDS = [("user_input", "assistant_output"), ("gen_ai.user.message", "gen_ai.choice"), ("human", "ai")]
TOLD = {"role": "assistant", "content": "I shall cancel it, is that right?"}
COMPARED = ("outcome", "effects", "opening", "identifiers", "packed", "packed_opening", "vector")
Json = dict[str, Any]


def steps(n: int, *tools: str) -> list[Json]:
    wish, *calls = talk(n, *tools)
    return [wish, TOLD, *calls]


def report(client: APIClient, n: int, *tools: str, kinds: tuple[str, str] = KINDS[0], outcome: str = "success") -> str:
    """As the ingestion design has it: what was said as events, each call with its result, and how it ended."""
    run, messages = {"source": "desk", "thread_id": f"case-{n}"}, steps(n, *tools)
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            continue
        if message.get("tool_calls"):
            function, result = message["tool_calls"][0]["function"], messages[place + 1]["content"]
            called = {"tool_name": function["name"], "args": function["arguments"], "result": result}
            episode = episode_of(client, "tool-outputs", {**run, **called})
        else:
            kind = kinds[message["role"] == "assistant"]
            said = {"event_kind": kind, "ref": f"m{place}", "summary": message["content"]}
            episode = episode_of(client, "events", {**run, **said})
    ended = {"source": "desk", "target_record_id": episode, "outcome_status": outcome}
    return episode_of(client, "outcomes", ended)


def episode_of(client: APIClient, path: str, body: Json) -> str:
    answered: Any = client.post(f"/api/v1/{path}", {"scope": "project:acme", **body}, format="json")
    assert answered.status_code in (200, 201), answered.content
    return str(answered.json().get("episode", answered.json())["id"])


def profile(episode: str) -> Json:
    row = RunProfile.objects.get(pk=UUID(episode))
    return {
        name: bytes(value) if isinstance(value := getattr(row, name), memoryview) else str(value) for name in COMPARED
    }


@pytest.fixture
def acme_agent() -> APIClient:
    return caller(scopes=["project:acme"])


@pytest.mark.parametrize("kinds", KINDS)
def test_its_profile_is_that_of_the_conversation(acme_agent: APIClient, kinds: tuple[str, str]) -> None:
    by_events = report(acme_agent, 1, "cancel_ticket", kinds=kinds)
    body = {"source": "desk", "thread_id": "talk", "messages": steps(1, "cancel_ticket"), "outcome": "success"}
    by_messages = episode_of(acme_agent, "conversations", body)
    consolidated()
    assert profile(by_events) == profile(by_messages)
    assert profile(by_events)["opening"] == talk(1)[0]["content"]


def test_guidance_answers_from_it(acme_agent: APIClient) -> None:
    told = [report(acme_agent, n) for n in range(3)]
    told += [report(acme_agent, n, "cancel_ticket", outcome="failure") for n in (3, 4)]
    consolidated()
    answered = ask(acme_agent, about_to={"tool": "cancel_ticket"})
    assert {one["episode_id"] for one in answered["similar"]} == set(told)
    assert answered["check"]["verdict"] == "advised_against"


def test_one_that_was_digested_without_roles_is_known_after_the_upgrade(acme_agent: APIClient) -> None:
    told = report(acme_agent, 1, "cancel_ticket")
    Event.objects.filter(kind__in=KINDS[0]).update(role="", text="")
    consolidated()
    assert not RunProfile.objects.exists()
    ROLES.speak(apps, connection.schema_editor())
    with connection.cursor() as cursor:
        cursor.execute(PROFILES.QUEUE)
    consolidated()
    assert profile(told)["opening"] == talk(1)[0]["content"]


def test_what_its_user_states_is_kept(acme_agent: APIClient) -> None:
    said = {"source": "desk", "thread_id": "t", "event_kind": "user_input", "ref": "m1"}
    episode = episode_of(acme_agent, "events", {**said, "summary": "Remember: invoices of Acme go to Berta."})
    episode_of(acme_agent, "outcomes", {"source": "desk", "target_record_id": episode, "outcome_status": "success"})
    consolidated()
    assert Memory.objects.filter(content__contains="invoices of Acme go to Berta", type="semantic").exists()
