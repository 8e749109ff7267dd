"""Decisions on a slow line, in a real browser: none is lost in silence."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memos_site.web.inbox import FIRST_ROWS
from tests.browser.conftest import Held, press, until
from tests.browser.test_review import sign_in
from tests.make import make_memory

pytestmark = pytest.mark.django_db(transaction=True)
KEYS = 150
COUNT_MISSED = "addEventListener('memos:missed', () => { window.missedKeys = (window.missedKeys ?? 0) + 1; }, true)"
WORDS = "Keys without effect, because no waiting row was selected:"


def slow(page: Page, milliseconds: int) -> None:
    """Each request takes so much longer from now on."""
    conditions = {"offline": False, "latency": milliseconds, "downloadThroughput": -1, "uploadThroughput": -1}
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", conditions)


def decided() -> int:
    return Memory.objects.filter(status="confirmed").count()


def test_of_150_keys_on_a_slow_line_each_decides_or_is_told_to_have_had_no_effect(
    browser: Browser, live_server: LiveServer
) -> None:
    for n in range(KEYS + 30):
        make_memory(f"Company {n} pays on time", confidence=50)
    page = sign_in(browser, live_server)
    page.add_init_script(COUNT_MISSED)
    page.goto(live_server.url)
    slow(page, 800)
    press(page, "j")
    for _ in range(KEYS):
        page.keyboard.press("a")
        page.wait_for_timeout(20)
    missed = page.evaluate("window.missedKeys ?? 0")
    if missed:
        expect(page.locator("#missed")).to_have_text(re.compile(rf"{WORDS}\s+{missed}"))
    until(page, lambda: decided() == KEYS - missed, what=lambda: f"{decided()} of {KEYS - missed} decisions")
    expect(page.locator("#missed")).to_be_hidden()
    assert decided() > KEYS // 3


@pytest.mark.parametrize("answered", ["before", "after"])
def test_a_key_that_finds_no_row_is_told_and_decides_about_none_that_comes_later(
    browser: Browser, live_server: LiveServer, answered: str
) -> None:
    """Whether the decisions were answered before further rows came, or come to be after them."""
    for n in range(FIRST_ROWS + 2):
        make_memory(f"Company {n} pays on time", confidence=50)
    page = sign_in(browser, live_server)
    further = Held(page, "**/?cursor=*")
    page.goto(live_server.url)
    press(page, "j", *"a" * FIRST_ROWS)
    further.seen()
    if answered == "before":
        until(page, lambda: decided() == FIRST_ROWS, what=lambda: f"{decided()} decisions")
        expect(page.locator("#queue > [aria-busy]:not(.pager)")).to_have_count(0)
    press(page, *"aad")
    expect(page.locator("#missed")).to_have_text(re.compile(rf"{WORDS}\s+3"))
    further.let_go()
    expect(page.locator("#queue > .row:not([hidden])")).to_have_count(2)
    expect(page.locator("#queue > .row:not([hidden])").first).to_be_focused()
    until(page, lambda: decided() == FIRST_ROWS, what=lambda: f"{decided()} decisions")


def test_letters_that_come_before_the_form_of_an_edit_decide_nothing(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Acme pays late")
    page = sign_in(browser, live_server)
    form = Held(page, "**/edit/")
    page.goto(live_server.url)
    press(page, "j", "i")
    form.seen()
    press(page, *"ade")
    expect(page.locator("#missed")).to_contain_text("3")
    form.let_go()
    expect(page.get_by_label("What it says")).to_be_focused()
    assert decided() == 0


def test_a_page_that_is_left_sends_what_was_decided_on_it(browser: Browser, live_server: LiveServer) -> None:
    for n in range(FIRST_ROWS):
        make_memory(f"Company {n} pays on time")
    page = sign_in(browser, live_server)
    page.goto(live_server.url)
    slow(page, 1_000)
    press(page, "j", *"a" * FIRST_ROWS)
    page.goto(f"{live_server.url}/health/live")
    until(page, lambda: decided() == FIRST_ROWS, what=lambda: f"{decided()} decisions")


def test_the_pane_says_that_it_loads_and_that_it_did_not(browser: Browser, live_server: LiveServer) -> None:
    for words in ("Acme pays late", "Globex pays in time"):
        make_memory(words)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 1440, "height": 900})
    grounds = Held(page, "**/pane/")
    page.goto(live_server.url)
    expect(page.get_by_text("Loading the details of this row")).to_be_visible()
    expect(page.locator("#pane")).to_have_attribute("aria-busy", "true")
    grounds.let_go()
    expect(page.get_by_text("Loading the details of this row")).to_be_hidden()
    expect(page.locator("#pane")).not_to_have_attribute("aria-busy", "true")
    page.route("**/pane/", lambda route: route.abort())
    press(page, "j", "j")
    expect(page.get_by_text("The details of this row did not load")).to_be_visible()
    expect(page.locator("#pane")).to_be_empty()
