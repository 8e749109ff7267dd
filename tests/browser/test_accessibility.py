"""Every page of ours, on the demo team's store: axe finds nothing, the console is empty, nothing is too wide."""

from collections.abc import Iterable
from itertools import cycle
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memories.values.choices import Status, Type
from tests.browser import every_page
from tests.browser.axe import DESKTOP, LOOKS, Menus, findings
from tests.browser.conftest import LONGEST_WAIT, enter
from tests.make import make_person

pytestmark = pytest.mark.django_db(transaction=True)
LOADED_WITHIN = 300_000  # milliseconds: a bound for what hangs
THOROUGH = ("inbox", "memory")
IN_CHINESE = ("inbox", "memory", "insights")
REFUSED = {"?as_of=soon": 400, "/nowhere/": 404}  # pages that say what was wrong


class Watched:
    """A page whose complaints are kept: errors of the console, of scripts, of requests."""

    def __init__(self, context: BrowserContext, site: LiveServer) -> None:
        self.page, self.complaints, self._site = context.new_page(), list[str](), site.url
        self._menus: Menus = {}
        self.page.set_default_timeout(LONGEST_WAIT * 1_000)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", lambda answer: self._refused(answer.status, answer.url))
        self.page.on("requestfailed", lambda request: self._failed(request.url, request.failure or ""))

    def open(self, path: str) -> None:
        self.page.set_viewport_size(DESKTOP)
        self.page.emulate_media(color_scheme="light")
        self.page.goto(self._site + path)
        if self.page.locator("#queue > [data-pane]").count():
            expect(self.page.locator("#pane:not([aria-busy]) > *").first).to_be_attached()

    def wrong(self, path: str, **options: Any) -> set[tuple[Any, ...]]:
        """What axe and the browser complain of on this page; of what is wrong at both widths the first."""
        self.open(path)
        found = {
            (one.rule, one.target): (path, *one) for one in reversed(findings(self.page, known=self._menus, **options))
        }
        expected = next((f"status of {code} " for part, code in REFUSED.items() if part in path), "")
        complaints = [text for text in self.complaints if not expected or expected not in text]
        self.complaints.clear()
        return {*found.values(), *((path, text) for text in complaints)}

    def _refused(self, status: int, url: str) -> None:
        if status >= 400 and status not in REFUSED.values():
            self.complaints.append(f"{status} {url}")

    def _failed(self, url: str, failure: str) -> None:
        if "ERR_ABORTED" not in failure:  # what was under way when the page was left
            self.complaints.append(f"{failure} {url}")


def signed_in(
    browser: Browser, site: LiveServer, person: User, *, locale: str = "en", decides: bool = False
) -> Watched:
    """The person's page; with `decides` one decision was taken in this session."""
    client = Client()
    client.force_login(person)
    if decides:
        waiting = Memory.objects.filter(status=Status.CANDIDATE, type=Type.SEMANTIC)[0]
        client.post(f"/memories/{waiting.pk}/decide/", {"decision": "promote"})
    context = browser.new_context(locale=locale)
    enter(context, site, client)
    return Watched(context, site)


def loads_the_demo_team(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/welcome/")
    page.get_by_role("button", name="Load the demo team").click(timeout=LOADED_WITHIN)
    page.wait_for_url(f"{site.url}/", timeout=LOADED_WITHIN)
    expect(page.get_by_text("The demo team is here.")).to_be_visible()


def removes_the_demo_team(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/welcome/")
    page.get_by_role("button", name="Remove the demo team").click()
    expect(page.get_by_text("The demo team is gone")).to_be_visible()
    assert not Memory.objects.exists()


def test_every_page_of_the_demo_team_which_comes_and_goes(browser: Browser, live_server: LiveServer) -> None:
    person = make_person("olga", group="administrator")
    loads_the_demo_team((first := signed_in(browser, live_server, person)).page, live_server)
    assert first.complaints == []
    pages = every_page.addresses(person)
    assert set(pages) == every_page.PAGES
    staff = signed_in(browser, live_server, person, decides=True)
    nobody = Watched(browser.new_context(locale="en"), live_server)
    wrong = staff.wrong("/nowhere/")
    for name, paths in pages.items():
        reader = nobody if name in every_page.WITHOUT_SIGNING_IN else staff
        wrong |= reader.wrong(paths[0], thorough=name in THOROUGH)
        for path, look in zip(paths[1:], cycle(LOOKS)):  # rows in other states: axe looks at them by turns
            wrong |= reader.wrong(path, looks=[look])
    chinese = signed_in(browser, live_server, person, locale="zh-CN")
    for name in IN_CHINESE:
        wrong |= chinese.wrong(pages[name][0], thorough=name == IN_CHINESE[0])
        expect(chinese.page.locator("html")).to_have_attribute("lang", "zh-hans")
    assert wrong == set(), listed(wrong)
    removes_the_demo_team(staff.page, live_server)
    assert staff.complaints == []


def test_empty_pages_and_those_of_a_viewer(browser: Browser, live_server: LiveServer) -> None:
    wrong = set()
    for group in ("administrator", "viewer"):
        site = signed_in(browser, live_server, make_person(group, group=group))
        for path in ("/", "/memories/", "/episodes/", "/skills/", "/adaptations/", "/runs/", "/insights/", "/search/"):
            wrong |= site.wrong(path, thorough=path == "/")
    assert wrong == set(), listed(wrong)


BROKEN = """<html lang="en"><head><title>Broken</title></head><body><main>
  <style>
    .faint { color: #aaa; background: #fff } .small { display: inline-block; width: 12px; height: 12px }
    @media (prefers-color-scheme: dark) { .dim { color: #444; background: #222 } }
  </style>
  <p class="dim">Words</p> <p>Of <a href="#a" style="color: #333; text-decoration: none">words</a> around a link</p>
  <a class="small" href="#a">a</a><a class="small" href="#b">b</a>
  <details><summary>More</summary><p class="faint">Words</p></details>
  <details class="menu"><summary>Menu</summary><button></button></details>
  <div style="width: 500px">Wide</div>
</main></body></html>"""


def test_what_is_broken_is_found_in_folded_parts_and_in_the_dark_too(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(BROKEN)
    found = {(one.rule, one.width, one.scheme) for one in findings(page)}
    assert {rule for rule, width, _scheme in found if width == DESKTOP["width"]} == {
        *("color-contrast", "target-size", "button-name", "link-in-text-block"),
    }
    assert {("color-contrast", 390, "dark"), ("overflow", 390, "dark"), ("target-size", 390, "dark")} <= found


def listed(wrong: Iterable[tuple[Any, ...]]) -> str:
    return "\n".join(" | ".join(str(part)[:160] for part in one) for one in sorted(wrong, key=str))
