"""Claims that contradict or repeat each other, settled in a real browser: from the pane, on the page, by keys."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memories.models.passage import of_memories, write
from memories.values.choices import LIVE
from tests.browser.conftest import press
from tests.browser.test_review import sign_in, status_of
from tests.deciding import make_applied
from tests.make import make_memory
from tests.memos_site.test_views_contested import contested_pair

pytestmark = pytest.mark.django_db(transaction=True)
NET30, NET60 = "Acme Corp pays on net-30 terms", "Acme Corp pays on net-60 terms"


def watched(page: Page) -> list[str]:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def live_words() -> list[str]:
    return sorted(Memory.objects.filter(status__in=LIVE).values_list("content", flat=True))


def test_a_key_picks_the_winner_in_the_pane_and_undo_opens_the_contest_again(
    browser: Browser, live_server: LiveServer
) -> None:
    contested, opponent = contested_pair()
    page = sign_in(browser, live_server)
    complaints = watched(page)
    pane = page.locator("#pane")
    expect(pane.get_by_role("button", name="This one holds")).to_have_count(2)
    expect(pane.locator("ins")).to_contain_text("60")
    press(page, "2")
    expect(page.locator("#toast")).to_contain_text("Decided that this one holds: “Globex pays within 60 days”")
    expect(page.locator(f"#row-{contested.pk}")).to_be_hidden()
    assert [status_of(contested), status_of(opponent)] == ["superseded", "confirmed"]
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    expect(page.locator(f"#row-{contested.pk}")).to_be_visible()
    assert [status_of(contested), status_of(opponent)] == ["contested", "confirmed"]
    assert complaints == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_winner_is_picked_on_the_page_of_the_contested_one(
    browser: Browser, live_server: LiveServer, scripts: bool
) -> None:
    contested, opponent = contested_pair()
    page = sign_in(browser, live_server, scripts=scripts)
    page.locator("#queue").get_by_role("link", name="Globex pays within 30 days").click()
    choices = page.locator("#opponent").get_by_role("button", name="This one holds")
    expect(choices).to_have_count(2)
    if scripts:
        press(page, "1")
    else:
        choices.first.click()
    expect(page.locator("#toast")).to_contain_text("Decided that this one holds: “Globex pays within 30 days”")
    expect(page.locator("#opponent")).to_have_count(0)
    assert [status_of(contested), status_of(opponent)] == ["confirmed", "superseded"]


def test_two_that_say_nearly_the_same_are_merged_by_keys_in_chosen_words(
    browser: Browser, live_server: LiveServer
) -> None:
    make_memory(NET30)
    make_memory(NET60, status="confirmed", confidence=70)
    write(of_memories(Memory.objects.all()))
    page = sign_in(browser, live_server)
    complaints = watched(page)
    expect(page.locator("#pane").get_by_role("link", name="Merge the two")).to_be_visible()
    press(page, "m")
    expect(page.get_by_role("heading", name="Merge the two")).to_be_visible()
    expect(page.locator("del")).to_contain_text("60")
    press(page, "Escape")
    expect(page.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    assert live_words() == [NET30, NET60], "looking decides nothing"
    expect(page.locator("#pane").get_by_role("link", name="Merge the two")).to_be_visible()
    press(page, "m")
    expect(page.locator("del")).to_contain_text("60")
    page.get_by_role("radio", name=NET60).check()
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text(f"Merged: “{NET60}”")
    assert live_words() == [NET60]
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    assert live_words() == [NET30, NET60]
    assert complaints == []


def test_an_adaptation_is_reverted_and_applied_again_by_undo(browser: Browser, live_server: LiveServer) -> None:
    applied = make_applied()
    page = sign_in(browser, live_server)
    complaints = watched(page)
    press(page, "g", "a")
    row = page.locator("tr", has_text=applied.content)
    row.locator("summary", has_text="Revert").click()
    row.get_by_role("button", name="Keep the memory as confirmed").click()
    expect(page.get_by_role("heading", name="No memory changes behaviour")).to_be_visible()
    expect(page.locator("#toast")).to_contain_text("Reverted; the memory is kept")
    assert status_of(applied) == "confirmed"
    press(page, "z")
    expect(row).to_be_visible()
    assert status_of(applied) == "applied"
    assert complaints == []
