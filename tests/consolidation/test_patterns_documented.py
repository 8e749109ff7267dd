"""What the documentation says of the pattern rules, done: its examples become what it says they become."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from consolidation.patterns.applying import RULES
from memories.api.plugin_run_examples import PLUGIN_RUNS, SCOPE, plugin_run
from memories.intake.reports.events import CONTEXT
from memories.values.choices import Status
from memos_site.api.openapi import document
from tests.consolidation.plugins import found, keys, ruled
from tests.make import caller

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "agents" / "plugins.md").read_text()
ROW = re.compile(r"^\| ([a-z ]+) \| `(\{.*?\})`[^|]* \| [^|]* \| `([^`]+)` \|$", re.MULTILINE)
ROWS = {rule: (json.loads(context), key) for rule, context, key in ROW.findall(PAGE)}


def store_batch(client: APIClient, body: dict[str, Any]) -> None:
    answer = client.post("/api/v1/batch", body, format="json")
    assert {result["status"] for result in answer.json()["results"]} <= {200, 201}


@pytest.mark.parametrize("name", PLUGIN_RUNS)
def test_a_batch_of_the_openapi_document_is_just_enough_for_the_candidate_that_it_names(name: str) -> None:
    key, items, client = PLUGIN_RUNS[name].key, PLUGIN_RUNS[name].body["items"], caller()
    for part in (items[:-1], items[-1:]):
        assert key not in keys()
        if part:
            store_batch(client, {"items": part})
            ruled()
    memory = found(key, SCOPE)
    assert memory.status == Status.CANDIDATE


def test_every_rule_has_a_batch_in_the_openapi_document() -> None:
    shown = document()["paths"]["/api/v1/batch"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert len(PLUGIN_RUNS) == len(RULES)
    assert {name: shown[name]["value"] for name in PLUGIN_RUNS} == {name: one.body for name, one in PLUGIN_RUNS.items()}
    assert all(one.key in shown[name]["summary"] for name, one in PLUGIN_RUNS.items())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_row_of_the_readme_becomes_the_key_that_it_names(rule: Any) -> None:
    names = {"categorisation": "repeated categorisation", "override": "user override", "entity": "new entity"}
    context, key = ROWS[names.get(rule.name, rule.name)]
    plugins = ("triage", "drafting") if rule.name == "sequence" else ("triage",)
    runs = [
        plugin_run(plugin, day, context, minute=10 * place)
        for day in range(2, 2 + rule.threshold)
        for place, plugin in enumerate(plugins)
    ]
    store_batch(caller(), {"items": runs})
    ruled()
    assert key in keys()


def test_every_key_of_a_context_that_a_rule_reads_is_described() -> None:
    shown = document()["components"]["schemas"]["EventReport"]["properties"]["context"]["properties"]
    assert set(shown) == set(CONTEXT)
    assert all(said["description"] for said in shown.values())
    folder = Path(__file__).resolve().parents[2] / "consolidation" / "patterns"
    code = "".join(path.read_text() for path in folder.glob("*.py"))
    read = set(re.findall(r"""(?:said|context\.get)\("(\w+)"\)""", code))
    assert read
    assert read <= set(CONTEXT)
