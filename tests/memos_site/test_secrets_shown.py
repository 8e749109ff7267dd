"""A credential that a text holds in clear: who may see it, how a page is masked; all pages: `test_demo_shown.py`."""

import json
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from django.core.signing import Signer

from memories.models import AuditEntry, Memory
from memories.scanning import masked_answers
from memories.values.choices import Type
from memories.values.keyset import Cursor
from tests.make import bearing, caller, make_agent, make_memory
from tests.pages import signed_in

CLEAR, KEY = "hunter2-Kz93Q", "AKIAIOSFODNN7EXAMPLE"


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


@pytest.fixture
def cursor(monkeypatch: pytest.MonkeyPatch) -> str:
    """A cursor as in an address, with a signature that looks like a key, as one in some hundred thousand does."""
    monkeypatch.setattr(Signer, "signature", lambda *_, **__: KEY)
    return quote(Cursor(("-id",), [1], False, datetime(2026, 6, 1, tzinfo=UTC)).encode())


def test_a_link_to_the_next_rows_leads_on_where_its_cursor_looks_like_a_key_and_is_masked_elsewhere(
    cursor: str,
) -> None:
    link = f"http://testserver/api/v1/memories?cursor={cursor}&limit=2&q="
    answer = {"results": [{"content": KEY}], "next": f"{link}{KEY}", "previous": None, "note": KEY}

    shown = json.loads(masked_answers.shown_json(json.dumps(answer)))

    assert shown["next"].startswith(link) and KEY not in shown["next"].removeprefix(link)
    assert shown["previous"] is None
    assert KEY not in f"{shown['results']}{shown['note']}"


def test_so_does_a_link_of_a_page_and_what_is_no_cursor_is_masked_in_its_place(cursor: str) -> None:
    link = f'<a href="?cursor={cursor}&amp;kind=fact&amp;q=password%3D{CLEAR}">on</a>'
    shown = masked_answers.SHOWN["text/html"](link)
    assert f"cursor={cursor}&amp;kind=fact" in shown and CLEAR not in shown
    forged = masked_answers.SHOWN["text/html"](link.replace(cursor, f"x%2B{KEY}"))
    assert "kind=fact" in forged and KEY not in forged and CLEAR not in forged
