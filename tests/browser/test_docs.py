"""The API's documentation in a real browser: it draws itself from our own files, and calls from it work."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from tests.browser.test_review import sign_in
from tests.make import make_memory

pytestmark = pytest.mark.django_db(transaction=True)


def opened(page: Page, operation: str) -> Locator:
    place = page.locator(f"#operations-{operation}")
    place.locator(".opblock-summary").click()
    place.get_by_role("button", name="Try it out").click()
    return place


def test_the_documentation_needs_no_network_and_calls_as_who_is_signed_in(
    browser: Browser, live_server: LiveServer
) -> None:
    memory = make_memory()
    page = sign_in(browser, live_server)
    complaints: list[str] = []
    asked: set[str] = set()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    page.goto(f"{live_server.url}/api/docs/")

    reading = opened(page, "Caller-GetMe")
    reading.get_by_role("button", name="Execute").click()
    expect(reading.locator(".live-responses-table")).to_contain_text('"name": "anna"')
    writing = opened(page, "Decisions-PromoteMemory")
    writing.get_by_placeholder("memory_id").fill(str(memory.pk))
    writing.get_by_role("button", name="Execute").click()
    expect(writing.locator(".live-responses-table")).to_contain_text('"status": "confirmed"')

    assert Memory.objects.get().status == "confirmed"
    assert complaints == []
    assert asked == {urlsplit(live_server.url).netloc}
