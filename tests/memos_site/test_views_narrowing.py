"""The filters and the order of the inbox, and what it says when nothing is left."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory
from memories.values.choices import Sensitivity, Status
from memos_site.review import MOST_OFFERED
from memos_site.web.inbox import FIRST_ROWS
from tests.deciding import propose
from tests.make import make_memory
from tests.pages import HTMX, candidate, signed_in

pytestmark = pytest.mark.django_db


def rows_of(page: str) -> str:
    """What stands in the queue, without the form about several of them."""
    return page[page.index('<ul class="queue"') :]


def test_the_inbox_is_narrowed_and_counts_what_is_left() -> None:
    client, about = signed_in(), {"company_id": "acme", "source": "mail", "key": "acme-terms"}
    make_memory("Acme pays on net-30 terms", category="fact", **about)
    make_memory("Globex pays late", confidence=30, flags=["secret"], category="pattern", source="crm")
    candidate("a-skill")
    for query in ("company_id=acme", "source=mail", "q=acme-terms", "q=acme-terms&category=fact"):
        page = client.get(f"/?{query}").content.decode()
        assert "Acme pays" in rows_of(page) and "Globex" not in rows_of(page) and "a-skill" not in rows_of(page), query
        assert 'id="kind-semantic">1<' in page and 'id="kind-competence">0<' in page
    for query in ("flag=secret", "flag=flagged", "category=pattern"):
        assert "Globex" in (rows := rows_of(client.get(f"/?{query}").content.decode())) and "Acme" not in rows, query
    assert "Nothing that waits for you matches" in client.get("/?source=nobody").content.decode()
    surest = rows_of(client.get("/?sort=surest&kind=semantic").content.decode())
    assert surest.index("Globex") < surest.index("Acme")


def test_what_a_query_asks_that_there_is_not_narrows_nothing() -> None:
    make_memory("Acme pays on net-30 terms")
    page = signed_in().get("/?kind=nonsense&category=nonsense&flag=nonsense&sort=nonsense").content.decode()
    assert "Acme pays" in rows_of(page)


def test_the_counts_follow_the_filter_that_the_page_has() -> None:
    memory = make_memory("Acme pays on net-30 terms", source="mail")
    make_memory("Globex pays late", source="crm")
    headers = {**HTMX, "HX-Current-URL": "http://testserver/?source=mail"}
    answer = signed_in().post(f"/memories/{memory.pk}/decide/", {"decision": "dismiss noise"}, headers=headers)
    page = answer.content.decode()
    assert 'id="kind-semantic" hx-swap-oob="true">0<' in page
    assert 'id="waiting" hx-swap-oob="true">1<' in page


def test_a_proposal_about_what_is_past_its_ttl_waits_for_nobody() -> None:
    memory = make_memory("Acme pays on net-30 terms", expires_at=timezone.now() + timedelta(days=1))
    propose(memory, content="Acme pays on net-60 terms")
    client = signed_in()
    assert "net-60" in client.get("/").content.decode()
    Memory.objects.filter(pk=memory.pk).update(expires_at=timezone.now())
    page = client.get("/").content.decode()
    assert "net-60" not in page and 'id="waiting">0<' in page


def test_all_that_match_are_those_that_the_filter_leaves() -> None:
    kept = make_memory("Acme pays on net-30 terms", source="mail")
    gone = make_memory("Globex pays late", source="crm", key="globex-pays")
    client = signed_in()
    body = {"decision": "dismiss noise", "matching": "1", "q": "globex-pays", "as_of": timezone.now().isoformat()}
    client.post("/bulk/", body)
    assert [Memory.objects.get(pk=memory.pk).status for memory in (kept, gone)] == ["candidate", "dismissed"]


@pytest.mark.parametrize("as_of", ["", "yesterday", "2026-01-01", "9999-12-31T23:59:59-23:59"])
def test_all_that_match_are_bound_to_an_instant(as_of: str) -> None:
    memory = make_memory()
    body = {"decision": "dismiss noise", "matching": "1", "as_of": as_of}
    assert signed_in().post("/bulk/", body).status_code == 400
    assert Memory.objects.get(pk=memory.pk).status == "candidate"


def test_a_form_that_holds_a_nul_is_refused_and_changes_nothing() -> None:
    memory, client = make_memory(), signed_in()
    answer = client.post(f"/memories/{memory.pk}/decide/", {"decision": "dismiss noise", "note": "a\0b"})
    assert answer.status_code == 400
    assert client.post(f"/memories/{memory.pk}/forget/", {"why": "a\0b"}).status_code == 400
    assert client.get("/", headers={**HTMX, "HX-Current-URL": "/?q=%00"}).status_code == 200
    assert Memory.objects.get(pk=memory.pk).status == "candidate"


def test_an_empty_inbox_says_what_was_done_today(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    anna, ben = signed_in("anna"), signed_in("ben")
    now = timezone.now()
    for n, decision in enumerate(("promote", "dismiss wrong", "dismiss noise")):
        memory = make_memory(f"claim number {n}", created_at=now)
        anna.post(f"/memories/{memory.pk}/decide/", {"decision": decision})
    make_memory("a secret", sensitivity=Sensitivity.HYPER, status=Status.DISMISSED, created_at=now)
    with django_assert_max_num_queries(14):
        page = " ".join(ben.get("/").content.decode().split())
    assert "<strong>1</strong> promoted, <strong>2</strong> dismissed." in page
    assert re.findall(r"<dt>([^<]+)</dt> <dd>(\d+)</dd>", page) == [
        ("decided by you today", "0"),
        ("decided by all today", "3"),
        ("came in today", "3"),
    ]
    own = " ".join(anna.get("/").content.decode().split())
    assert "<dt>decided by you today</dt> <dd>3</dd>" in own and 'href="/memories/teach/"' in own
    assert "Today:" not in ben.get("/?source=nobody").content.decode()


def test_a_filter_with_few_values_is_a_choice_among_them_and_one_with_many_is_typed() -> None:
    for n in range(MOST_OFFERED + 1):
        make_memory(f"Claim {n}", source=f"agent-{n:02}", scope="shop")
    make_memory("Once more", source=f"agent-{MOST_OFFERED}", scope="shop")
    page = signed_in().get("/?company_id=acme").content.decode()
    sources = page[page.index('<datalist id="source-values">') : page.index("</datalist>")]
    assert sources.count("<option") == MOST_OFFERED and f"agent-{MOST_OFFERED}" in sources
    assert '<select id="scope"' in page and '<option value="shop">' in page
    assert '<option value="acme" selected>' in page, "the value that is asked for is offered, though nothing has it"


def test_a_decision_counts_again_how_many_match() -> None:
    ids = [make_memory(f"claim {n}").pk for n in range(FIRST_ROWS + 2)]
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/?kind=semantic"}
    answer = signed_in().post(
        f"/memories/{ids[0]}/decide/", {"decision": "dismiss noise", "seen": "1."}, headers=headers
    )
    counted = re.search(r'id="matching" hx-swap-oob="true">([^<]+)<', answer.content.decode())
    assert counted and counted[1].split() == ["All", str(FIRST_ROWS + 1), "that", "match"]
