"""The desk by keys, in a real browser: edit in place, snooze, proposals, many at once; nothing while a page comes."""

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory, Proposal
from memos_site.web.inbox import FIRST_ROWS
from tests.browser.conftest import Held, press, until
from tests.browser.test_review import sign_in, status_of
from tests.deciding import make_applied, propose
from tests.make import make_memory

pytestmark = pytest.mark.django_db(transaction=True)

PAINTED = "void requestAnimationFrame(() => (window.painted = true))"


def at_the_desk(browser: Browser, site: LiveServer) -> tuple[Page, list[str]]:
    page, complaints = sign_in(browser, site), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return page, complaints


def asked_to_stay(page: Page) -> list[str]:
    """The types of the dialogs that are shown from now on; each is answered with Cancel."""
    asked = list[str]()

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    return asked


def test_edit_in_place_snooze_and_undo_by_keys(browser: Browser, live_server: LiveServer) -> None:
    second, first = make_memory("Acme pays late"), make_memory("Acme pays on net-30 terms")
    page, complaints = at_the_desk(browser, live_server)
    press(page, "j", "i")
    words = page.get_by_label("What it says")
    expect(words).to_be_focused()
    words.fill("Acme pays on net-60 terms")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Saved")
    expect(page.locator(f"#row-{first.pk}")).to_be_focused()
    expect(page.locator(f"#row-{first.pk} h2")).to_have_text("Acme pays on net-60 terms")
    press(page, "z")
    expect(page.locator(f"#row-{first.pk} h2")).to_have_text("Acme pays on net-30 terms")
    press(page, "s", "1")
    expect(page.locator("#toast")).to_contain_text("Snoozed")
    expect(page.locator(f"#row-{second.pk}")).to_be_focused()
    expect(page.locator("#waiting")).to_have_text("1")
    assert complaints == []


def test_an_edit_that_is_left_keeps_the_rows_and_the_undo(browser: Browser, live_server: LiveServer) -> None:
    for n in range(FIRST_ROWS + 5):
        make_memory(f"claim {n}")
    page, complaints = at_the_desk(browser, live_server)
    press(page, *"jjjjj")  # near the end of the first rows
    expect(page.locator("#queue > .pager")).to_have_count(0)  # all rows are loaded
    press(page, "d", "5")
    expect(page.locator("#toast")).to_contain_text("Dismissed")
    press(page, *"jjjjj", "i")
    expect(page.get_by_label("What it says")).to_be_focused()
    press(page, "Escape")
    expect(page.get_by_label("What it says")).to_have_count(0)
    expect(page.locator("#queue > .row:not([hidden])")).to_have_count(FIRST_ROWS + 4)
    expect(page.locator("#queue > .row:focus h2")).to_have_text(f"claim {FIRST_ROWS - 6}")
    press(page, "i")
    expect(page.get_by_label("What it says")).to_be_focused()
    press(page, "Escape", "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    assert complaints == []


def test_words_that_are_not_saved_hold_the_page_and_saved_ones_do_not(
    browser: Browser, live_server: LiveServer
) -> None:
    row, (page, _) = make_memory("Acme pays on net-30 terms"), at_the_desk(browser, live_server)
    asked = asked_to_stay(page)
    press(page, "j", "i")
    page.get_by_role("link", name="Skills", exact=True).click()  # nothing was typed
    page.wait_for_url("**/skills/")
    page.go_back()
    press(page, "j", "i")
    page.get_by_label("What it says").fill("Acme pays on net-60 terms")
    page.get_by_role("link", name="Skills", exact=True).click()
    until(page, lambda: asked == ["beforeunload"], what=lambda: f"one question, but {asked}")
    expect(page.get_by_label("What it says")).to_have_value("Acme pays on net-60 terms")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(f"#row-{row.pk} h2")).to_have_text("Acme pays on net-60 terms")
    page.get_by_role("link", name="Skills", exact=True).click()
    page.wait_for_url("**/skills/")
    assert asked == ["beforeunload"]


def test_a_row_is_snoozed_by_keys_as_the_page_comes(browser: Browser, live_server: LiveServer) -> None:
    second, first = make_memory("Acme pays late"), make_memory("Acme pays on net-30 terms")
    page, complaints = at_the_desk(browser, live_server)
    press(page, "j", "s", "2")
    expect(page.locator("#toast")).to_contain_text("Snoozed")
    expect(page.locator(f"#row-{second.pk}")).to_be_focused()
    assert Memory.objects.get(pk=first.pk).snoozed_until is not None
    assert complaints == []


