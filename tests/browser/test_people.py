"""A person is invited and signs in, and searches everything, in a real browser."""

import re

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import LONGEST_WAIT, press
from tests.browser.test_review import sign_in
from tests.memories.storing import agent, store

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_a_person_is_invited_by_a_link_chooses_a_password_and_signs_in(
    browser: Browser, live_server: LiveServer
) -> None:
    page = sign_in(browser, live_server, "ada", group="administrator")
    page.locator("details.person > summary").click()
    page.get_by_role("link", name="People").click()
    page.get_by_label("Name", exact=True).fill("carl")
    page.get_by_role("button", name="Invite").click()
    link = page.locator("#link").inner_text()
    theirs = browser.new_context().new_page()
    theirs.set_default_timeout(LONGEST_WAIT * 1_000)
    theirs.goto(link)
    theirs.get_by_label("New password").fill("correct horse battery")
    theirs.get_by_label("Again").fill("correct horse battery")
    theirs.get_by_role("button", name="Save and sign in").click()
    expect(theirs.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()


def test_everything_is_searched_from_any_page_without_the_mouse(browser: Browser, live_server: LiveServer) -> None:
    store("Acme pays its invoices late", key="acme-terms", trust=agent())
    page = sign_in(browser, live_server)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"{live_server.url}/skills/")
    press(page, "/")
    expect(page.get_by_role("searchbox", name="Search everything")).to_be_focused()
    page.wait_for_load_state()  # it is the script that asks while one types
    page.keyboard.type("invoice")
    expect(page.get_by_role("link", name="Acme pays its invoices late")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]q=invoice(&|$)"))  # the last list: another would take the focus
    press(page, "ArrowDown", "Enter")
    expect(page.get_by_role("heading", name="Acme pays its invoices late", level=1)).to_be_visible()
    assert complaints == []


def test_the_search_is_a_form_without_scripts(browser: Browser, live_server: LiveServer) -> None:
    store("Acme pays its invoices late", key="acme-terms", trust=agent())
    page = sign_in(browser, live_server, scripts=False)
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_role("searchbox").fill("invoice")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("link", name="Acme pays its invoices late")).to_be_visible()
