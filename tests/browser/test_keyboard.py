"""Every page without a mouse, in a real browser: Tab reaches what can be pressed and is seen; keys lead on."""

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import press, until
from tests.browser.test_review import sign_in
from tests.browser.test_settling import watched
from tests.chinese_store import fill
from tests.make import make_skill, make_version

pytestmark = pytest.mark.django_db(transaction=True)
PLACES = {
    **{"i": "/", "m": "/memories/", "e": "/episodes/", "s": "/skills/", "a": "/adaptations/", "r": "/runs/"},
    "n": "/insights/",
}
LISTS = (*PLACES.values(), "/agents/", "/import/", "/people/", "/profile/", "/skills/upload/", "/dismissed/")
# Numbers what Tab should reach: one of the radio buttons of a name, of folded parts only what opens them. From then on
# whatever gets the focus is noted, and whether that is seen.
NUMBER = """() => {
  const pressed = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const names = new Set();
  let n = 0;
  for (const one of document.querySelectorAll(pressed)) {
    if (one.disabled || one.tabIndex < 0 || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.type === "radio" && names.size === names.add(one.name).size) continue;
    one.dataset.number = n++;
  }
  document.activeElement?.blur();
  window.reached = new Set();
  window.unseen = new Set();
  addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    reached.add(target.dataset.number);
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) unseen.add(target.outerHTML.slice(0, 120));
  });
  return n;
}"""
FAULTS = """() => ({
  missed: [...document.querySelectorAll("[data-number]")].filter((one) => !reached.has(one.dataset.number))
    .map((one) => one.outerHTML.slice(0, 120)),
  unseen: [...unseen],
})"""


def walk(page: Page) -> dict[str, list[str]]:
    """What Tab does not reach, and where nobody sees the focus."""
    page.wait_for_load_state()
    count = page.evaluate(NUMBER)
    faults: dict[str, list[str]] = {}
    for _ in range(2):  # a row that gets the focus brings its grounds into the pane
        for _ in range(count):
            page.keyboard.press("Tab")
        faults = page.evaluate(FAULTS)
        if not faults["missed"]:
            break
    return {name: found for name, found in faults.items() if found}


def test_tab_reaches_everything_and_the_focus_is_seen(browser: Browser, live_server: LiveServer) -> None:
    _person, pages = fill()
    page = sign_in(browser, live_server, "ada", group="administrator")
    faults = {}
    for path in {*LISTS, *pages.values(), "/search/", "/memories/teach/", "/welcome/"}:
        page.goto(live_server.url + path)
        if found := walk(page):
            faults[path] = found
    assert faults == {}


def test_keys_lead_from_every_page_to_every_list_the_search_and_the_help(
    browser: Browser, live_server: LiveServer
) -> None:
    """Where a key leads from a page the browser only asks for; where all of them lead it goes once."""
    _person, pages = fill()
    page = sign_in(browser, live_server, "ada", group="administrator")
    complaints = watched(page)
    for key, place in PLACES.items():
        press(page, "g", key)
        page.wait_for_url(live_server.url + place)
    press(page, "/")
    expect(page.get_by_role("searchbox", name="Search everything")).to_be_focused()
    targets = [*PLACES.items()]
    for n, path in enumerate(sorted({*LISTS, *pages.values()})):
        page.goto(live_server.url + path)
        press(page, "?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        press(page, "Escape")
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
        key, place = targets[n % len(targets)]
        assert asked_by(page, "/") == f"{live_server.url}/search/"
        assert asked_by(page, "g", key) == live_server.url + place
    assert complaints == []


def test_escape_in_an_empty_field_gives_the_keys_back(browser: Browser, live_server: LiveServer) -> None:
    page = sign_in(browser, live_server)
    press(page, "/")
    field = page.get_by_role("searchbox", name="Search everything")
    expect(field).to_be_focused()
    press(page, "Escape")
    expect(field).not_to_be_focused()
    press(page, "g", "s")
    expect(page.get_by_role("heading", name="Skills", level=1)).to_be_visible()


def asked_by(page: Page, *keys: str) -> str:
    """The page that they lead to; the browser stays on this one, as the answer is that there is none."""
    asked: list[str] = []

    def stay(route: Route) -> None:
        if not route.request.is_navigation_request():
            return route.fallback()
        asked.append(route.request.url)
        return route.fulfill(status=204)

    page.route("**", stay)
    press(page, *keys)
    until(page, lambda: bool(asked), what=lambda: f"what {keys} ask for on {page.url}")
    page.unroute("**", stay)
    return asked[0]


def test_the_first_tab_leads_past_the_rail(browser: Browser, live_server: LiveServer) -> None:
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/skills/")
    press(page, "Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    press(page, "Enter", "Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_a_skill_is_found_read_and_its_version_rejected_by_keys(browser: Browser, live_server: LiveServer) -> None:
    skill = make_skill()
    make_version(skill, description="Books a flight and a seat")
    page = sign_in(browser, live_server)
    complaints = watched(page)
    press(page, "g", "s")
    expect(page.get_by_role("heading", name="Skills", level=1)).to_be_visible()
    press(page, "j", "o")
    expect(page.locator("#changes ins")).to_contain_text("and a seat")
    press(page, "d", "1")
    expect(page.locator("#toast")).to_contain_text("Version rejected as wrong")
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    press(page, "a")
    expect(page.locator("#toast")).to_contain_text("Published")
    assert list(skill.versions.order_by("number").values_list("status", flat=True)) == ["retired", "published"]
    assert complaints == []
