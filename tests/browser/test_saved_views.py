"""A saved view of the inbox, in a real browser: saved from filters, counted, opened by keys, renamed and deleted."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import press
from tests.browser.test_review import sign_in
from tests.browser.test_settling import watched
from tests.make import make_memory

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_view_is_saved_counted_opened_by_keys_renamed_and_deleted(browser: Browser, live_server: LiveServer) -> None:
    for n in range(3):
        make_memory(f"Acme pays late, case {n}", source="billing")
    make_memory("Globex pays early", source="shipping")
    page = sign_in(browser, live_server)
    complaints = watched(page)
    nav, rows = page.get_by_role("navigation", name="Saved views"), page.locator("#queue .row")
    expect(rows).to_have_count(4)
    expect(nav).to_have_count(0)

    press(page, "f")
    expect(page.get_by_label("Words")).to_be_focused()
    page.get_by_label("Source").select_option("billing")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(rows).to_have_count(3)
    nav.get_by_text("Save this view").click()
    nav.get_by_label("Name").fill("Late payers")
    nav.get_by_role("button", name="Save").click()
    expect(page.locator("#toast")).to_contain_text("Saved as “Late payers”")
    expect(page).to_have_url(f"{live_server.url}/?source=billing")
    view = nav.get_by_role("link", name="Late payers")
    expect(view).to_have_text("Late payers 3")
    expect(view).to_have_attribute("aria-current", "page")

    press(page, "j", "a")
    expect(view).to_have_text("Late payers 2")
    press(page, "g", "i")
    expect(page).to_have_url(f"{live_server.url}/")
    expect(rows).to_have_count(3)
    expect(view).to_have_text("Late payers 2")
    expect(view).not_to_have_attribute("aria-current", "page")
    press(page, "g", "1")
    expect(page).to_have_url(f"{live_server.url}/?source=billing")
    expect(rows).to_have_count(2)

    nav.get_by_text("Change this view").click()
    nav.get_by_label("Name").fill("Slow payers")
    nav.get_by_role("button", name="Rename").click()
    expect(page.locator("#toast")).to_contain_text("Saved as “Slow payers”")
    expect(nav.get_by_role("link")).to_have_text(["Slow payers 2"])
    nav.get_by_text("Change this view").click()
    nav.get_by_role("button", name="Delete").click()
    expect(page.locator("#toast")).to_contain_text("The view “Slow payers” is deleted")
    expect(nav.get_by_role("link")).to_have_count(0)
    expect(nav.get_by_text("Save this view")).to_be_visible()
    assert complaints == []
