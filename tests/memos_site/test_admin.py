"""The admin: what is there is there for whoever may see it, and only verbs change what has verbs."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.db.models import ForeignKey, Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories.models import Agent, Episode, Event, Lease, Memory
from memories.values.choices import Sensitivity
from tests.make import ANNA, AT, make_agent, make_memory, make_person
from tests.memos_site.secret_rows import make_secrets
from tests.operators import administrator, entering, page, staff

pytestmark = pytest.mark.django_db
WORD = "zanzibar"
FOR_ADMINISTRATORS = {"user", "group", "schedule", "success", "failure", "ormq", "idempotencykey", "webhook", "lease"}
FOR_ADMINISTRATORS.add("mail")
OTHERS = {"agent", "webhookdelivery", "runstep", "llmcall", "skilluse"}
OTHERS |= {"accessattempt", "accesslog", "accessfailurelog"}


def models() -> list[type[Model]]:
    return list(admin.site._registry)


WITH_VERBS: list[type[Model]] = [
    model for model in models() if model._meta.model_name not in FOR_ADMINISTRATORS | OTHERS
]
READ_ONLY: list[type[Model]] = [*WITH_VERBS, Agent]


@pytest.fixture
def secrets() -> None:
    make_secrets(WORD, Sensitivity.HIGH)


def addresses(model: type[Model]) -> Iterator[str]:
    """Every page of a model: its lists, and each of its rows."""
    lists = page(model, "changelist")
    field = model._meta.get_fields()[-1].name
    yield from (f"{lists}{query}" for query in ("", f"?q={WORD}", "?_popup=1&_to_field=id&o=1.2&_facets=True"))
    yield from (f"{lists}?{name}={WORD}" for name in ("scope__icontains", "content__contains", f"{field}__icontains"))
    for pk in model._default_manager.values_list("pk", flat=True):
        yield from (page(model, name, quote(str(pk))) for name in ("change", "history", "delete"))
        yield f"{lists}?q={pk}"


def autocompletes() -> Iterator[str]:
    for model in models():
        for field in model._meta.get_fields():
            if isinstance(field, ForeignKey):
                of = f"app_label={model._meta.app_label}&model_name={model._meta.model_name}&field_name={field.name}"
                yield f"/admin/autocomplete/?term={WORD}&{of}"


def shown(client: Client, url: str) -> str:
    """The answer's text, without what the person asked for; of one that leads on, what the next page will say of it."""
    answer = client.get(url)
    text = answer.content.decode() + messages(client, answer)
    return text.replace(f'value="{WORD}"', "").replace(f"={WORD}", "").replace(f"%3D{WORD}", "")


def messages(client: Client, answer: Any) -> str:
    """What the next page would say of this answer; it is not drawn."""
    client.cookies.pop("messages", None)
    return "".join(str(message) for message in get_messages(answer.wsgi_request))


@pytest.mark.slow  # all pages of the admin
def test_staff_see_nothing_above_them_on_any_page(secrets: None) -> None:
    client = staff()
    for model in models():
        for url in addresses(model):
            assert WORD not in shown(client, url), url
    others = ["/admin/", f"/admin/search/?s={WORD}", f"/admin/search/?s={WORD}&extended=1", *autocompletes()]
    for url in others:
        assert WORD not in shown(client, url), url


def test_the_same_pages_show_it_to_whoever_may_see_it(secrets: None) -> None:
    client = administrator()
    for model in WITH_VERBS:
        assert any(WORD in shown(client, url) for url in addresses(model)), model


def test_nobody_asks_through_a_link_what_the_row_behind_it_says(secrets: None) -> None:
    client = staff()
    for model in models():
        for field in model._meta.get_fields():
            if isinstance(field, ForeignKey) and field.related_model in (Memory, Episode, Event):
                column = {Memory: "content", Episode: "title", Event: "tool"}[field.related_model]
                asked = client.get(page(model, "changelist"), {f"{field.name}__{column}__contains": WORD})
                assert asked.status_code == 400, (model, field.name)


def test_what_may_not_be_seen_answers_as_what_does_not_exist(secrets: None) -> None:
    client, nothing = staff(), str(uuid4())
    for model in WITH_VERBS:
        rows = Memory.objects.filter(content__contains=WORD) if model is Memory else model._default_manager.all()
        told = {row: str(vars(row) | {"thread_id": "is on no page"}) for row in rows}
        above = [row for row in rows if WORD in told[row]]
        for row in above:
            for name in ("change", "history"):
                said = []
                for pk in (row.pk, nothing):
                    answer = client.get(page(model, name, pk))
                    assert answer.headers["Location"] == "/admin/", (model, name)
                    said.append(messages(client, answer).replace(str(pk), "this"))
                assert said[0] == said[1]
                assert "doesn’t exist" in said[0]


