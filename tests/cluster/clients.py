"""What the tests of clusters ask of running sites, as agents do."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.memos_site.processes import PATIENCE
from tests.memos_site.site import Site


def tokens_of(data_dir: Path, agents: Mapping[str, Sequence[str]], **told: str) -> dict[str, str]:
    """The tokens of new agents by name, each with its options; made by one command, whose settings are `told`."""
    lines = [[name, "--json", *options] for name, options in agents.items()]
    code = f"from django.core.management import call_command\nfor line in {lines}: call_command('create_agent', *line)"
    made = Site(data_dir, "shell", "-v", "0", "-c", code, **told)
    assert made.process.wait(PATIENCE) == 0, made.said
    said = [json.loads(line) for line in made.said.splitlines() if line.startswith('{"')]
    return {name: str(agent["token"]) for name, agent in zip(agents, said[-len(agents) :], strict=True)}


def called(site: Site, token: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(f"{site.url}{path}", data, headers), timeout=PATIENCE) as answer:
        text = answer.read().decode()
    return json.loads(text) if path.startswith("/api/") else text


def store(site: Site, token: str, key: str) -> Any:
    claim = {"key": key, "category": "fact", "content": f"The word is {key}", "source": "P01"}
    return called(site, token, "/api/v1/memories", claim)["memory"]
