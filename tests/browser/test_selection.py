"""A selection that can be trusted, in a real browser: what is ticked is what a person has ticked just now."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memos_site.web.inbox import FIRST_ROWS
from tests.browser.conftest import press
from tests.browser.test_review import sign_in, status_of
from tests.deciding import make_applied, propose
from tests.make import make_memory, make_skill
from tests.pages import candidate

pytestmark = pytest.mark.django_db(transaction=True)


def ticked(page: Page) -> int:
    return page.locator("input[type=checkbox]:checked:not(#keys-on)").count()


@pytest.mark.parametrize("scripts", [True, False])
def test_reload_and_back_tick_no_row(browser: Browser, live_server: LiveServer, scripts: bool) -> None:
    memories = [make_memory(f"Claim {n}", confidence=n) for n in range(FIRST_ROWS + 3)]
    page = sign_in(browser, live_server, scripts=scripts)
    page.goto(f"{live_server.url}/?sort=surest")
    page.get_by_role("checkbox", name="Select", exact=True).nth(1).check()
    page.get_by_label("that match").check()
    Memory.objects.filter(pk=memories[-1].pk).update(status="dismissed")  # the rows move up: another stands second now
    page.reload()
    assert ticked(page) == 0
    page.get_by_role("checkbox", name="Select", exact=True).nth(1).check()
    page.get_by_role("link", name="Skills").click()
    expect(page.get_by_role("heading", name="Skills", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    page.wait_for_load_state()
    assert ticked(page) == 0
    if scripts:
        expect(page.locator("#bulk")).to_contain_text("All loaded")


@pytest.mark.parametrize("width", [390, 1440])
def test_a_viewer_reads_the_queue_in_whole_lines(browser: Browser, live_server: LiveServer, width: int) -> None:
    propose(make_applied(), content="Reply in Italian")
    make_memory("Acme pays on net-30 terms")
    page = sign_in(browser, live_server, "vera", group="viewer")
    page.set_viewport_size({"width": width, "height": 900})
    for row in page.locator(".row").all():
        words, numbers, whole = (row.locator(part).bounding_box() for part in (".what", ".record", "xpath=."))
        assert words and numbers and whole
        assert words["width"] > whole["width"] / 2
        assert words["x"] + words["width"] <= numbers["x"] or words["y"] + words["height"] <= numbers["y"]
        assert words["x"] - whole["x"] < 24
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    expect(page.get_by_text("you decide")).to_have_count(0)
    expect(page.locator("#keys")).not_to_contain_text("dismiss")


def test_keys_act_on_the_selection_wherever_the_focus_is(browser: Browser, live_server: LiveServer) -> None:
    memories = [make_memory(f"Claim {n}", confidence=n) for n in range(4)]
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/?sort=surest")
    expect(page.locator("#queue .row")).to_have_count(4)  # the last ones come after the page
    press(page, "j", "x", "Shift+J", "j", "j")  # the first two are selected, the fourth has the focus
    expect(page.locator(f"#row-{memories[0].pk}")).to_be_focused()
    expect(page.locator("#bulk")).to_contain_text("2 / 4")
    expect(page.locator("#bulk")).to_contain_text("“Claim 3”, “Claim 2”")
    expect(page.locator("#queue").get_by_role("button", name="Promote a")).to_have_count(0)
    press(page, "i")
    expect(page.get_by_text("Only one at a time can be edited")).to_be_visible()
    expect(page.get_by_label("What it says")).to_have_count(0)
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted 2: ")
    assert [status_of(memory) for memory in memories] == ["candidate", "candidate", "confirmed", "confirmed"]

    press(page, "j", "x", "j", "d", "4")
    expect(page.locator("#toast")).to_contain_text("Dismissed 1: “Claim 1”")
    press(page, "j", "x", "s", "1")
    expect(page.locator("#toast")).to_contain_text(re.compile("Snoozed 1 until .*: “Claim 0”"))
    assert [status_of(memory) for memory in memories[:2]] == ["candidate", "dismissed"]


def test_to_select_more_never_takes_a_row_out(browser: Browser, live_server: LiveServer) -> None:
    for n in range(3):
        make_memory(f"Claim {n}")
    page = sign_in(browser, live_server)
    press(page, "j", "x", "Shift+J", "Shift+J", "Shift+J")  # once more than there are rows
    expect(page.locator("#bulk")).to_contain_text("3 / 3")
    press(page, "Shift+K")
    expect(page.locator("#bulk")).to_contain_text("3 / 3")


THOUSANDS = """(count) => {
  for (let n = 0; n < count; n += 1) {
    const value = `${crypto.randomUUID()} 1.`;
    document.body.append(Object.assign(document.createElement("input"), {type: "hidden", name: "chosen", value}));
    document.body.lastChild.setAttribute("form", "bulk");
  }
}"""


def test_more_rows_than_a_form_has_fields_come_in_one(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory()
    page = sign_in(browser, live_server)
    page.evaluate(THOUSANDS, 1_500)
    press(page, "j", "x", "a")
    expect(page.get_by_role("heading", name="Promote 1,501?")).to_be_visible()
    assert status_of(memory) == "candidate"


def test_who_leaves_an_edit_sees_the_inbox_as_it_was_narrowed(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Acme pays late", scope="shop")
    make_memory("Globex pays early")
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/?scope=shop&sort=newest")
    press(page, "j", "i")
    expect(page.get_by_label("What it says")).to_be_focused()
    press(page, "Escape")
    expect(page.get_by_label("What it says")).to_have_count(0)
    expect(page.locator(".row")).to_have_count(1)
    assert page.url.endswith("/?scope=shop&sort=newest")


def test_escape_ends_the_selection_and_keys_are_about_the_row_again(browser: Browser, live_server: LiveServer) -> None:
    memories = [make_memory(f"Claim {n}", confidence=n) for n in range(FIRST_ROWS + 2)]
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/?sort=surest")
    page.get_by_label(f"all {len(memories)} that match").check()
    press(page, "j", "x", "j", "Escape")
    expect(page.locator("#bulk")).to_contain_text("All loaded")
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    expect(page.locator("#waiting")).to_have_text(str(len(memories) - 1))
    assert [status_of(memory) for memory in memories].index("confirmed") == len(memories) - 2


@pytest.mark.parametrize("scripts", [True, False])
def test_a_skill_among_the_selected_is_asked_about_and_left(
    browser: Browser, live_server: LiveServer, scripts: bool
) -> None:
    skill, claim = candidate("book-flight"), make_memory("Acme pays late")
    page = sign_in(browser, live_server, scripts=scripts)
    for row in (skill.pk, claim.pk):
        page.locator(f"#row-{row}").get_by_label("Select").check()
    page.locator("#bulk").get_by_role("button", name="Promote").click()
    expect(page.get_by_role("heading", name="Promote this one too?")).to_be_visible()
    expect(page.get_by_role("link", name="book flight")).to_be_visible()
    page.get_by_role("button", name="Promote the other one only").click()
    expect(page.locator("#toast")).to_contain_text("Promoted 1: “Acme pays late”")
    assert [status_of(skill.memory), status_of(claim)] == ["candidate", "confirmed"]


def test_on_a_phone_a_row_stays_under_the_finger_that_selects_it(browser: Browser, live_server: LiveServer) -> None:
    for n in range(4):
        make_memory(f"Claim {n}", confidence=n)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/?sort=surest")
    second = page.get_by_role("checkbox", name="Select", exact=True).nth(1)
    second.scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, 200)")
    before, bar = second.bounding_box(), page.locator("#bulk").bounding_box()
    second.check()
    after, bar_of_one = second.bounding_box(), page.locator("#bulk").bounding_box()
    assert before and after and bar and bar_of_one
    assert abs(before["y"] - after["y"]) <= 1
    assert bar["height"] == bar_of_one["height"]
    expect(page.locator(".deeds")).to_be_in_viewport()
    expect(page.locator(".deeds")).to_contain_text("“Claim 2”")
    assert page.locator("#queue .does").evaluate_all("all => all.every((one) => !one.getClientRects().length)")
    page.locator(".deeds").get_by_role("button", name="Promote").click()
    expect(page.locator("#toast")).to_contain_text("Promoted 1: “Claim 2”")


def test_a_skill_is_selected_and_dismissed_in_all_its_scopes_by_keys_and_comes_back(
    browser: Browser, live_server: LiveServer
) -> None:
    for scope in ("project:a", "project:b"):
        make_skill(published=False, scope=scope)
    make_skill("send-letter", published=False)
    page = sign_in(browser, live_server)
    page.goto(live_server.url)
    page.locator('[data-group="book-flight"].member').focus()
    press(page, "*", "g")
    expect(page.locator("[data-count]")).to_have_text("2 / 3")
    press(page, "d", "1")
    expect(page.locator("#toast")).to_contain_text("Dismissed 2")
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    expect(page.locator("#queue > .row:not([hidden])")).to_have_count(3)
