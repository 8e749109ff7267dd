"""The tab says how many decisions are new since the inbox was looked at; time is turned on, not waited for."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.test_review import sign_in
from tests.make import make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_new_decisions_stand_in_the_title_and_icon_until_the_inbox_is_looked_at(
    browser: Browser, live_server: LiveServer
) -> None:
    page = sign_in(browser, live_server)
    make_memory("Tea")
    page.clock.install()
    page.goto(f"{live_server.url}/")
    page.goto(f"{live_server.url}/runs/")
    make_memory("Acme pays on net-30 terms", created_at=timezone.now())
    page.clock.run_for(16_000)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("favicon-unread"))
    page.goto(f"{live_server.url}/")
    page.goto(f"{live_server.url}/profile/")
    page.clock.run_for(16_000)
    expect(page).not_to_have_title(re.compile(r"^\("))


def test_notifications_are_turned_on_by_a_button_alone(browser: Browser, live_server: LiveServer) -> None:
    page = sign_in(browser, live_server)
    page.context.grant_permissions(["notifications"])
    page.add_init_script(
        "globalThis.shown = [];"
        "globalThis.Notification = class { constructor(title, how) { shown.push(how.body); }"
        " static permission = 'granted'; static requestPermission = async () => 'granted' };"
        "Object.defineProperty(document, 'hidden', { get: () => true });"
    )
    page.clock.install()
    page.goto(f"{live_server.url}/")
    page.goto(f"{live_server.url}/profile/")
    make_memory("Acme pays on net-30 terms", created_at=timezone.now())
    page.clock.run_for(16_000)
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    assert page.evaluate("shown") == []
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_role("button", name="Turn off")).to_be_visible()
    make_memory("Beta pays on net-60 terms", created_at=timezone.now())
    page.clock.run_for(61_000)
    expect(page).to_have_title(re.compile(r"^\(2\) "))
    assert page.evaluate("shown") == ["2 new decisions wait for you."]