def test_staff_without_a_permission_see_nothing_of_it() -> None:
    client = staff(holding="none")
    for model in models():
        assert client.get(page(model, "changelist")).status_code == 403, model
    assert "/admin/memories/" not in client.get("/admin/").content.decode()


def test_staff_who_may_not_read_see_no_rows() -> None:
    client = staff()
    User.objects.get(username="olga").groups.clear()
    assert client.get(page(Memory, "changelist")).status_code == 403


def test_what_could_give_anyone_everything_is_for_administrators() -> None:
    client = staff()
    refused = {model._meta.model_name for model in models() if client.get(page(model, "changelist")).status_code == 403}
    assert refused == FOR_ADMINISTRATORS
    root = administrator()
    others = [model for model in models() if model not in WITH_VERBS]  # of which another test asks for the lists
    assert {root.get(page(model, "changelist")).status_code for model in others} == {200}


def test_models_with_verbs_can_only_be_read(secrets: None) -> None:
    client = administrator()
    make_agent()
    for model in READ_ONLY:
        row: Any = model._default_manager.first()
        assert client.get(page(model, "add")).status_code == 403
        assert client.post(page(model, "change", row.pk), {"status": "applied"}).status_code == 403
        assert client.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403
        act = {"action": "delete_selected", "_selected_action": [str(row.pk)], "post": "yes"}
        client.post(page(model, "changelist"), act)
        assert model._default_manager.filter(pk=row.pk).exists(), model


def test_administrators_see_who_works_on_what_and_cannot_take_it_away() -> None:
    fence = Lease.objects.acquire("consolidate:project:shop", owner="a host/7/1", seconds=60)
    root = administrator()
    listed = root.get(page(Lease, "changelist")).content.decode()
    assert "consolidate:project:shop" in listed and "a host/7/1" in listed
    for name, url in {"add": page(Lease, "add"), "delete": page(Lease, "delete", fence)}.items():
        assert root.post(url, {"post": "yes"}).status_code == 403, name
    assert root.post(page(Lease, "change", fence), {"owner": "me"}).status_code == 403
    assert Lease.objects.get().owner == "a host/7/1"


def lists_in(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    assert not [q for q in queries.captured_queries if "COUNT(*)" in q["sql"]], url
    return len(queries)


def test_a_list_asks_as_often_for_many_rows_as_for_one(secrets: None) -> None:
    client = administrator()
    make_agent()
    client.get(page(Agent, "changelist"))  # what is cached once for all
    once = {model: lists_in(client, page(model, "changelist")) for model in READ_ONLY}
    for number in range(4):
        make_secrets(f"{WORD}{number}", Sensitivity.HIGH)
        make_agent()
    assert {model: lists_in(client, page(model, "changelist")) for model in once} == once


def test_strangers_and_people_who_are_not_staff_stay_outside() -> None:
    make_person()
    stranger = Client().get("/admin/memories/memory/")
    assert stranger.headers["Location"] == "/login/?next=/admin/memories/memory/"
    assert (
        Client()
        .post("/admin/login/", {"username": "anna", "password": "secret"})
        .headers["Location"]
        .startswith("/login/")
    )
    anna = entering(User.objects.get(username="anna"))
    assert anna.get("/admin/", follow=True).status_code == 403


def test_only_the_admin_has_its_own_policy() -> None:
    client = administrator()
    policy = client.get("/admin/").headers["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-eval';" in policy
    assert "unsafe" not in client.get("/").headers["Content-Security-Policy"]


def test_a_row_is_found_by_its_id_and_its_history_is_the_audit_trail() -> None:
    client, memory, other = staff(), make_memory("Acme pays late"), make_memory("Beta pays early")
    memory.promote(by=ANNA, at=AT, why="seen twice")
    other.promote(by=ANNA, at=AT)
    found = client.get(page(Memory, "changelist"), {"q": str(memory.pk)}).content.decode()
    assert "Acme pays late" in found
    assert "Beta pays early" not in found
    history = client.get(page(Memory, "history", memory.pk), follow=True)
    assert history.redirect_chain == [(f"/admin/memories/auditentry/?subject_id={memory.pk}", 302)]
    assert "Acme pays late" in history.content.decode()
    assert "Beta pays early" not in history.content.decode()


def test_a_long_value_is_shown_by_its_beginning() -> None:
    memory = make_memory("a" * 99_999, payload={"said": "b" * 99_999})
    shown = administrator().get(page(Memory, "change", memory.pk)).content.decode()
    assert "… (99,999 characters)" in shown
    assert len(shown) < 200_000
