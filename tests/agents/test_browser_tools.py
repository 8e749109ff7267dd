"""The browser's tools that agents have, Playwright MCP, Chrome DevTools MCP and `playwright-cli`, at a form in a real
browser: what a run with their calls has done."""

import asyncio
import json
import os
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from consolidation.learning.runs.browser_pages import elements
from tests.agents.hand import NO_CONTROLS, Hand, played
from tests.browser.chromium import chromium
from tests.consolidation.recorded import Script, run

pytestmark = pytest.mark.agents
FORM = (
    '<form method="post"><label>Amount in EUR <input name="amount" value="{amount}"></label>'
    "<label>Account <select name=account><option>4730 Returns<option>4740 Goodwill</select></label>"
    '<label><input type="checkbox" name="notify"> Notify customer</label><button>Book refund</button></form>'
)


class Shop(BaseHTTPRequestHandler):
    """A form that takes whole numbers alone."""

    def log_message(self, *_args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._answer("Refund", FORM.format(amount=""))

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        amount = sent.get("amount", [""])[0]
        refused = f'<p role="alert">Only whole numbers.</p>{FORM.format(amount=escape(amount))}'
        self._answer(*(("Order", '<p role="alert">Refund booked.</p>') if amount.isdigit() else ("Refund", refused)))

    def _answer(self, title: str, body: str) -> None:
        page = f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


@pytest.fixture
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/orders/80310/refund"
    server.shutdown()
    server.server_close()


async def by_playwright(hand: Hand, url: str) -> None:
    await hand("browser_navigate", url=url)
    await hand("browser_snapshot")
    fields = [("Amount in EUR", "textbox", "20.50"), ("Notify customer", "checkbox", "true")]
    filled = [
        {"element": name, "target": hand.ref(name), "name": name, "type": kind, "value": value}
        for name, kind, value in fields
    ]
    await hand("browser_fill_form", fields=filled)
    await hand("browser_select_option", element="Account", target=hand.ref("Account"), values=["4740 Goodwill"])
    await hand("browser_click", element="Book refund button", target=hand.ref("Book refund"))
    await hand("browser_snapshot")
    await hand("browser_type", element="Amount", target=hand.ref("Amount in EUR"), text="20")
    await hand("browser_click", element="the button", target=hand.ref("Book refund"))
    await hand("browser_snapshot")


async def by_devtools(hand: Hand, url: str) -> None:
    await hand("navigate_page", pageId=1, type="url", url=url)
    await hand("take_snapshot", pageId=1)
    await hand("fill_form", pageId=1, elements=[{"uid": hand.ref("Amount in EUR"), "value": "20.50"}])
    await hand("fill", pageId=1, uid=hand.ref("Account"), value="4740 Goodwill")
    await hand("click", pageId=1, uid=hand.ref("Notify customer"))
    await hand("click", pageId=1, uid=hand.ref("Book refund"))
    await hand("take_snapshot", pageId=1)
    await hand("fill", pageId=1, uid=hand.ref("Amount in EUR"), value="20")
    await hand("click", pageId=1, uid=hand.ref("Book refund"))
    await hand("take_snapshot", pageId=1)


PLAYWRIGHT = ("playwright-mcp", "--headless", "--isolated", "--no-sandbox", "--executable-path")
DEVTOOLS = ("chrome-devtools-mcp", "--headless", "--isolated", "--chromeArg=--no-sandbox", "--executablePath")


@pytest.mark.parametrize(
    ("line", "prefix", "work"),
    [(PLAYWRIGHT, "mcp__playwright__", by_playwright), (DEVTOOLS, "mcp__chrome-devtools__", by_devtools)],
    ids=["playwright", "devtools"],
)
def test_a_form_filled_in_refused_and_sent_again_is_two_presses_of_its_button(
    programs: Path,
    shop: str,
    tmp_path: Path,
    line: tuple[str, ...],
    prefix: str,
    work: Callable[[Hand, str], Awaitable[None]],
) -> None:
    browser = chromium()
    if browser is None:
        pytest.skip("no browser on the PATH")
    program, *options = line
    server = [str(programs / program), *options, browser]
    recorded = asyncio.run(played(server, prefix, lambda hand: work(hand, shop), tmp_path))
    check(recorded)


def check(recorded: list[Script]) -> None:
    opened, refused, booked = run(0, "Please refund 20 euros.", *recorded).steps
    assert opened.name == "GET 127.0.0.1/orders/{order}/refund"
    assert (refused.name, booked.name) == ("press Book refund", "press Book refund")
    assert refused.failed
    assert refused.parsed_result == "Only whole numbers."
    assert booked.arguments["Amount in EUR"] == "20"
    assert booked.arguments["Account"] == "4740 Goodwill"
    assert refused.arguments["Notify customer"] in (True, "true")
    assert "Notify customer" not in booked.arguments, "the page that came lost the tick"
    assert booked.page_message == "Refund booked."


def test_the_same_by_command_lines(programs: Path, shop: str, tmp_path: Path) -> None:
    browser = chromium()
    if browser is None:
        pytest.skip("no browser on the PATH")
    launched = {"headless": True, "executablePath": browser, "args": ["--no-sandbox"]}
    settings = {"browser": {"browserName": "chromium", "isolated": True, "launchOptions": launched}}
    (tmp_path / "cli.json").write_text(json.dumps(settings))
    recorded: list[Script] = []
    refs: dict[str, str] = {}
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    def sh(line: str) -> None:
        words = ["bash", "-c", line]
        ended = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=True, timeout=120)
        recorded.append(("Bash", {"command": line}, {"stdout": ended.stdout, "stderr": ended.stderr}))
        refs.update({element.name: ref for ref, element in elements(ended.stdout) if element.role not in NO_CONTROLS})

    try:
        sh(f"playwright-cli open {shop} --config cli.json")
        sh("playwright-cli snapshot")
        sh(f"playwright-cli fill {refs['Amount in EUR']} 20.50 && playwright-cli check {refs['Notify customer']}")
        sh(f"playwright-cli select {refs['Account']} '4740 Goodwill'")
        sh(f"playwright-cli click {refs['Book refund']} && playwright-cli snapshot")
        sh(f"playwright-cli fill {refs['Amount in EUR']} 20; playwright-cli click {refs['Book refund']}")
        sh("playwright-cli snapshot | head -40")
    finally:
        subprocess.run([programs / "playwright-cli", "close"], cwd=tmp_path, env=env, check=False, timeout=60)
    check(recorded)