def test_several_are_selected_and_dismissed_by_keys_and_come_back(browser: Browser, live_server: LiveServer) -> None:
    third, second, first = (make_memory(f"claim {n}") for n in range(3))
    page, complaints = at_the_desk(browser, live_server)
    press(page, "j", "x", "Shift+J")
    expect(page.locator("#bulk")).to_contain_text("2 / 3")
    press(page, "*", "a")
    expect(page.locator("#bulk")).to_contain_text("3 / 3")
    press(page, "k", "x")
    expect(page.locator("#bulk")).to_contain_text("2 / 3")
    page.locator("#bulk summary", has_text="Dismiss").click()
    page.locator("#bulk").get_by_role("button", name="noise").click()
    expect(page.locator("#toast")).to_contain_text("Dismissed 2")
    assert [status_of(memory) for memory in (first, second, third)] == ["candidate", "dismissed", "dismissed"]
    press(page, "z")
    expect(page.locator(".row")).to_have_count(3)
    assert complaints == []


def test_a_proposal_is_accepted_and_reopened_by_keys(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory(status="confirmed")
    propose(memory)
    page, complaints = at_the_desk(browser, live_server)
    expect(page.locator(".row ins")).to_contain_text("60")
    press(page, "j", "a")
    expect(page.locator("#toast")).to_contain_text("Accepted")
    assert Memory.objects.get().content == "Acme pays on net-60 terms"
    press(page, "z")
    expect(page.locator(".row ins")).to_contain_text("60")
    assert Proposal.objects.open().exists()
    expect(page.locator("#toast")).to_contain_text("Undone")
    press(page, "j", "d")
    expect(page.locator("#toast")).to_contain_text("Rejected")
    assert complaints == []


def test_a_key_that_comes_while_a_page_is_on_its_way_decides_nothing(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory()
    page, _complaints = at_the_desk(browser, live_server)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    memory_page, keys = Held(page, "**/memories/*/*"), Held(page, "**/keys.js")
    press(page, "j", "Enter")
    memory_page.seen()
    press(page, "a", "d", "1")
    memory_page.let_go()
    expect(page.get_by_role("heading", name="History")).to_be_attached()
    keys.seen()
    assert "POST" not in asked
    page.evaluate(PAINTED)
    page.wait_for_timeout(300)  # in which a page that does not wait for its keys is painted
    assert not page.evaluate("window.painted")  # nobody sees a page whose keys do nothing yet
    keys.let_go()
    until(page, lambda: page.evaluate("Boolean(window.painted)"), what=lambda: "the page with its keys")
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    assert status_of(memory) == "confirmed"


def test_many_a_proposal_and_an_adaptation_without_scripts(browser: Browser, live_server: LiveServer) -> None:
    memory, applied = make_memory("Acme pays late"), make_applied()
    propose(applied, content="Reply in Italian")
    page = sign_in(browser, live_server, scripts=False)
    page.get_by_role("button", name="Reject").click()
    expect(page.locator("#toast")).to_contain_text("Rejected")
    page.get_by_role("checkbox", name="Select", exact=True).check()
    page.locator("#bulk").get_by_role("button", name="Promote").click()
    expect(page.locator("#toast")).to_contain_text("Promoted 1")
    page.goto(f"{live_server.url}/memories/{memory.pk}/")
    page.locator("summary", has_text="Edit").click()
    page.get_by_label("What it says").fill("Acme pays early")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Saved")
    page.get_by_role("link", name="Adaptations").click()
    page.locator("summary", has_text="Revert").click()
    page.get_by_role("button", name="Keep the memory").click()
    expect(page.get_by_role("heading", name="No memory changes behaviour")).to_be_visible()
    assert [status_of(row) for row in (memory, applied)] == ["confirmed", "confirmed"]


AT_ONCE = """
window.here = true;
new MutationObserver((changes, observer) => {
  const button = document.querySelector('.row [data-does="promote"]');
  if (!button) return;
  observer.disconnect();
  sessionStorage.pressed = "once more";
  button.click();
}).observe(document.getElementById("queue"), {childList: true});
"""


def test_a_row_that_comes_back_is_decided_in_place_however_soon(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Acme pays late")
    page, _complaints = at_the_desk(browser, live_server)
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    page.evaluate(AT_ONCE)
    press(page, "z")
    until(page, lambda: page.evaluate("Boolean(sessionStorage.pressed)"), what=lambda: "the row that came back")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    assert page.evaluate("window.here"), "the form was sent as a plain one: the page was left"
