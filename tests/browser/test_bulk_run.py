"""Many selected with the keys, decided by a run under the reviewer's eyes, and taken back with one key."""

from importlib import import_module
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from consolidation import run_queue
from consolidation.models import BulkOrder
from memories.models import AuditEntry, Memory
from memories.values.choices import Origin, Type
from memos_site import review
from memos_site.web.inbox import FIRST_ROWS, MORE_ROWS
from tests.browser.conftest import press
from tests.browser.test_review import sign_in
from tests.make import AT, make_memory

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 60
LOADED = FIRST_ROWS + MORE_ROWS  # beside the first row


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page orders is done by the test, once the page has been seen waiting for it."""
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)
    monkeypatch.setattr(review, "CHUNK", 50)  # and fewer rows than in life are many
    monkeypatch.setattr(import_module("memos_site.review.undo"), "CHUNK", 50)


def fill(number: int) -> None:
    facts: dict[str, Any] = {"type": Type.SEMANTIC, "source": "P01", "origin": Origin.STORED, "sensitivity": 1}
    facts |= {"confidence": 20, "status": "candidate", "created_by": "P01"}
    times = {"salience_at": AT, "created_at": AT, "updated_at": AT}
    rows = [Memory(content=f"Customer {n} pays on net-{n % 90} terms", **facts, **times) for n in range(number)]
    Memory.objects.bulk_create(rows)


def begin(page: Page) -> None:
    """The first row has the focus, and the rows that it brings have come: none will come between two keys."""
    press(page, "j")
    expect(page.locator("#queue > .row")).to_have_count(LOADED)


@pytest.mark.parametrize("width", [320, 390])
def test_the_boxes_of_a_selection_stand_side_by_side_on_a_phone(
    browser: Browser, live_server: LiveServer, width: int
) -> None:
    fill(MANY)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(live_server.url)
    expect(page.get_by_label("All loaded")).to_be_visible()
    boxes = [box.bounding_box() for box in page.locator("#bulk label").all()]
    assert [box and box["y"] for box in boxes] == [boxes[0] and boxes[0]["y"]] * 2


def test_all_that_match_are_selected_with_the_keys_decided_by_a_run_and_taken_back(
    browser: Browser, live_server: LiveServer
) -> None:
    fill(MANY)
    kept = make_memory("Elsewhere it is otherwise", source="P02")
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/?source=P01")
    begin(page)
    press(page, "*", "a")
    expect(page.locator("#bulk")).to_contain_text(f"{LOADED} / {LOADED}")
    press(page, "*", "a")
    expect(page.get_by_label("all 60 that match")).to_be_checked()
    press(page, "d", "5")
    expect(page.get_by_role("heading", name="Dismiss 60 as noise?")).to_be_visible()
    assert Memory.objects.filter(status="candidate").count() == MANY + 1
    press(page, "Enter")
    expect(page.locator(".under-way")).to_contain_text("Dismissing 60 as noise")
    expect(page.locator(".under-way")).to_contain_text("0 of 60")
    run_queue.work()
    expect(page.locator("#toast")).to_contain_text("Dismissed 60")  # the queue came anew by itself
    assert Memory.objects.filter(status="dismissed").count() == MANY
    expect(page.locator("#queue .row")).to_have_count(0)

    press(page, "z")  # nothing is left of the queue: its page shows how the undo goes
    expect(page.get_by_role("heading", name="Undoing 60")).to_be_visible()
    run_queue.work()
    expect(page.get_by_role("heading", name="Undone: 60")).to_be_visible()
    assert set(Memory.objects.values_list("status", flat=True)) == {"candidate"}
    trail = AuditEntry.objects.filter(batch_id__in=BulkOrder.objects.values("batch"))
    assert set(trail.values_list("actor", flat=True)) == {"anna"}
    assert not AuditEntry.objects.filter(subject_id=kept.pk, actor="anna").exists()


def test_a_reviewer_who_writes_meanwhile_is_not_interrupted(browser: Browser, live_server: LiveServer) -> None:
    fill(55)
    memory = make_memory("Acme pays late", source="P02")
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/?source=P01")
    begin(page)
    press(page, "*", "a", "*", "a", "a")
    page.get_by_role("button", name="Promote 55").click()
    expect(page.locator(".under-way")).to_be_visible()
    page.goto(f"{live_server.url}/?source=P02")
    press(page, "j", "i")
    page.get_by_label("What it says").fill("Acme pays very late")
    run_queue.work()
    expect(page.get_by_role("link", name="Show the queue anew")).to_be_visible()
    expect(page.get_by_label("What it says")).to_have_value("Acme pays very late")
    page.get_by_role("link", name="Promoted 55").click()
    expect(page.get_by_text("55 of 55")).to_be_visible()
    assert Memory.objects.get(pk=memory.pk).content == "Acme pays late"
