"""What a reviewer takes back, in a real browser: an adaptation, a dismissal, what a tool counts as."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from consolidation.models.tool_decisions import marks
from memories.models import Adaptation, Tombstone
from tests.browser.axe import findings
from tests.browser.conftest import press
from tests.browser.test_review import sign_in
from tests.browser.test_settling import watched
from tests.consolidation.experience import run
from tests.deciding import make_applied
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_adaptation_is_reverted_with_two_keys_and_stands_among_the_past_ones(
    browser: Browser, live_server: LiveServer
) -> None:
    make_applied("Reply in German")
    page = sign_in(browser, live_server)
    complaints = watched(page)
    page.goto(f"{live_server.url}/adaptations/")
    assert findings(page) == []
    press(page, "j", "d")
    expect(page.get_by_role("button", name="Keep the memory as confirmed")).to_be_focused()
    press(page, "1")
    expect(page.locator("#toast")).to_contain_text("Reverted; the memory is kept")
    page.get_by_role("link", name="Past").click()
    expect(page.locator("[data-row]")).to_contain_text("user revert")
    assert not Adaptation.objects.active().exists()
    assert complaints == []


def test_a_dismissed_statement_is_allowed_again(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Acme pays late").dismiss(by=ANNA, why="wrong", at=AT)
    page = sign_in(browser, live_server)
    complaints = watched(page)
    page.goto(f"{live_server.url}/dismissed/")
    assert findings(page) == []
    page.locator("summary", has_text="Allow again").click()
    expect(page.get_by_text("Nothing changes until an agent reports it again")).to_be_visible()
    page.get_by_role("button", name="Let agents report it again").click()
    expect(page.locator("#toast")).to_contain_text("the claim may come back")
    assert not Tombstone.objects.standing().exists()
    assert complaints == []


def test_a_tool_is_decided_to_only_read(browser: Browser, live_server: LiveServer) -> None:
    run(["prepare_order"])
    page = sign_in(browser, live_server)
    complaints = watched(page)
    page.goto(f"{live_server.url}/skills/")
    page.get_by_role("link", name="Tools").click()
    expect(page.locator("[data-row]")).to_contain_text("acts")
    assert findings(page) == []
    page.locator("summary", has_text="Decide").click()
    page.get_by_role("button", name="It only reads").click()
    expect(page.locator("[data-row]")).to_contain_text("only reads")
    assert marks().decided == {"prepare_order": True}
    assert complaints == []
