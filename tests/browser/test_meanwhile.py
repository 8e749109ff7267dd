"""Decisions while a page is open, in a real browser: further rows on their way, the form of an edit that is late."""

import re

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect
from pytest_django.live_server_helper import LiveServer

from memories import claims
from memories.models import Memory
from memos_site.web.inbox import FIRST_ROWS
from tests.browser.conftest import press, until
from tests.browser.test_review import sign_in
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db(transaction=True)
RULE = "Never send proposals on Fridays"


def test_further_rows_that_were_read_before_a_decision_do_not_show_what_it_decided(
    browser: Browser, live_server: LiveServer
) -> None:
    rows = [make_memory(f"Claim {n}", confidence=90 - n) for n in range(FIRST_ROWS + 2)]
    known = {"fingerprint": claims.fingerprint(claims.claim_of(RULE), "")}
    equals = [make_memory(RULE, key=key, confidence=n, **known) for key, n in (("fridays", 99), ("no-friday", 1))]
    page = sign_in(browser, live_server)
    answers: list[tuple[Route, APIResponse]] = []
    page.route(re.compile("cursor="), lambda route: answers.append((route, route.fetch())))
    page.goto(f"{live_server.url}/?sort=surest")
    press(page, *"jjjjj")  # near the end of what is loaded
    until(page, lambda: len(answers) == 1, what=lambda: "further rows, read by the server")
    press(page, *"kkkk", "d", "1")
    expect(page.locator("#toast")).to_contain_text("and 1 other that says the same")
    route, read = answers[0]
    route.fulfill(response=read)
    expect(page.locator(f"#row-{rows[-1].pk}")).to_be_visible()
    expect(page.locator(f"#row-{equals[1].pk}")).to_have_count(0)
    expect(page.locator("#queue > .row")).to_have_count(len(rows))


def test_the_key_of_an_edit_says_who_was_faster_and_that_the_server_did_not_answer(
    browser: Browser, live_server: LiveServer
) -> None:
    second, first = make_memory("Acme pays late", confidence=8), make_memory("Acme pays early", confidence=9)
    page = sign_in(browser, live_server)
    page.route("**/edit/", lambda route: route.abort(), times=1)
    page.goto(f"{live_server.url}/?sort=surest")
    press(page, "j", "i")
    expect(page.get_by_text("The server did not answer")).to_be_visible()
    Memory.objects.get(pk=first.pk).promote(by=ANNA, at=AT)
    press(page, "i")
    expect(page.locator(f"#row-{first.pk}")).to_contain_text("anna promoted this")
    expect(page.locator("#toast")).to_contain_text("it is confirmed now")
    press(page, "j", "i")
    expect(page.locator(f"#row-{second.pk}").get_by_label("What it says")).to_be_focused()
