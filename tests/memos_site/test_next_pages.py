"""A form may name the page that follows it (`next`): that is a page of this site, or the usual one."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from memories.models import Adaptation, Tombstone
from tests.deciding import make_applied, propose
from tests.make import make_memory, make_person, make_run
from tests.memos_site.test_pages_trust import names
from tests.pages import signed_in
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
WORDS = {
    "a word": "high",
    "the name of a page": "memories",
    "a function": "os.system",
    "a page beside": "../admin/",
    "a query": "?kind=semantic",
    "another host": "https://evil.example/",
    "another host without scheme": "//evil.example/",
    "three slashes": "///evil.example/",
    "backslashes": "\\\\evil.example",
    "a slash and a backslash": "/\\evil.example",
    "a tab between slashes": "/\t/evil.example",
    "a new line between slashes": "/\n/evil.example",
    "a header": "/memories/\r\nX-Evil: 1",
    "a script": "javascript:alert(1)//",
    "data": "data:text/html,<script>alert(1)</script>",
    "a control character": "\x01//evil.example",
    "Chinese": "高",
    "a host in brackets": "http://[evil",
    "a bracket": "//[",
    "a very long page": "/memories/?q=" + "x" * 20_000,
    "a very long word": "x" * 20_000,
    "a colon": "a:b:c",
    "white space": "  ",
}
Forms = dict[str, tuple[str, dict[str, str]]]  # by the name of a view
SIGN_IN = {"username": "anna", "password": "secret"}


def client_of(group: str | None) -> Client:
    client = signed_in("administrator", group=group) if group else Client()
    client.raise_request_exception = False
    return client


def location(answer: Any) -> str:
    assert answer.status_code == 302, (answer.status_code, answer.content[:300])
    return str(answer["Location"])


@shared_rows
def forms() -> Forms:
    """Each form that is followed by the page it names: its address and its fields."""
    memory, proposed = make_memory(), make_memory("Acme pays late")
    dismissed = make_memory("Acme pays twice", key="acme-twice")
    signed_in("boss").post(f"/memories/{dismissed.pk}/decide/", {"decision": "dismiss wrong"})
    make_applied()
    make_run()
    return {
        "decide": (f"/memories/{memory.pk}/decide/", {"decision": "pin"}),
        "decide-proposal": (f"/proposals/{propose(proposed).pk}/decide/", {"decision": "reject"}),
        "bulk": ("/bulk/", {"decision": "promote", "chosen": f"{memory.pk} 1"}),
        "undo": (f"/undo/{uuid4()}/", {}),
        "settle": (f"/memories/{memory.pk}/settle/", {"keep": str(memory.pk), "against": str(proposed.pk)}),
        "lift": (f"/tombstones/{Tombstone.objects.get().pk}/lift/", {}),
        "revert": (f"/adaptations/{Adaptation.objects.get().pk}/revert/", {}),
        "decide-tool": ("/skills/tools/decide/", {"tool": "search", "decision": "reads"}),
        "language": ("/language/", {"language": "en"}),
    }


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_a_word_that_is_no_page_of_this_site_leads_to_the_usual_page(word: str, forms: Forms) -> None:
    client = client_of("administrator")
    for name, (path, form) in forms.items():
        answer = client.post(path, form | {"next": word})
        if answer.status_code not in (400, 404):  # settle of what is not contested, undo of nothing
            assert location(answer) == ("/skills/tools/" if name == "decide-tool" else "/"), name


def test_a_page_of_this_site_is_followed_with_its_query(forms: Forms) -> None:
    client, there = client_of("administrator"), "/memories/?q=%E9%AB%98&type=semantic"
    followed = {
        name
        for name, (path, form) in forms.items()
        if client.post(path, form | {"next": there}).headers.get("Location") == there
    }
    assert followed >= {"decide", "decide-proposal", "bulk", "lift", "revert", "decide-tool", "language"}


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_signing_in_and_out_lead_to_no_other_page(word: str) -> None:
    make_person("anna")
    client = client_of(None)
    assert location(client.post("/language/", {"language": "en", "next": word})) == "/"
    assert location(client.post("/login/", SIGN_IN | {"next": word})) == "/"
    assert location(client.get("/login/", {"next": word})) == "/"
    assert location(client.post("/logout/", {"next": word})) == "/login/"
    assert location(client.get("/admin/login/", {"next": word})) == "/login/?next=/admin/"


def test_who_is_signed_in_and_is_sent_to_the_sign_in_page_gets_the_inbox() -> None:
    assert location(client_of("reviewer").get("/login/?next=/login/")) == "/"


def test_signing_in_leads_to_the_page_that_was_asked_for() -> None:
    make_person("anna")
    client = client_of(None)
    asked = location(client.get("/memories/?q=terms"))
    assert location(client.post(asked, SIGN_IN | {"next": "/memories/?q=terms"})) == "/memories/?q=terms"
    assert location(client.get("/login/?next=/memories/?q=terms")) == "/memories/?q=terms"


@pytest.mark.slow  # all pages there are, nine times each
@pytest.mark.parametrize("group", [None, "administrator"])
def test_no_view_of_the_site_fails_at_such_a_word_or_leads_away(group: str | None) -> None:
    """Of every address, as form, query, Referer and htmx's own header; with ids of nothing."""
    client, values = client_of(group), {"UUIDConverter": str(uuid4()), "IntConverter": "1"}
    for name in sorted(names(get_resolver().url_patterns) - {"logout", "load-demo"}):
        for [(_text, parameters)], _pattern, _defaults, converters in get_resolver().reverse_dict.getlist(name):
            kinds = {one: type(converters[one]).__name__ for one in parameters if one in converters}
            path = reverse(name, kwargs={one: values.get(kinds.get(one, ""), "x") for one in parameters})
            for word in (WORDS[one] for one in ("a word", "another host", "a very long page")):
                headers = {"Referer": word, "HX-Current-URL": word}
                for answer in (client.post(path, {"next": word, "query": word}), client.get(path, {"next": word})):
                    _stays(answer, name, word)
                _stays(client.post(path, {}, headers=headers), name, word)


def _stays(answer: Any, name: str, word: str) -> None:
    assert answer.status_code < 500, (name, word[:50])
    target = answer.headers.get("Location", "/")
    assert target.startswith("/"), (name, word[:50], target[:200])
    assert "evil" not in target.partition("?")[0], (name, word[:50], target[:200])
