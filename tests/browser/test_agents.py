"""An administrator's page of agents and of runs, in a real browser: a token that is used, and a run that is watched."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from consolidation import run_queue
from tests.browser.axe import findings
from tests.browser.conftest import press
from tests.browser.test_review import sign_in
from tests.browser.test_settling import watched

pytestmark = pytest.mark.django_db(transaction=True)
CLAIM = {"key": "acme-terms", "category": "fact", "content": "Acme pays on net-30 terms", "source": "parcel-agent"}


def status_of(address: str, body: object, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with urlopen(Request(address, json.dumps(body).encode(), headers), timeout=60) as answer:
            return int(answer.status)
    except HTTPError as refusal:
        with refusal:
            return refusal.code


def test_a_token_is_made_used_by_an_agent_and_revoked(browser: Browser, live_server: LiveServer) -> None:
    page = sign_in(browser, live_server, "olga", group="administrator")
    complaints = watched(page)
    page.get_by_role("link", name="Agents", exact=True).click()
    page.get_by_label("Name", exact=True).fill("parcel-agent")
    page.get_by_role("button", name="Create", exact=True).click()
    token = page.locator("#token").inner_text().strip()
    assert findings(page) == []
    memories = f"{live_server.url}/api/v1/memories"
    assert status_of(memories, CLAIM, token) == 201
    press(page, "g", "i")
    expect(page.locator("#queue").get_by_role("link", name="Acme pays on net-30 terms")).to_be_visible()
    page.get_by_role("link", name="Agents", exact=True).click()
    expect(page.get_by_text(token)).to_have_count(0)
    page.get_by_role("link", name="parcel-agent").click()
    expect(page.locator(".facts").first).to_contain_text("1")
    assert findings(page) == []
    page.locator("summary", has_text="Revoke").click()
    page.get_by_role("button", name="Revoke the token").click()
    expect(page.locator("#toast")).to_contain_text("parcel-agent: the token is revoked")
    assert status_of(memories, CLAIM, token) == 401
    assert complaints == []


def test_a_run_that_is_ordered_is_seen_to_end_without_a_reload(
    browser: Browser, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)  # the test is the worker
    page = sign_in(browser, live_server)
    complaints = watched(page)
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("button", name="Learn from new episodes").click()
    expect(page.get_by_role("heading", name="Under way")).to_be_visible()
    page.evaluate("window.stayed = true")
    assert run_queue.work() == 1
    expect(page.get_by_role("heading", name="Under way")).to_have_count(0)
    expect(page.locator("#live").get_by_text("succeeded", exact=True)).to_be_visible()
    assert page.evaluate("window.stayed"), "the page was loaded anew"
    assert complaints == []
