"""Who speaks is read from every spelling of a role, of a message as of an event's kind."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from memories.models import Event
from memories.values import roles
from tests.make import caller, make_run, user

MIGRATION: Any = import_module("memories.migrations.0053_roles_of_events")
SAID = "Refund order-9, please"
KINDS = [
    *[("user_input", "user"), ("user_message", "user"), ("UserMessage", "user"), ("human", "user")],
    *[("gen_ai.user.message", "user"), ("user", "user"), ("user_prompt", "user"), ("HumanMessage", "user")],
    *[("assistant_output", "assistant"), ("assistant_message", "assistant"), ("gen_ai.assistant.message", "assistant")],
    *[("gen_ai.choice", "assistant"), ("AIMessage", "assistant"), ("model", "assistant"), ("assistant", "assistant")],
    *[("gen_ai.system.message", "system"), ("system_prompt", "system"), ("developer", "system")],
    *[("gen_ai.tool.message", "tool"), ("ToolMessage", "tool"), ("function", "tool")],
]


def reported(kind: str, **body: Any) -> Event:
    told = {"source": "cc", "event_kind": kind, "ref": "m1", "summary": SAID, **body}
    answered: Any = caller().post("/api/v1/events", told, format="json")
    assert answered.status_code == 201, answered.content
    return Event.objects.get(episode=answered.json()["id"])


@pytest.mark.parametrize(
    ("spelling", "role"),
    [
        *[("User", "user"), ("human", "user"), ("用户", "user"), ("ai", "assistant"), ("model", "assistant")],
        *[("system", "system"), ("developer", "system"), ("function", "tool"), ("narrator", "narrator"), ("", "")],
    ],
)
def test_a_role_is_known_by_its_spellings(spelling: str, role: str) -> None:
    assert roles.of(spelling) == role


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "role"), KINDS)
def test_an_event_of_a_kind_that_spells_a_role_is_what_somebody_said(kind: str, role: str) -> None:
    event = reported(kind)
    assert (event.kind, event.role, event.text, event.summary) == (kind, role, SAID, SAID)
    assert event.passages.count() == (0 if role == "system" else 1)
    assert all(passage.text == SAID for passage in event.passages.all())


@pytest.mark.django_db
@pytest.mark.parametrize(
    "kind", ["plugin_run", "system", "customer", "user_created", "model_trained", "tool_call_failed"]
)
def test_an_event_about_somebody_is_no_message(kind: str) -> None:
    event = reported(kind)
    assert (event.role, event.text, event.passages.count()) == ("", "", 1)


@pytest.mark.django_db
def test_of_a_conversation_the_words_of_a_human_are_those_of_its_user() -> None:
    said = [{"role": "System", "content": "Be brief"}, {"role": "Human", "content": SAID}]
    made = make_run(messages=said)
    assert made.content == SAID
    (system, human) = made.episode.events.all()
    assert (system.instruction is not None, human.role) == (True, "Human")
    assert list(Event.objects.spoken_by(roles.USER)) == [human]
    assert list(Event.objects.not_spoken_by(roles.SYSTEM)) == [human]


@pytest.mark.django_db
def test_events_that_were_stored_without_a_role_get_it() -> None:
    kept = [reported(kind) for kind, _ in KINDS]
    other, message = reported("plugin_run"), make_run(messages=[user("Hello")]).episode.events.get()
    Event.objects.filter(kind__in=dict(KINDS)).update(role="", text="")
    MIGRATION.speak(apps, connection.schema_editor())
    now = Event.objects.in_bulk([event.pk for event in kept])
    assert [(now[event.pk].kind, now[event.pk].role, now[event.pk].text) for event in kept] == [
        (kind, role, SAID) for kind, role in KINDS
    ]
    other.refresh_from_db()
    message.refresh_from_db()
    assert (other.role, other.text, message.role, message.text) == ("", "", "user", "Hello")
