"""Which server and token: as given, else MEMOS_URL and MEMOS_TOKEN, else what `memos connect` wrote.

The token of `memos connect` lies in the operating system's keyring where the library `keyring` found one
(`pip install 'memos[keyring]'`), else in ~/.memos/config.json. It goes to the address that it was written for alone.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

DEFAULT_URL = "http://127.0.0.1:8000"
SECONDS = 10  # that a keyring may take


def config() -> dict[str, Any]:
    """What `memos connect` wrote; {} where nothing is connected. ValueError: the file is no JSON object."""
    path = Path.home() / ".memos" / "config.json"
    if not path.exists():
        return {}
    try:
        written = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(written, dict):
        raise ValueError(f"{path} holds no JSON object")
    return written


def url_and_token(url: str | None = None, token: str | None = None) -> tuple[str, str]:
    """The token is "" where none is known for that address. ValueError: the file or the keyring cannot be read."""
    given = url or os.environ.get("MEMOS_URL")
    known = token or os.environ.get("MEMOS_TOKEN")
    if given and known:
        return given.rstrip("/"), known
    written = config()
    of_config = str(written.get("url") or DEFAULT_URL).rstrip("/")
    address = (given or of_config).rstrip("/")
    return address, known or (_written_token(written) if address == of_config else "")


def _written_token(written: dict[str, Any]) -> str:
    if written.get("token") or not written.get("token_command"):
        return str(written.get("token") or "")
    line = [str(word) for word in written["token_command"]]
    try:
        asked = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603  # the owner's own file
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"the keyring does not tell the token: {error}") from None
    return asked.stdout.strip()
