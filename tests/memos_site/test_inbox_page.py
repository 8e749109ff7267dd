"""Pages of the inbox: their statements are built once for a reader and a question, and show what waits now."""

from datetime import timedelta
from operator import attrgetter
from typing import Any
from uuid import UUID

import pytest

from memories.models import Memory, PersonLimits, Proposal
from memories.people import trust_of
from memories.values.choices import Sensitivity, Status, Type
from memories.values.keyset import Cursor, Order
from memories.values.trust import Trust, everything
from memos_site import review
from memos_site.web.inbox_page import page_of_waiting
from memos_site.web.inbox_rows import filters_of, order_of
from tests.deciding import propose
from tests.make import AT, make_memory, make_person, make_skill

pytestmark = pytest.mark.django_db
TRUST = everything()
LATER = AT + timedelta(hours=2)
QUESTIONS = [{}, {"scope": "shop"}, {"kind": "semantic"}, {"kind": "revision"}, {"kind": "snoozed"}, {"q": "claim"}]


def walk(trust: Trust, filters: dict[str, str], order: Order, *, limit: int = 2, at: Any = AT) -> list[UUID]:
    """The ids of all rows, page after page, and the same from the last page back."""
    found: list[UUID] = []
    cursor: Cursor | None = None
    while True:
        page = page_of_waiting(trust, filters, order, limit=limit, at=at, cursor=cursor)
        found += [row.pk for row in page.rows]
        if cursor is not None and page.previous:
            before = page_of_waiting(trust, filters, order, limit=limit, at=at, cursor=page.previous)
            assert [row.pk for row in before.rows] == found[-len(page.rows) - limit : len(found) - len(page.rows)]
        if page.next is None:
            return found
        cursor = page.next


def expected(trust: Trust, filters: dict[str, str], order: Order, *, at: Any = AT) -> list[UUID]:
    rows: list[Any] = [
        *review.waiting_memories(trust, at=at, **filters),
        *review.open_proposals(trust, at=at, **filters),
    ]
    for name in reversed(order):
        rows.sort(key=attrgetter(name.lstrip("-")), reverse=name.startswith("-"))
    return [row.pk for row in rows]


@pytest.mark.parametrize("sort", list(review.ORDERS))
def test_every_page_shows_what_waits_in_its_order_whichever_was_asked_for_before(sort: str) -> None:
    for n in range(5):
        make_memory(f"claim {n}", scope="shop" if n % 2 else "", confidence=50 + n, times_confirmed=n % 3)
    make_skill(published=False)
    make_memory("steps", type=Type.PLAN_GRAPH)
    propose(make_memory("Acme pays on net-30 terms", status=Status.CONFIRMED, scope="shop"))
    Memory.objects.filter(content="claim 4").update(snoozed_until=LATER)
    for _again in range(2):
        for question in QUESTIONS:
            filters = filters_of(question)
            order = order_of(filters["kind"], sort)
            assert walk(TRUST, filters, order) == expected(TRUST, filters, order), question
    Memory.objects.filter(content="claim 3").update(status=Status.DISMISSED)
    Proposal.objects.update(snoozed_until=LATER)
    for at in (AT, LATER):
        filters = filters_of({})
        assert walk(TRUST, filters, review.ORDER, at=at) == expected(TRUST, filters, review.ORDER, at=at)


@pytest.mark.parametrize("first", ["limited", "anna", "promoted"])
def test_each_reader_is_shown_what_it_may_see_whoever_asked_first(first: str) -> None:
    low, medium, high = list(Sensitivity)[1:4]
    for scope, sensitivity in (("shop", low), ("support", medium), ("support", high), ("", low)):
        make_memory(f"{scope} {sensitivity}", scope=scope, sensitivity=sensitivity)
    limited, anna = make_person("limited"), trust_of(make_person("anna"))
    PersonLimits.objects.create(user=limited, scopes=["shop"])
    trusts = {"limited": trust_of(limited), "anna": anna, "promoted": Trust(anna.actor, Sensitivity.HYPER, None)}
    seen = {"limited": 2, "anna": 3, "promoted": 4}
    for name in (first, *seen):
        assert len(walk(trusts[name], filters_of({}), review.ORDER, limit=9)) == seen[name], name
        assert len(walk(trusts[name], filters_of({}), review.ORDER, limit=1)) == seen[name], name
