"""Pages that stay open while the session ends or the server fails, and keys that are held, in a real browser."""

import re

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Browser, Page, Request, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Episode, Memory
from memories.values.choices import OutcomeSource, Status
from memos_site.web.judging import FIRST
from tests.browser.conftest import press, until
from tests.browser.test_review import sign_in
from tests.make import make_memory, make_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_a_server_that_fails_once_is_asked_for_new_decisions_again(browser: Browser, live_server: LiveServer) -> None:
    page = sign_in(browser, live_server)
    page.clock.install()
    page.route("**/unread/**", lambda route: route.fulfill(status=502), times=1)
    page.goto(f"{live_server.url}/runs/")
    make_memory("Acme pays on net-30 terms", created_at=timezone.now())
    with page.expect_response("**/unread/**") as refused:
        page.clock.run_for(16_000)
    assert refused.value.status == 502
    page.clock.run_for(61_000)
    expect(page).to_have_title(re.compile(r"^\(1\) "))


def test_typing_into_a_list_after_the_session_has_ended_leads_to_the_sign_in(
    browser: Browser, live_server: LiveServer
) -> None:
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/memories/")
    page.context.clear_cookies()
    page.locator("form[data-live] input[type=search]").press_sequentially("acme")
    expect(page).to_have_url(re.compile("sign-in|login"))


def test_further_runs_that_do_not_come_are_asked_for_after_a_pause_and_never_said_to_be_none(
    browser: Browser, live_server: LiveServer
) -> None:
    for n in range(FIRST + 2):
        make_run(id=f"r{n}", title=f"Run {n}")
    page = sign_in(browser, live_server)
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if "?more" in request.url else None)
    page.clock.install()
    page.route(re.compile(r"\?more"), lambda route: route.abort(), times=1)
    page.goto(f"{live_server.url}/outcomes/")
    press(page, *"ss")
    until(page, lambda: bool(asked), what=lambda: "a question for further runs")
    expect(page.locator("#judged")).to_have_text("2 judged here", use_inner_text=True)
    assert len(asked) == 1
    page.context.clear_cookies()
    page.clock.run_for(2_000)
    until(page, lambda: len(asked) > 1, what=lambda: "a second question")
    press(page, *"s" * (FIRST - 2))
    expect(page.locator("[data-run]:not([hidden])")).to_have_count(0)
    expect(page.get_by_text("not saved yet, tried again")).to_be_visible()
    expect(page.get_by_text("You are signed out")).to_be_visible()
    expect(page.get_by_role("heading", name="No run waits to be judged")).to_be_hidden()


def test_a_verdict_of_who_may_judge_no_more_is_refused_in_words_and_not_sent_again(
    browser: Browser, live_server: LiveServer
) -> None:
    make_run(id="r1", title="Run 1")
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/outcomes/")
    User.objects.get(username="anna").groups.clear()
    press(page, "s")
    expect(page.get_by_text("needs the permission review")).to_be_visible()
    expect(page.get_by_text("not saved yet, tried again")).to_be_hidden()


def test_a_key_that_is_held_decides_one_row(browser: Browser, live_server: LiveServer) -> None:
    for n in range(3):
        make_memory(f"Claim {n}", confidence=90 - n)
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/?sort=surest")
    press(page, "j")
    page.keyboard.down("a")
    page.keyboard.down("a")
    page.keyboard.up("a")
    expect(page.locator("#waiting")).to_have_text("2")
    page.keyboard.down("j")
    page.keyboard.down("j")
    expect(page.locator("#queue > .row").last).to_be_focused()
    assert Memory.objects.filter(status=Status.CONFIRMED).count() == 1


def sign_in_again(page: Page, site: str) -> None:
    """In another tab, by which the session and the token of forms are other ones."""
    other = page.context.new_page()
    other.context.clear_cookies()
    other.goto(f"{site}/login/")
    other.fill("[name=username]", "anna")
    other.fill("[name=password]", "secret")
    other.press("[name=password]", "Enter")
    expect(other).not_to_have_url(re.compile("login"))
    other.close()


def test_pages_that_stayed_open_go_on_when_the_person_has_signed_in_again(
    browser: Browser, live_server: LiveServer
) -> None:
    make_memory("Acme pays on net-30 terms")
    make_run(id="r1", title="Run 1")
    page = sign_in(browser, live_server)
    judging = page.context.new_page()
    judging.goto(f"{live_server.url}/outcomes/")
    page.goto(live_server.url)
    sign_in_again(page, live_server.url)
    press(page, "j", "a")
    expect(page.locator("#waiting")).to_have_text("0")
    press(judging, "s")
    expect(judging.get_by_text("not saved yet, tried again")).to_be_hidden()
    until(page, lambda: Memory.objects.filter(status=Status.CONFIRMED).exists(), what=lambda: "the decision")
    until(
        page, lambda: Episode.objects.filter(outcome_source=OutcomeSource.PERSON).exists(), what=lambda: "the verdict"
    )
