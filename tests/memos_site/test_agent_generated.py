"""A client that openapi-python-client generates from the document that is served makes a round trip."""

import json
from pathlib import Path
from typing import Any

import pytest

from memos_site.api.openapi import document
from tests.make import make_agent
from tests.memos_site.harness import shell

ROUND_TRIP = """
import os
from memos_api import AuthenticatedClient
from memos_api.api.memories import get_memory_by_key, store_memory
from memos_api.api.search import search
from memos_api.api.tools import call_tool, list_tools
from memos_api.models import NoteReport, Problem, SearchRequest, StoredClaim, ToolArguments

memos = AuthenticatedClient(base_url=os.environ["MEMOS_URL"], token=os.environ["MEMOS_TOKEN"])
note = NoteReport(key="acme-terms", category="fact", content="Acme pays on net-30 terms", source="generated")
stored = store_memory.sync(client=memos, body=note)
assert isinstance(stored, StoredClaim) and stored.created, stored
assert get_memory_by_key.sync("acme-terms", client=memos).content == note.content
found = search.sync(client=memos, body=SearchRequest(query="When does Acme pay?", include_candidates=True))
assert [result.memory.key for result in found.results] == ["acme-terms"]
assert "memory_query" in [tool.name for tool in list_tools.sync(client=memos).results]
arguments = ToolArguments.from_dict({"text": "Acme", "include_candidates": True})
answer = call_tool.sync("memory_query", client=memos, body=arguments)
assert answer.to_dict()["results"][0]["key"] == "acme-terms"
wrong = call_tool.sync("memory_query", client=memos, body=ToolArguments.from_dict({}))
assert isinstance(wrong, Problem) and wrong.errors[0].pointer == "/text"
print("round trip")
"""


@pytest.mark.django_db(transaction=True)
def test_a_generated_client_makes_a_round_trip(tmp_path: Path, live_server: Any) -> None:
    (tmp_path / "schema.json").write_text(json.dumps(document()))
    (tmp_path / "config.yaml").write_text("literal_enums: true\n")
    (tmp_path / "round_trip.py").write_text(ROUND_TRIP)
    made = shell(
        tmp_path,
        "openapi-python-client generate --path schema.json --config config.yaml --meta none --output-path memos_api",
    )
    assert made.returncode == 0, made.stdout
    ended = shell(tmp_path, "python3 round_trip.py", MEMOS_URL=live_server.url, MEMOS_TOKEN=make_agent()[1])
    assert (ended.stdout, ended.stderr) == ("round trip\n", "")
