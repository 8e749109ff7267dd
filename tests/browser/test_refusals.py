"""Requests that are refused and sessions that end while a page is open, in a real browser: nothing typed is lost."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Request, Route, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memories.values.choices import Status
from tests.browser.conftest import Held, press, until
from tests.browser.test_desk import asked_to_stay
from tests.browser.test_review import sign_in
from tests.make import make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
FORBIDDEN = "<main><h1>You may not do this</h1><p>Your account lacks a permission.</p></main>"


def forbid(route: Route) -> None:
    route.fulfill(status=403, content_type="text/html", body=FORBIDDEN)


def test_what_was_refused_is_said_in_its_row_and_an_open_edit_stays(browser: Browser, live_server: LiveServer) -> None:
    edited, decided = make_memory("Acme pays late"), make_memory("Acme pays on net-30 terms")
    page = sign_in(browser, live_server)
    asked = asked_to_stay(page)
    page.route(f"**/{decided.pk}/decide/", forbid, times=1)
    page.goto(live_server.url)
    press(page, "j", "j", "i")
    page.get_by_label("What it says").fill("Acme pays very late")
    page.locator(f"#row-{decided.pk}").focus()
    press(page, "a")
    row = page.locator(f"#row-{decided.pk}")
    expect(row.get_by_role("alert")).to_have_text("You may not do this · Your account lacks a permission.")
    expect(row).to_be_focused()
    expect(page.locator(f"#row-{edited.pk} textarea")).to_have_value("Acme pays very late")
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    assert asked == []


def test_an_answer_that_comes_late_leaves_the_focus_to_who_is_typing(browser: Browser, live_server: LiveServer) -> None:
    edited, decided = make_memory("Acme pays late"), make_memory("Acme pays on net-30 terms")
    page = sign_in(browser, live_server)
    held = Held(page, f"**/{decided.pk}/decide/")
    page.goto(live_server.url)
    press(page, "j", "a")
    held.seen()
    press(page, "i")
    field = page.locator(f"#row-{edited.pk} textarea")
    field.fill("Acme pays very")
    Memory.objects.filter(pk=decided.pk).update(version=7)
    held.let_go()
    expect(page.locator("#toast")).to_contain_text("Too late")
    expect(field).to_be_focused()
    page.keyboard.type(" late")
    expect(field).to_have_value("Acme pays very late")
    assert set(Memory.objects.values_list("status", flat=True)) == {Status.CANDIDATE}


def test_an_undo_that_is_refused_or_not_answered_says_so(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Acme pays late")
    make_memory("Acme pays on net-30 terms")
    page = sign_in(browser, live_server)
    answers: list[Callable[[Route], None]] = [lambda route: route.abort(), forbid]

    def answer(route: Route) -> None:
        answers.pop(0)(route)

    page.route("**/undo/**", answer)  # one, before the page is opened, as Held says
    page.goto(live_server.url)
    press(page, "j", "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    press(page, "z")
    expect(page.locator("#no-answer")).to_contain_text("The server did not answer")
    press(page, "z")
    expect(page.locator("#no-answer")).to_contain_text("You may not do this")


def test_a_decision_after_the_session_has_ended_comes_back_and_keeps_an_edit(
    browser: Browser, live_server: LiveServer
) -> None:
    edited, decided = make_memory("Acme pays late"), make_memory("Acme pays on net-30 terms")
    page = sign_in(browser, live_server)
    cookies = page.context.cookies()
    press(page, "j", "j", "i")
    page.get_by_label("What it says").fill("Acme pays very late")
    page.context.clear_cookies()
    page.locator(f"#row-{decided.pk}").focus()
    press(page, "a")
    expect(page.locator("#signed-out")).to_contain_text("You are signed out")
    expect(page.locator(f"#row-{decided.pk}")).to_be_focused()
    expect(page.locator(f"#row-{edited.pk} textarea")).to_have_value("Acme pays very late")
    page.context.add_cookies(cookies)  # type: ignore[arg-type]  # signed in again, in another tab
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    expect(page.locator("#signed-out")).to_be_hidden()


def test_an_empty_page_asks_for_the_first_report_no_more_after_the_session_has_ended_and_says_so(
    browser: Browser, live_server: LiveServer
) -> None:
    page = sign_in(browser, live_server)
    asked: list[Request] = []
    page.on(
        "request",
        lambda request: asked.append(request) if request.url == f"{live_server.url}/agents/first-report/" else None,
    )
    page.clock.install()
    page.goto(live_server.url)
    page.context.clear_cookies()
    page.clock.run_for(2_100)
    until(page, lambda: len(asked) == 1, what=lambda: f"one question, but {asked}")
    expect(page.locator("#signed-out")).to_contain_text("You are signed out")
    page.clock.run_for(20_000)
    assert len(asked) == 1
    assert "login" not in page.url


def test_words_that_are_not_saved_hold_the_page_of_a_memory_too_also_after_a_refusal(
    browser: Browser, live_server: LiveServer
) -> None:
    memory = make_memory("Acme pays late")
    page = sign_in(browser, live_server)
    asked = asked_to_stay(page)
    page.goto(f"{live_server.url}/memories/{memory.pk}/")
    page.locator("details.edit > summary").click()
    page.get_by_label("What it says").fill("Acme pays very late")
    page.get_by_role("link", name="Skills", exact=True).click()
    until(page, lambda: asked == ["beforeunload"], what=lambda: f"one question, but {asked}")
    Memory.objects.filter(pk=memory.pk).update(version=7)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Not saved", exact=True)).to_be_visible()
    page.get_by_role("link", name="Skills", exact=True).click()
    until(page, lambda: asked == ["beforeunload"] * 2, what=lambda: f"two questions, but {asked}")
    expect(page).to_have_url(re.compile("decide"))
