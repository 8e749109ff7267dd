"""Selections that are too large for a request, on the pages: asked about by number, decided by a run, undone as one."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from consolidation import run_queue
from consolidation.models import BulkOrder, Run
from memories.models import Memory
from memos_site import review
from tests.make import BEN, make_memory
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db
MANY = 8


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)
    monkeypatch.setattr(review, "CHUNK", 5)


def made(number: int = MANY, **facts: Any) -> list[Memory]:
    return [make_memory(f"claim {n}", **facts) for n in range(number)]


def matching(decision: str, **more: Any) -> dict[str, Any]:
    return {"decision": decision, "matching": "1", "kind": "", "as_of": timezone.now().isoformat(), **more}


def confirmed() -> int:
    return Memory.objects.filter(status="confirmed").count()


def test_many_that_match_are_asked_about_by_their_number_and_decided_by_a_run(reviewer: Client) -> None:
    made()
    asked = matching("dismiss noise")
    page = reviewer.post("/bulk/", asked).content.decode()
    assert "<h1>Dismiss 8 as noise?</h1>" in " ".join(page.split()).replace("> ", ">").replace(" <", "<")
    assert "Nothing was decided yet" in page and 'name="agreed" value="8"' in page
    assert not BulkOrder.objects.exists()
    page = reviewer.post("/bulk/", asked | {"agreed": "8"}, follow=True).content.decode()
    assert "Dismissing 8 as noise" in page and "0 of 8" in page
    order = BulkOrder.objects.get()
    assert "data-poll" in reviewer.get(f"/bulk/{order.pk}/line/").content.decode()
    run_queue.work()
    assert not Memory.objects.exclude(status="dismissed").exists()
    ended = reviewer.get(f"/bulk/{order.pk}/line/").content.decode()
    assert "data-poll" not in ended and "Show the queue anew" in ended
    page = reviewer.get("/").content.decode()
    assert "Dismissed 8" in page and f"/undo/{order.batch}/" in page
    assert "Dismissed 8" not in reviewer.get("/").content.decode(), "it is told once"


def test_more_than_was_agreed_to_is_asked_about_again(reviewer: Client) -> None:
    made()
    page = reviewer.post("/bulk/", matching("promote", agreed="7")).content.decode()
    assert 'name="agreed" value="8"' in page
    assert not BulkOrder.objects.exists()


def test_rows_that_were_chosen_one_by_one_keep_their_versions(reviewer: Client) -> None:
    memories = made()
    chosen = "\n".join(f"{memory.pk} {review.version_token(memory)}" for memory in memories)
    reviewer.post("/bulk/", {"decision": "promote", "chosen": chosen, "agreed": "8"})
    Memory.objects.get(pk=memories[0].pk).snooze(timezone.now(), by=BEN, at=timezone.now())
    run_queue.work()
    order = BulkOrder.objects.get()
    page = reviewer.get(f"/bulk/{order.pk}/").content.decode()
    assert (confirmed(), order.counts) == (7, {"done": 7, "refused": 1})
    assert "claim 0" in page and "changed since you saw it" in page
    assert "see why" not in page, "the page of the order says why"
    assert "7 of 8" in page and "1 not: see why" in reviewer.get("/").content.decode()


def test_flagged_rows_among_many_are_named_and_left(reviewer: Client) -> None:
    made(), make_memory("Always run it first", flags=["instruction"])
    page = reviewer.post("/bulk/", matching("promote")).content.decode()
    assert "Promote this one too?" in page and "Always run it first" in page
    reviewer.post("/bulk/", matching("promote", agreed="9", consent="leave"))
    run_queue.work()
    assert confirmed() == MANY
    assert Memory.objects.get(content="Always run it first").status == "candidate"


def test_a_large_batch_is_taken_back_by_a_run_and_done_again_by_another(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made()
    reviewer.post("/bulk/", matching("promote", agreed="8"))
    run_queue.work()
    first = BulkOrder.objects.get()
    reviewer.get("/")
    monkeypatch.setattr(review, "is_large", lambda _batch: True)
    answer = reviewer.post(f"/undo/{first.batch}/", headers=HTMX)
    assert answer.headers["HX-Refresh"] == "true"
    assert "Undoing 8" in reviewer.get("/").content.decode()
    run_queue.work()
    assert confirmed() == 0
    page = reviewer.get("/").content.decode()
    undo = BulkOrder.objects.latest("created_at")
    assert "Undone: 8" in page and re.search(rf"/undo/{undo.batch}/.*Redo", page, re.DOTALL)
    answer = reviewer.post(f"/undo/{undo.batch}/")
    assert answer.headers["Location"] == f"/bulk/{BulkOrder.objects.latest('created_at').pk}/"
    run_queue.work()
    assert confirmed() == MANY


def test_an_order_under_way_costs_the_inbox_one_question(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    made()
    reviewer.post("/bulk/", matching("promote", agreed="8"))
    with django_assert_max_num_queries(14):
        reviewer.get("/")


def test_a_paused_order_can_be_undone_from_its_page_and_a_stranger_is_not_told(reviewer: Client) -> None:
    made()
    reviewer.post("/bulk/", matching("promote", agreed="8"))
    order = BulkOrder.objects.get()
    assert f"/undo/{order.batch}/" not in reviewer.get(f"/bulk/{order.pk}/").content.decode()
    run_queue.work()
    assert f"/undo/{order.batch}/" in reviewer.get(f"/bulk/{order.pk}/").content.decode()
    vera = signed_in("vera", group="viewer")
    assert f"/undo/{order.batch}/" not in vera.get(f"/bulk/{order.pk}/").content.decode()
    assert "Promoted 8" not in vera.get("/").content.decode()
    assert Run.objects.get().audit("x", by=BEN, at=timezone.now())


def order_page(client: Client, order: BulkOrder) -> str:
    page = client.get(f"/bulk/{order.pk}/").content.decode()
    return re.sub(r"\s*([<>])\s*", r"\1", page)


def latest_order() -> BulkOrder:
    return BulkOrder.objects.latest("created_at")


def test_the_page_of_an_order_offers_what_can_still_be_done_and_says_who_took_it_back(
    reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made()
    reviewer.post("/bulk/", matching("dismiss wrong", agreed="8"))
    run_queue.work()
    first = latest_order()
    page = order_page(reviewer, first)
    assert f"/undo/{first.batch}/" in page and ">Undo</button>" in page and "Decided by" in page
    assert ">claim 0<" in page and "<dt>Reason</dt><dd>wrong</dd>" in page
    monkeypatch.setattr(review, "is_large", lambda _batch: True)
    reviewer.post(f"/undo/{first.batch}/")
    run_queue.work()
    undo = latest_order()
    page = order_page(reviewer, first)
    assert f"/undo/{undo.batch}/" in page and ">Redo</button>" in page and ">Undo</button>" not in page
    assert "Taken back by" in page and f"/bulk/{undo.pk}/" in page
    assert "Dismissed 8" in reviewer.get("/runs/").content.decode(), "the list of runs says which decision it was"
    page = order_page(reviewer, undo)
    assert "Undone by" in page and "Decided by" not in page
    assert f"/undo/{undo.batch}/" in page and ">Redo</button>" in page and f"/bulk/{first.pk}/" in page
    reviewer.post(f"/undo/{undo.batch}/")
    run_queue.work()
    redo = latest_order()
    assert "<h1>Done again: 8</h1>" in order_page(reviewer, redo) and "Done again by" in order_page(reviewer, redo)
    for order in (first, undo, redo):
        page = order_page(reviewer, order)
        assert f"/undo/{redo.batch}/" in page and ">Undo</button>" in page, order.verb


def test_an_undo_by_a_request_is_known_to_the_page_of_the_order(reviewer: Client) -> None:
    made()
    reviewer.post("/bulk/", matching("promote", agreed="8"))
    run_queue.work()
    order = latest_order()
    reviewer.post(f"/undo/{order.batch}/")
    assert confirmed() == 0
    page = order_page(reviewer, order)
    assert ">Redo</button>" in page and f"/undo/{order.batch}/" not in page and "Taken back by" in page


def test_the_page_of_an_order_needs_at_most_twelve_queries(
    reviewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    made()
    reviewer.post("/bulk/", matching("promote", agreed="8"))
    run_queue.work()
    reviewer.post(f"/undo/{latest_order().batch}/")
    with django_assert_max_num_queries(14):
        reviewer.get(f"/bulk/{latest_order().pk}/")


def test_a_reason_of_a_refusal_is_told_to_who_may_see_the_memory(reviewer: Client) -> None:
    made()
    hidden, open_to_all = make_memory("What we pay Bea", sensitivity=3), make_memory("Acme pays")
    reviewer.post("/bulk/", matching("promote", agreed="9"))
    order = BulkOrder.objects.get()
    refused = [
        {"id": str(row.pk), "code": "conflict", "detail": f"another live memory has taken the key {key}"}
        for row, key in ((hidden, "pay-of-bea"), (open_to_all, "pay-of-acme"))
    ]
    BulkOrder.objects.filter(pk=order.pk).update(refused=refused, counts={"done": 0, "refused": 2})
    assert "pay-of-bea" in order_page(reviewer, order)
    page = order_page(signed_in("vera", group="viewer"), order)
    assert ("pay-of-acme" in page, "pay-of-bea" in page) == (True, False)
