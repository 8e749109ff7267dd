"""One Chromium for all tests that follow each other, and routes that are held until they have been seen."""

import os
import threading
from collections.abc import Callable, Iterator
from time import monotonic, sleep

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.browser.chromium import chromium, launch

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # playwright runs a loop in the thread of the test

LONGEST_WAIT = 120  # seconds: a bound for what hangs, not for what is slow on a busy machine
expect.set_options(timeout=LONGEST_WAIT * 1_000)
RECORD_KEYS = """
  window.recordedKeys = [];
  const name = (element) => `${element?.tagName} ${element?.id} busy=${element?.getAttribute("aria-busy")}`;
  addEventListener("keydown", (event) => recordedKeys.push(`${event.key} on ${name(document.activeElement)}`), true);
"""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("no Chromium or Chrome on the PATH")
    with sync_playwright() as playwright:
        yield launch(playwright)


@pytest.fixture(autouse=True)
def _nobody_asks_any_more(request: pytest.FixtureRequest, transactional_db: None) -> Iterator[None]:
    """Closes the test's pages and waits until the server is done with what they asked.

    What is still answered while the tables are emptied waits for them in a circle, and pages that ask again and again
    would ask in the next test.
    """
    browser: Browser = request.getfixturevalue("browser")
    yield
    for context in browser.contexts:
        context.close()
    eventually(lambda: not answering(), what=lambda: f"the end of {answering()}")


def answering() -> list[str]:
    """The threads of the live server that have a connection of a browser."""
    return [thread.name for thread in threading.enumerate() if "process_request_thread" in thread.name]


class Held:
    """Requests that the browser has sent and that do not reach the server before `let_go`.

    Made before the page is opened that sends them: Chromium tells an open document of its first route later than it
    answers, and keys overtake that. Their requests reach the server past the route.
    """

    def __init__(self, page: Page, pattern: str) -> None:
        self._page, self._pattern, self._open = page, pattern, False
        self._routes: list[Route] = []
        self._requests: list[str] = []
        page.on("request", lambda request: self._requests.append(f"{request.method} {request.url}"))
        page.add_init_script(RECORD_KEYS)
        page.route(pattern, self._arrived)

    def _arrived(self, route: Route) -> None:
        if self._open:
            route.continue_()
        else:
            self._routes.append(route)

    def seen(self, count: int = 1) -> None:
        """Waits until so many are held: whatever a key that was pressed asks of the server has been asked by then."""
        until(self._page, lambda: len(self._routes) >= count, what=lambda: self._missing(count))

    def let_go(self, count: int = 1) -> None:
        """These, once so many have been seen, and whatever comes later."""
        self.seen(count)
        self._open = True
        for route in self._routes:
            route.continue_()

    def _missing(self, count: int) -> str:
        """What came instead: a request that was never sent, or a key that the page lost, can be told from it."""
        held = [route.request.url for route in self._routes]
        keys = self._page.evaluate("window.recordedKeys")
        return (
            f"{count} requests to {self._pattern}; held: {held}; sent: {self._requests}; "
            f"keys: {keys}; page: {self._page.url}"
        )


def enter(context: BrowserContext, site: LiveServer, client: Client) -> None:
    """The browser goes on with the session of this client."""
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site.url}])


def press(page: Page, *keys: str) -> None:
    """Keys, once the page that is open has its scripts: before that people do not see it, but tests do."""
    for key in keys:
        page.wait_for_load_state()
        page.keyboard.press(key)


def until(page: Page, happened: Callable[[], bool], *, what: Callable[[], str]) -> None:
    """Lets the browser's events in until it has happened; a failure that names it when that takes too long."""
    eventually(happened, what=what, pause=lambda: page.wait_for_timeout(10))


def eventually(
    happened: Callable[[], bool], *, what: Callable[[], str], pause: Callable[[], None] = lambda: sleep(0.01)
) -> None:
    end = monotonic() + LONGEST_WAIT
    while not happened():
        assert monotonic() < end, f"never seen: {what()}"
        pause()
