"""What the tests of clusters ask of running sites, as agents do."""

import json
from typing import Any
from urllib.request import Request, urlopen

from tests.memos_site.processes import PATIENCE
from tests.memos_site.site import Site


def token_of(site: Site, name: str, *options: str, **told: str) -> str:
    """The token of a new agent, made by a command beside the site, whose settings are `told`."""
    made = Site(site.data_dir, "create_agent", name, "--json", *options, **told)
    made.process.wait(PATIENCE)
    line = next(line for line in reversed(made.said.splitlines()) if line.startswith("{"))
    return str(json.loads(line)["token"])


def called(site: Site, token: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(f"{site.url}{path}", data, headers), timeout=PATIENCE) as answer:
        text = answer.read().decode()
    return json.loads(text) if path.startswith("/api/") else text


def store(site: Site, token: str, key: str) -> Any:
    claim = {"key": key, "category": "fact", "content": f"The word is {key}", "source": "P01"}
    return called(site, token, "/api/v1/memories", claim)["memory"]
