"""With a credential in every text of the store, written there in clear, no page and no answer shows it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models
from django.test import Client
from django.utils import timezone

from memories.models import AuditEntry, Episode, Memory, Proposal
from memories.scanning import masked_answers
from memories.values.choices import Type
from memos_site import demo
from skills.models import Skill
from tests.browser import every_page
from tests.make import bearing, bytes_of, caller, make_agent, make_memory, make_person
from tests.memos_site.test_api_trust import LISTS
from tests.pages import signed_in

CLEAR, KEY = "hunter2-Kz93Q", "AKIAIOSFODNN7EXAMPLE"
BEFORE = f"password={CLEAR} {KEY} "
ROOM = 60  # characters that a column must have left


def put_everywhere() -> int:
    """Begin every text of several words in every table of ours with a credential; how many columns hold one."""
    columns = 0
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # the audit trail is append-only
    for label in ("memories", "skills", "consolidation"):
        for model in apps.get_app_config(label).get_models():
            for field in model._meta.concrete_fields:
                columns += _put_into(model._meta.db_table, field)
    return columns


def _put_into(table: str, field: Any) -> int:
    column = f'"{field.column}"'
    with connection.cursor() as cursor:
        if isinstance(field, models.CharField | models.TextField):
            most = (field.max_length or 1_000_000) - ROOM
            where = f"{column} LIKE '%% %%' AND length({column}) < %s"
            cursor.execute(f'UPDATE "{table}" SET {column} = %s || {column} WHERE {where}', [BEFORE, most])
            return int(cursor.rowcount > 0)
        if not isinstance(field, models.JSONField):
            return 0
        cursor.execute(f'SELECT ctid::text, {column} FROM "{table}" WHERE {column} IS NOT NULL')
        rows = [(place, json.loads(value)) for place, value in cursor.fetchall()]
        changed = [(json.dumps(_with(value)), place) for place, value in rows if _with(value) != value]
        for value, place in changed:  # the row moves, so each is looked for by its own place of before
            cursor.execute(f'UPDATE "{table}" SET {column} = %s WHERE ctid = %s::tid', [value, place])
        return int(bool(changed))


def _with(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with(inner) for inner in value]
    return BEFORE + value if isinstance(value, str) and " " in value else value


def pages(person: Any) -> Iterator[str]:
    for addresses in every_page.addresses(person).values():
        yield from addresses
    for memory in every_page._of_each_state():
        yield from (f"/memories/{memory.pk}/edit/", f"/memories/{memory.pk}/pane/")
    yield from (f"/proposals/{one.pk}/pane/" for one in Proposal.objects.all()[:3])
    yield from ("/memories/", "/memories/?q=password", "/memories/export.csv", "/memories/export.jsonl")
    yield from ("/dismissed/dismissed.csv", "/adaptations/adaptations.jsonl", "/search/?q=password")
    episode = Episode.objects.filter(event_count__gt=2)[0]
    yield from (f"/episodes/{episode.pk}/{place}/{part}/" for place in (1, 2, 3) for part in ("text", "args", "result"))
    for model in apps.get_models():
        if model._meta.app_label in ("memories", "skills", "consolidation"):
            yield f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def gets() -> Iterator[str]:
    for paths in LISTS.values():
        yield from paths
    yield from ("export", "agents", "runs", "runs/set-aside", "webhooks", "tools", "skills/prompt", "metrics")
    for memory in every_page._of_each_state():
        yield f"memories/{memory.pk}?include=history,evidence,relations"
        yield from (f"memories/{memory.pk}/{trail}" for trail in ("history", "evidence", "relations"))
    for episode in Episode.objects.all()[:3]:
        yield from (f"memories/{episode.pk}", f"episodes/{episode.pk}/events")
    for skill in Skill.objects.all()[:2]:
        yield from (f"skills/{skill.name}{rest}" for rest in ("", "/versions", "/versions/1", "/diff"))
        yield f"skills/{skill.name}/versions/1/files/SKILL.md"


def posts() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in ("search", "retrieve"):
        yield path, {"query": "refund parcel password", "include_candidates": True, "explain": True}
    yield "context", {"task": "A customer wants a refund of a parcel", "source": "a"}
    yield "guidance", {"task": "My parcel arrived broken, I want my money back"}
    yield "tools/search", {"query": "refund"}


@pytest.mark.slow  # every page, of a store in which each of them shows a credential
@pytest.mark.django_db
def test_no_answer_shows_a_credential_of_any_text(settings: Any) -> None:
    assert demo.load(at=timezone.now())
    person = make_person("anna", group="administrator")
    person.is_superuser = person.is_staff = True
    person.save()
    addresses = list(pages(person))
    assert put_everywhere() > 40
    browser, agent = Client(), bearing(make_agent(permissions=["read", "skills", "review"], clearance=4)[1])
    browser.force_login(person)
    shown: dict[str, Any] = {path: browser.get(path) for path in addresses}
    shown |= {path: agent.get(f"/api/v1/{path}") for path in gets()}
    shown |= {f"POST {path}": agent.post(f"/api/v1/{path}", body, format="json") for path, body in posts()}
    called = {"name": "search", "arguments": {"query": "refund"}}
    rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}
    shown["mcp"] = agent.post("/mcp", rpc, format="json", HTTP_ACCEPT="application/json, text/event-stream")
    answered = [*(f"POST {path}" for path, _body in posts()), "mcp"]
    assert {path: shown[path].status_code for path in answered} == dict.fromkeys(answered, 200)
    texts = {path: bytes_of(answer).decode(errors="replace") for path, answer in shown.items()}
    assert [path for path, answer in shown.items() if answer.status_code >= 500] == []
    assert [path for path, text in texts.items() if CLEAR in text or KEY in text] == []
    masked = [path for path, text in texts.items() if "••••••" in text or "\\u2022" in text]
    assert len(masked) > 60, "the store holds one everywhere"


@pytest.mark.django_db
def test_a_person_reveals_by_the_api_and_an_agent_never() -> None:
    memory = make_memory(f"The database has password={CLEAR}", type=Type.SEMANTIC)
    agent = bearing(make_agent(permissions=["read", "review"], clearance=4)[1])
    path = f"/api/v1/memories/{memory.pk}/reveal"
    assert agent.post(path, {}, format="json").status_code == 403
    browser = signed_in(permissions=["see_high"])
    answer = browser.post(path, "{}", content_type="application/json")
    assert answer.json()["texts"] == [{"place": "content", "text": memory.content}]
    assert AuditEntry.objects.filter(action="reveal", subject_id=memory.pk).count() == 1
    assert CLEAR not in browser.get(f"/memories/{memory.pk}/").content.decode()
    found = caller().post("/api/v1/search", {"query": "database password"}, format="json")
    assert CLEAR not in found.content.decode()
    assert Memory.objects.get(pk=memory.pk).content == memory.content


@pytest.mark.django_db
def test_an_edit_of_the_words_around_a_masked_secret_keeps_it() -> None:
    memory = make_memory(f"The database has password={CLEAR}", type=Type.SEMANTIC)
    sent = {"content": "The staging database has password=••••••"}
    signed_in(permissions=["see_high"]).patch(f"/api/v1/memories/{memory.pk}", sent, content_type="application/json")
    memory.refresh_from_db()
    assert memory.content == f"The staging database has password={CLEAR}"
    sent = {"content": "The word is ••••••"}
    signed_in("paul", permissions=["see_high"]).patch(
        f"/api/v1/memories/{memory.pk}", sent, content_type="application/json"
    )
    memory.refresh_from_db()
    assert memory.content == "The word is ••••••", "no words make it readable"


@pytest.mark.parametrize(
    "page",
    [
        f"<p>password=<mark>hunter2</mark>-Kz93Q</p><p>{KEY}</p>",
        f"<dl><dt>password</dt>\n<dd>{CLEAR}</dd></dl><i>{KEY[:8]}</i>{KEY[8:]}",
        f'<a href="/x?q=password%3D{CLEAR}" title="{KEY}">it</a>',
        f"<pre>{{&quot;password&quot;: &quot;{CLEAR}&quot;}}</pre>",
        f"<td>password</td> <td>{CLEAR}</td><li>{KEY[:12]}…</li>",
        f"<del>password=hunter2</del><ins>-Kz93Q</ins> &amp; {KEY}",
    ],
)
def test_a_page_is_masked_as_it_is_read(page: str) -> None:
    shown = masked_answers.SHOWN["text/html"](page)
    assert "••••••" in shown
    assert not [part for part in ("hunter2", "Kz93Q", KEY[:8], KEY[8:]) if part in shown]
    assert page.count("<") == shown.count("<")


@pytest.mark.parametrize("page", ["<p>password</p><p>is wrong &amp; old</p>", '<a href="/?q=caf%C3%A9">x</a>'])
def test_a_page_without_a_credential_is_left_alone(page: str) -> None:
    assert masked_answers.SHOWN["text/html"](page) is page
