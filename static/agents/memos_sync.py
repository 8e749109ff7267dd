#!/usr/bin/env python3
"""Keep a folder of skills as a team published them: download what is new or changed, remove what was retired.

    memos_sync.py ~/.claude/skills [SCOPE]

Python 3.9 or newer, nothing else. MEMOS_URL and MEMOS_TOKEN, or ~/.memos/config.json, say where; the token
is sent to no other address. Only folders that this script made are changed or removed: they hold a file `.memos` with
the ETag of their package.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

CONFIG = Path.home() / ".memos" / "config.json"
try:
    config = dict(json.loads(CONFIG.read_text())) if CONFIG.exists() else {}
except (ValueError, TypeError) as error:
    sys.exit(f"{CONFIG} is not valid JSON ({error}): mend or delete it")
URL = str(os.environ.get("MEMOS_URL") or config.get("url", "http://127.0.0.1:8000")).rstrip("/")
TOKEN = os.environ.get("MEMOS_TOKEN") or config.get("token", "")
if not TOKEN and config.get("token_command"):  # it lies in the system's keyring
    TOKEN = subprocess.run(
        config["token_command"], capture_output=True, text=True, timeout=10, check=False
    ).stdout.strip()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        other = str(headers.get("Location", ""))[:200]
        raise SystemExit(f"{req.full_url} leads to {other!r}, which is not followed: correct the address of Memos")

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def get(link: str, *handlers: type[urllib.request.BaseHandler]) -> bytes:
    """What the server answers to a link that it gave, asked at the address that is configured."""
    parts = urllib.parse.urlsplit(link)
    request = urllib.request.Request(f"{URL}{parts.path}?{parts.query}")
    request.add_unredirected_header("Authorization", f"Bearer {TOKEN}")  # not to the store that it may lead to
    with urllib.request.build_opener(*handlers).open(request, timeout=30) as answer:
        return bytes(answer.read())


def published_skills(scope: str) -> dict[str, Any]:
    """Skills by name; of several scopes that share one the first."""
    skills: dict[str, Any] = {}
    query = urllib.parse.urlencode({"limit": 200, **({"scope": scope} if scope else {})})
    page = {"next": f"/api/v1/skills?{query}"}
    while page["next"]:
        page = json.loads(get(page["next"], NoRedirects))
        skills = {skill["name"]: skill for skill in page["results"] if skill["package"]} | skills
    return skills


def sync(folder: Path, scope: str) -> None:
    skills = published_skills(scope)
    for name, skill in skills.items():
        place, etag = folder / name, skill["package"]["sha256"]
        mark = place / ".memos"
        if place.exists() and (not mark.exists() or mark.read_text() == etag):
            continue  # somebody else's, or as it should be
        content = get(skill["package"]["url"])  # which may lead to an object store
        if hashlib.sha256(content).hexdigest() != etag:
            raise SystemExit(f"{name}: the package is not the one that was published")
        draft = folder / f".{name}.new"
        shutil.rmtree(draft, ignore_errors=True)
        zipfile.ZipFile(io.BytesIO(content)).extractall(draft)
        (draft / name / mark.name).write_text(etag)  # first: a folder without it is taken for somebody else's
        shutil.rmtree(place, ignore_errors=True)
        (draft / name).rename(place)
        shutil.rmtree(draft)
        print(f"{name}: version {skill['published_version']}")
    for mark in folder.glob("*/.memos"):
        if mark.parent.name not in skills:
            shutil.rmtree(mark.parent)
            print(f"{mark.parent.name}: removed")


if __name__ == "__main__":
    os.umask(0o077)
    if len(sys.argv) < 2:
        sys.exit("which folder? As in: memos_sync.py ~/.claude/skills [SCOPE]")
    try:
        sync(Path(sys.argv[1]).expanduser(), sys.argv[2] if len(sys.argv) > 2 else "")
    except OSError as error:  # of the network or of the folder
        sys.exit(f"skills of {URL} into {sys.argv[1]}: {error}")
