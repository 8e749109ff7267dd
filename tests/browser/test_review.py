"""A reviewer at work, in a real browser: keys, focus, toast, undo, two people at once, the download."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memories.values.choices import Status, Type
from memos_site.web.inbox import FIRST_ROWS, MORE_ROWS
from tests.browser.conftest import LONGEST_WAIT, Held, enter, press
from tests.make import make_memory
from tests.pages import candidate, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(
    browser: Browser, site: LiveServer, name: str = "anna", *, group: str = "reviewer", scripts: bool = True
) -> Page:
    """The inbox of somebody who has signed in; through the form the first minutes and the Chinese pages do."""
    context = browser.new_context(java_script_enabled=scripts)
    enter(context, site, signed_in(name, group=group))
    page = context.new_page()
    page.set_default_timeout(LONGEST_WAIT * 1_000)
    page.goto(site.url)
    expect(page.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    page.wait_for_load_state()  # with its scripts
    return page


def status_of(memory: Memory) -> str:
    return Memory.objects.get(pk=memory.pk).status


def test_publish_undo_dismiss_and_download_with_the_keyboard(
    browser: Browser, live_server: LiveServer, tmp_path: Path
) -> None:
    skill, claim = candidate(), make_memory("Acme pays on net-30 terms")
    page = sign_in(browser, live_server)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    press(page, "j")
    expect(page.locator(f"#row-{skill.pk}")).to_be_focused()
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Published")
    expect(page.locator(f"#row-{claim.pk}")).to_be_focused()
    assert status_of(skill.memory) == Status.CONFIRMED

    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    expect(page.locator(f"#row-{skill.pk}")).to_be_focused()
    assert status_of(skill.memory) == Status.CANDIDATE

    press(page, "j", "d", "3")
    expect(page.locator("#toast")).to_contain_text("Dismissed as duplicate")
    expect(page.locator("#waiting")).to_have_text("1")
    assert status_of(claim) == Status.DISMISSED

    press(page, "k", "o")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / "skill.zip")
    assert f"{skill.name}/SKILL.md" in zipfile.ZipFile(tmp_path / "skill.zip").namelist()
    assert complaints == []


def test_after_the_last_decision_the_page_says_that_nothing_waits(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory()
    page = sign_in(browser, live_server)
    press(page, "j", "d", "3")
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    assert status_of(memory) == Status.DISMISSED
    press(page, "z")
    expect(page.locator(f"#row-{memory.pk}")).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_have_count(0)


def test_the_same_without_scripts(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory()
    page = sign_in(browser, live_server, scripts=False)
    expect(page.locator("kbd:visible")).to_have_count(0)
    page.locator("#queue").get_by_role("button", name="Promote", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Promoted")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#toast")).to_contain_text("Undone")
    page.locator("#queue summary", has_text="Dismiss").click()
    page.locator("#queue").get_by_role("button", name="wrong").click()
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    assert status_of(memory) == Status.DISMISSED


def test_of_two_people_the_second_sees_what_the_first_decided(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory()
    anna, ben = sign_in(browser, live_server, "anna"), sign_in(browser, live_server, "ben")
    anna.locator("#queue").get_by_role("button", name="Promote a").click()
    expect(anna.locator("#toast")).to_contain_text("Promoted")
    ben.locator("#queue summary", has_text="Dismiss").click()
    ben.locator("#queue").get_by_role("button", name="noise").click()
    expect(ben.locator(f"#row-{memory.pk}")).to_contain_text("anna promoted this")
    assert status_of(memory) == Status.CONFIRMED


def test_the_rest_of_the_queue_comes_as_one_scrolls_or_walks(browser: Browser, live_server: LiveServer) -> None:
    """Two further pages at first: of one alone fewer rows would be left than keys decide while the next one comes."""
    several = FIRST_ROWS + 2 * MORE_ROWS
    for n in range(several + 3):
        make_memory(f"Claim {n}")
    page = sign_in(browser, live_server)
    for loaded in (FIRST_ROWS, several):
        expect(page.locator(".row")).to_have_count(loaded)
        press(page, *"j" * (loaded - 1))
    expect(page.locator(".row")).to_have_count(several + 3)
    expect(page.get_by_text("Next in the queue")).to_have_count(0)


def test_rows_that_come_by_themselves_leave_the_focus_and_the_row_in_hand(
    browser: Browser, live_server: LiveServer
) -> None:
    for n in range(FIRST_ROWS + 3):
        make_memory(f"Claim {n}", confidence=90 - n)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 1440, "height": 3_000})
    page.goto(f"{live_server.url}/?sort=surest")
    expect(page.locator(".row")).to_have_count(FIRST_ROWS + 3)
    expect(page.locator("#pane")).to_contain_text("Claim 0")
    assert page.evaluate("document.activeElement === document.body")


def test_nobody_waits_for_the_server_between_two_decisions(browser: Browser, live_server: LiveServer) -> None:
    memories = [make_memory(f"Claim {n}", confidence=n) for n in range(3)]
    page = sign_in(browser, live_server)
    held = Held(page, "**/decide/")
    page.goto(f"{live_server.url}/?sort=surest")
    press(page, "j", "a")
    expect(page.locator(f"#row-{memories[1].pk}")).to_be_focused()
    press(page, "d", "5")
    expect(page.locator(f"#row-{memories[0].pk}")).to_be_focused()
    held.let_go(2)
    expect(page.locator(".done")).to_have_count(2)
    expect(page.locator(".row")).to_have_count(1)
    expect(page.locator(f"#row-{memories[0].pk}")).to_be_focused()
    assert [status_of(memory) for memory in memories] == [Status.CANDIDATE, Status.DISMISSED, Status.CONFIRMED]


def test_a_row_whose_decision_did_not_reach_the_server_is_open_again(browser: Browser, live_server: LiveServer) -> None:
    memory, _other = make_memory("Claim 1", confidence=9), make_memory("Claim 2", confidence=8)
    page = sign_in(browser, live_server)
    page.route("**/decide/", lambda route: route.abort(), times=1)  # before the page is opened, as Held says
    page.goto(f"{live_server.url}/?sort=surest")
    press(page, "j", "a")
    expect(page.get_by_text("The server did not answer")).to_be_visible()
    expect(page.locator(f"#row-{memory.pk}")).to_be_focused()
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    assert status_of(memory) == Status.CONFIRMED


def test_the_queue_is_narrowed_with_the_keyboard(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Acme pays on net-30 terms")
    make_memory("Prefers short answers", key="short-answers")
    page = sign_in(browser, live_server)
    press(page, "f")
    page.keyboard.type("short")
    press(page, "Enter")
    expect(page.locator(".row")).to_have_count(1)
    expect(page.get_by_text("All 1 that match")).to_have_count(0)  # it stands there already
    press(page, "a")
    expect(page.locator("#kind-semantic")).to_have_text("0")
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("#queue").get_by_role("link", name="Acme pays")).to_be_visible()


def test_keys_do_nothing_while_one_writes_and_can_be_switched_off(browser: Browser, live_server: LiveServer) -> None:
    make_memory()
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/memories/")
    page.locator("#q").press_sequentially("gi?")
    expect(page).to_have_url(re.compile(r"/memories/\?(.*&)?q=gi%3F"))  # the list follows what is typed
    page.get_by_role("heading", name="Memories").click()
    press(page, "?")
    page.get_by_label("Keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    press(page, "g", "i")
    page.wait_for_timeout(200)
    assert "/memories/" in page.url


# Without what follows: more of the list, as it comes into sight.
WEIGHT = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((one) => one.initiatorType !== "fetch" && !new URL(one.name).pathname.endsWith(".svg"))
  .reduce((sum, one) => sum + one.decodedBodySize, 0)"""


