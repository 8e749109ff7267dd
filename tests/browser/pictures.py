"""Pictures of the pages for README and docs, from the demo team, light and dark: python -m tests.browser.pictures

With --all DIRECTORY every page instead, at four widths, to look at: as PNG, with the demo team or (--empty) without.
"""

import argparse
import base64
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.browser.chromium import launch

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "img"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (390, 1024, 1440, 1920)
SIZE: ViewportSize = {"width": 1280, "height": 800}
LARGEST = 120_000  # bytes of one picture
QUALITIES = (0.85, 0.75, 0.6, 0.45)
PATIENCE = 240  # seconds until the server answers; a bound, not a measure
PAGES = {
    "inbox": "/",
    "memories": "/memories/",
    "episodes": "/episodes/",
    "skills": "/skills/",
    "adaptations": "/adaptations/",
    "dismissed": "/dismissed/",
    "runs": "/runs/",
    "insights": "/insights/",
    "agents": "/agents/",
    "import": "/import/",
    "welcome": "/welcome/",
}
SHRINK = """async ([png, quality]) => {
  const picture = new Image();
  picture.src = png;
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0);
  return canvas.toDataURL("image/webp", quality);
}"""


@contextmanager
def demo_site(*, empty: bool = False) -> Iterator[tuple[str, str]]:
    """A server of its own with the demo team: (address, password of `admin`)."""
    with tempfile.TemporaryDirectory(prefix="memos-pictures-") as directory, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        command = [sys.executable, "manage.py", "serve", f"--port={port}", "--workers=1"]
        process = subprocess.Popen(
            [*command, *([] if empty else ["--demo"])],
            cwd=ROOT,
            env={**kept, "MEMOS_DATA_DIR": directory, "LANGUAGE_CODE": "en"},
            stdout=subprocess.DEVNULL,
        )
        try:
            _wait(f"http://127.0.0.1:{port}/health/live", process)
            secrets = (Path(directory) / "first-start").read_text()
            password = re.search(r"^password +(\S+)$", secrets, re.MULTILINE)
            assert password
            yield f"http://127.0.0.1:{port}", password[1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), urlopen(address):
            return
        time.sleep(0.3)
    raise SystemExit("the server did not start")


def sign_in(page: Page, address: str, password: str) -> None:
    page.goto(f"{address}/login/")
    page.fill("[name=username]", "admin")
    page.fill("[name=password]", password)
    page.locator("main form button, .gate form button").first.click()
    page.wait_for_url(f"{address}/")


def addresses(page: Page, address: str) -> dict[str, str]:
    """The pages of the demo team, with one skill, one episode, one memory and one run of it."""
    found = dict(PAGES)
    for name, path, pattern in (
        ("skill", "/skills/?q=refund", r"/memories/[0-9a-f-]{36}/"),
        ("episode", "/episodes/?source=support", r"/episodes/[0-9a-f-]{36}/"),
        ("memory", "/memories/?status=applied", r"/memories/[0-9a-f-]{36}/"),
        ("run", "/runs/", r"/runs/[0-9a-f-]{36}/"),
    ):
        page.goto(f"{address}{path}")
        hrefs = page.locator("main a[href]").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        matching = [href for href in hrefs if re.fullmatch(pattern, href)]
        if matching:
            found[name] = matching[0]
    return found


def small(page: Page, png: bytes) -> bytes:
    """The picture as WebP, below LARGEST."""
    page.goto("about:blank")
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    for quality in QUALITIES:
        webp = base64.b64decode(page.evaluate(SHRINK, [source, quality]).partition(",")[2])
        if len(webp) < LARGEST:
            return webp
    raise SystemExit(f"a picture is larger than {LARGEST} bytes")


def for_readers(browser: Browser, address: str, password: str) -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1.5, locale="en")
        sign_in(page, address, password)
        shown = addresses(page, address)
        for name in ("inbox", "skill", "episode"):
            page.goto(address + shown[name])
            page.wait_for_load_state("networkidle")
            file = TARGET / f"{name}-{scheme}.webp"
            file.write_bytes(small(page, page.screenshot()))
            print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} kB")
        page.close()


def for_looking(browser: Browser, address: str, password: str, directory: Path, only: list[str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for scheme in SCHEMES:
        page = browser.new_page(viewport=SIZE, color_scheme=scheme, locale="en")
        sign_in(page, address, password)
        shown = addresses(page, address)
        for name in only or shown:
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(address + shown[name])
                page.wait_for_load_state("networkidle")
                page.screenshot(path=directory / f"{name}-{width}-{scheme}.png", full_page=True)
        page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", type=Path, metavar="DIRECTORY", help="every page at four widths, into this directory")
    parser.add_argument("--empty", action="store_true", help="without the demo team")
    parser.add_argument("pages", nargs="*", help="of --all only these")
    told = parser.parse_args()
    with demo_site(empty=told.empty) as (address, password), sync_playwright() as playwright:
        browser = launch(playwright)
        if told.all:
            for_looking(browser, address, password, told.all, told.pages)
        else:
            for_readers(browser, address, password)


if __name__ == "__main__":
    main()
