"""One Chromium for the tests of a module, and routes that are held until they have been seen."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # playwright runs a loop in the thread of the test

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
LONGEST_WAIT = 120  # seconds: a bound for what hangs, not for what is slow on a busy machine
expect.set_options(timeout=LONGEST_WAIT * 1_000)
RECORD_KEYS = """
  window.recordedKeys = [];
  const name = (element) => `${element?.tagName} ${element?.id} busy=${element?.getAttribute("aria-busy")}`;
  addEventListener("keydown", (event) => recordedKeys.push(`${event.key} on ${name(document.activeElement)}`), true);
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)


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


def until(page: Page, happened: Callable[[], bool], *, what: Callable[[], str]) -> None:
    """Lets the browser's events in until it has happened; a failure that names it when that takes too long."""
    end = monotonic() + LONGEST_WAIT
    while not happened():
        assert monotonic() < end, f"never seen: {what()}"
        page.wait_for_timeout(10)
