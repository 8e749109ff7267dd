"""What a reviewer's decisions cost: the inbox in headless Chromium, by keys alone, each decision after the last answer.

    .venv/bin/python -m tests.benchmarks.reviewer [--decisions 300] [--waiting 300] [--grounds]

Agents store what waits through the API of a site of its own; a mix of promotions, dismissals, a snooze, an edit and an
undo follows. One JSON line: `left_ms` is the median from the key to the row being gone from the page, `answered_ms` to
the answer having been placed; `server_cpu_s` is the CPU time of the web processes for each decision, without that of
their database backends. Requests and kilobytes, as transferred, are of the decisions alone. With `--grounds` each
decision waits until the pane shows the grounds of its row, as people do who read them.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice, product
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.http import Site, served
from tests.benchmarks.store import empty_store
from tests.browser.chromium import launch
from tests.journeys.installation import Installation, call

# Keys of each decision of the mix, after which the focus is on the next row; an edit and an undo leave a row open.
MIX = {"promote": ["a"], "wrong": ["d", "1"], "outdated": ["d", "2"], "noise": ["d", "5"], "snooze": ["s", "1"],
       "edit": ["i"], "undo": ["z"]}  # fmt: skip
TURN = ("promote", "promote", "wrong", "promote", "snooze", "edit", "promote", "outdated", "undo", "noise")
SAVE, MORE_WORDS = ["Tab", "Tab", "Enter"], ", since March"
COMPANIES = ("Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark", "Wayne", "Wonka", "Tyrell", "Cyberdyne")
CLAIMS = (
    ("terms", "fact", "{0} pays its invoices {n} days after delivery"),
    ("language", "preference", "Mails to {0} are written in German, with at most {n} sentences"),
    ("contact", "contact", "Orders of {0} above {n} thousand go to sales{n}@{0}.example"),
    ("returns", "workflow", "A return of {0} needs photographs of {n} sides before the refund"),
)
WATCH = """
  window.reviewer = {answered: [], left: []};
  let pressed = 0;
  addEventListener("keydown", () => (pressed = performance.now()), true);
  document.addEventListener("memos:answered", () => reviewer.answered.push(performance.now() - pressed));
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.matches("#queue > [aria-busy]") && target.hidden))
      requestAnimationFrame(() => reviewer.left.push(performance.now() - pressed));
  }).observe(document, { attributes: true, attributeFilter: ["hidden"], subtree: true });
"""
GROUNDS = "() => document.getElementById('pane').dataset.about === document.activeElement.closest('[data-row]').id"


def claims(count: int) -> Iterator[dict[str, Any]]:
    """As many different claims of a few agents about a few customers."""
    every = product(range(count), COMPANIES, CLAIMS)
    for n, (again, company, (key, category, words)) in enumerate(islice(every, count)):
        told = {"key": f"{company}-{key}-{again}".lower(), "category": category, "scope": "project:shop"}
        yield told | {"content": words.format(company, n=5 + 3 * again), "source": ("billing", "sales")[n % 2]}


def fill(port: int, count: int, token: str) -> None:
    for claim in claims(count):
        status, answer = call(port, "POST", "/api/v1/memories", token=token, body=claim)
        if status != 201:
            raise SystemExit(f"{claim} was answered {status}: {answer[:300]!r}")


class Reviewer:
    """One person at the keyboard of the inbox, and what their page has transferred."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.keys, self.requests, self.bytes = page, 0, 0, 0.0
        page.set_default_timeout(60_000)
        page.add_init_script(WATCH)
        page.goto(address)
        for label, value in (("Name", "anna"), ("Password", "secret")):
            page.get_by_label(label).fill(value)
        page.keyboard.press("Enter")
        page.wait_for_selector("#queue > [data-row]")
        page.wait_for_load_state("networkidle")
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        line.on("Network.requestWillBeSent", lambda _: self._count(1, 0))
        line.on("Network.loadingFinished", lambda event: self._count(0, event["encodedDataLength"]))

    def _count(self, requests: int, size: float) -> None:
        self.requests, self.bytes = self.requests + requests, self.bytes + size

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def decide(self, what: str) -> None:
        """One decision, until its answer stands in the page."""
        before = self.page.evaluate("reviewer.answered.length")
        self.press(*MIX[what])
        if what == "edit":
            self.page.wait_for_selector("form.edit textarea:focus")
            self.press("Control+End", *MORE_WORDS, *SAVE)
        self.page.wait_for_function("(n) => reviewer.answered.length > n", arg=before)


def measure(site: Site, reviewer: Reviewer, decisions: int, *, grounds: bool) -> dict[str, Any]:
    page = reviewer.page
    waited, cpu, began = int(page.inner_text("#waiting")), site.cpu(), time.perf_counter()
    reviewer.press("j")
    turns = [*islice(cycle(TURN), decisions)]
    for what in turns:
        if grounds:
            page.wait_for_function(GROUNDS)
        reviewer.decide(what)
    seconds, cpu = time.perf_counter() - began, site.cpu() - cpu
    gone = len(turns) - turns.count("edit") - 2 * turns.count("undo")
    if int(page.inner_text("#waiting")) > waited - gone:  # a dismissal may take with it what says the same
        raise SystemExit(f"{page.inner_text('#waiting')} of {waited} wait after {gone} have gone")
    times = {name: round(statistics.median(page.evaluate(f"reviewer.{name}")), 1) for name in ("left", "answered")}
    return {
        "decisions": decisions, "keys": reviewer.keys, "seconds": round(seconds, 1),
        "server_cpu_s": round(cpu / decisions, 4), "left_ms": times["left"], "answered_ms": times["answered"],
        "requests": reviewer.requests, "kilobytes": round(reviewer.bytes / 1000), "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=60)
    parser.add_argument("--waiting", type=int, default=300, help="candidates at first, at most 900")
    parser.add_argument("--grounds", action="store_true", help="wait for the pane before each decision")
    given = parser.parse_args()
    with empty_store() as folder:
        from tests.make import make_agent, make_person

        make_person("anna")
        token = make_agent("billing")[1]
        with served(Installation(folder), "memos") as site, sync_playwright() as playwright:
            fill(site.port, given.waiting, token)
            browser = launch(playwright)
            reviewer = Reviewer(browser.new_page(), f"http://127.0.0.1:{site.port}/")
            line = measure(site, reviewer, given.decisions, grounds=given.grounds)
            browser.close()
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
