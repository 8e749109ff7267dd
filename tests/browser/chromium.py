"""The browser of the tests: Chromium's headless shell, which needs a third of the CPU time, or a whole one."""

import os
import shutil
from itertools import chain

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def chromium() -> str | None:
    """The path of `CHROMIUM`, or of the first of these names on the PATH."""
    return next(filter(None, map(shutil.which, chain([os.environ.get("CHROMIUM", "")], NAMES))), None)


def launch(playwright: Playwright) -> Browser:
    path = chromium()
    if path is None:
        raise FileNotFoundError(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    return playwright.chromium.launch(executable_path=path, args=QUIET)