def test_pages_fit_a_phone_and_weigh_less_than_100_kb(browser: Browser, live_server: LiveServer) -> None:
    for n in range(8):
        candidate(f"skill-{n}", content="Books a flight " * 30)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 390, "height": 844})
    one = Memory.objects.filter(type=Type.COMPETENCE).values_list("pk", flat=True)[0]
    run = Memory.objects.filter(type=Type.EPISODIC).values_list("pk", flat=True)[0]
    lists = ("/", "/memories/", "/dismissed/", "/episodes/", "/skills/", "/adaptations/", "/runs/")
    for path in (*lists, f"/memories/{one}/", f"/episodes/{run}/"):
        page.goto(live_server.url + path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        assert page.evaluate("(rail => rail.scrollWidth - rail.clientWidth)(document.querySelector('.rail nav'))") <= 0
        for name in ("Inbox", "Outcomes", "Adaptations", "Agents"):
            assert page.locator(".rail nav span", has_text=name).evaluate("one => one.clientWidth > 20"), (path, name)
        assert 20_000 < page.evaluate(WEIGHT) < 100_000, path


def test_a_menu_stays_on_a_phone(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory("https://example.org/" + "x" * 300)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 390, "height": 844})
    for path, row in (("/", "#queue"), (f"/memories/{memory.pk}/", ".head")):
        page.goto(live_server.url + path)
        for menu in page.locator(f"{row} summary").all():
            menu.click()
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
