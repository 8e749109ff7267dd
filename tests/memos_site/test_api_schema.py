"""The OpenAPI document: the one that is served, without warnings, whole; and its page, which needs no network."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import URLPattern, get_resolver
from drf_spectacular import validation
from drf_spectacular.drainage import GENERATOR_STATS
from jsonschema_rs import validator_for
from pydantic import BaseModel

from memories.api.base import ApiView
from memories.api.openapi import Operation
from memos_site.api.openapi import document
from tests.make import caller, make_person

Json = dict[str, Any]


def views(patterns: Any, base: str = "/") -> Iterator[tuple[str, type[ApiView]]]:
    for pattern in patterns:
        path = base + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if not isinstance(pattern, URLPattern):
            yield from views(pattern.url_patterns, path)
        elif isinstance(view := getattr(pattern.callback, "view_class", None), type) and issubclass(view, ApiView):
            yield from [(path, view)] if view.schema is not None else []


OPERATIONS: list[Operation] = [
    method.operation
    for view in dict.fromkeys(view for _, view in views(get_resolver().url_patterns))
    for method in vars(view).values()
    if hasattr(method, "operation")
]


def described() -> Iterator[tuple[str, str, Json]]:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


@pytest.mark.django_db
def test_the_schema_is_the_one_that_is_served() -> None:
    document.cache_clear()
    GENERATOR_STATS.reset()
    made = json.loads(json.dumps(document()))
    assert not GENERATOR_STATS, "it has no warnings"
    rules = Path(validation.__file__).with_name("openapi_3_1_schema.json")
    validator_for(json.loads(rules.read_text())).validate(made)  # as `spectacular --validate`, in no time
    answer = caller(permissions=[]).get("/api/v1/schema/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.json() == made


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["schema", "schema?format=json", "schema/?format=json"])
def test_the_schema_is_found_without_the_slash_and_by_its_format(address: str) -> None:
    answer = caller(permissions=[]).get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()) == (200, document())
    assert caller(permissions=[]).get("/api/v1/schema?format=yaml").json()["errors"][0]["pointer"] == "/format"


def test_every_operation_has_its_own_id_and_words() -> None:
    ids = [operation["operationId"] for _, _, operation in described()]
    assert sorted(ids) == sorted({operation.id for operation in OPERATIONS})
    for _, _, operation in described():
        assert operation["summary"]
        assert operation["description"]
        assert operation["tags"]
        assert operation["security"] == [{"bearer": []}, {"apiKey": []}, {"session": []}]


def test_every_group_of_operations_is_described_in_the_order_of_the_page() -> None:
    groups = [group["name"] for group in document()["tags"]]
    assert sorted(groups) == sorted({operation["tags"][0] for _, _, operation in described()})
    assert groups[0] == "Ingestion"
    assert all(group["description"] for group in document()["tags"])


def test_the_ingestion_operations_have_the_names_that_were_agreed() -> None:
    agreed = {"IngestEvent", "IngestToolOutput", "IngestObservation", "IngestOutcome", "IngestWorkingState"}
    assert agreed <= {operation.id for operation in OPERATIONS}


def test_every_view_is_in_the_schema_with_every_filter_that_it_knows() -> None:
    known_views = dict(views(get_resolver().url_patterns))
    shown: Json = document()["paths"]
    assert set(known_views) == set(shown)
    for path, view in known_views.items():
        known = frozenset().union(view.filters if "get" in shown[path] else (), *view.filters_by_method.values())
        named = [parameter for operation in shown[path].values() for parameter in operation.get("parameters", [])]
        assert {parameter["name"] for parameter in named if parameter["in"] == "query"} == known
        assert all(parameter["description"] for parameter in named if parameter["in"] == "query")


def test_every_refusal_is_a_problem() -> None:
    for path, _, operation in described():
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"], (path, status)
            assert answer["description"]
        assert {"400", "401", "503"} <= set(operation["responses"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_every_example_is_one(operation: Operation) -> None:
    if operation.id in ("DownloadSkillVersion", "GetSkillFile", "GetAgentsMd", "GetPackContent", "ExportMemories"):
        return
    shape = operation.takes or operation.answers[min(operation.answers)]
    assert isinstance(shape, type)
    assert issubclass(shape, BaseModel)
    shape.model_validate_json(json.dumps(operation.example))


@pytest.mark.django_db
def test_the_schema_and_its_page_are_for_who_is_known(client: Client) -> None:
    assert client.get("/api/v1/schema/").status_code == 401
    assert client.get("/api/docs/")["Location"] == "/login/?next=/api/docs/"


@pytest.mark.django_db
def test_the_page_needs_no_network(client: Client) -> None:
    client.force_login(make_person(group="viewer"))
    page = client.get("/api/docs/").content.decode()
    assets = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(assets) >= 4
    for asset in assets:
        assert asset.startswith("/")
        if asset.startswith("/static/"):
            assert finders.find(asset.removeprefix("/static/").partition("#")[0]), asset
    assert client.get("/api/v1/schema/").status_code == 200
    assert "http" not in page
