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
        content = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path} is not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} holds no JSON object")
    return content


def url_and_token(url: str | None = None, token: str | None = None) -> tuple[str, str]:
    """The token is "" where none is known for that address. ValueError: the file or the keyring cannot be read."""
    chosen_url = url or os.environ.get("MEMOS_URL")
    chosen_token = token or os.environ.get("MEMOS_TOKEN")
    if chosen_url and chosen_token:
        return chosen_url.rstrip("/"), chosen_token
    config_file = config()
    config_url = str(config_file.get("url") or DEFAULT_URL).rstrip("/")
    address = (chosen_url or config_url).rstrip("/")
    return address, chosen_token or (_written_token(config_file) if address == config_url else "")


def _written_token(config_file: dict[str, Any]) -> str:
    if config_file.get("token") or not config_file.get("token_command"):
        return str(config_file.get("token") or "")
    line = [str(word) for word in config_file["token_command"]]
    try:
        result = subprocess.run(line, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603  # the owner's own file
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"the keyring does not tell the token: {error}") from None
    return result.stdout.strip()
