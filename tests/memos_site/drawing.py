"""Requests drawn from the site's own schema. Schemathesis takes seconds to import: only who draws imports this."""

import contextlib
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import schemathesis
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from memos_site.api.openapi import document
from memos_site.wsgi import application

MOSTLY = st.sampled_from([True, True, True, False])
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def closed(environ: dict[str, Any], start: Any) -> list[bytes]:
    """The site as a server runs it: an answer is read to its end and closed, and with it the file behind it."""
    with contextlib.closing(application(environ, start)) as answer:
        return [b"".join(answer)]


SCHEMA = schemathesis.openapi.from_dict(deepcopy(document()))  # which it changes
SCHEMA.app = closed
SCHEMA.config.generation.update(with_security_parameters=False, allow_x00=False)
FOUND: list[Any] = [found.ok() for found in cast(Any, SCHEMA).get_all_operations()]
OPERATIONS = {operation.definition.raw["operationId"]: operation for operation in FOUND}


@dataclass
class Site:
    """Who may call, and values of path parameters that lead to something."""

    tokens: list[str]
    there: dict[str, list[str]]


def drawn(data: st.DataObject, id: str, site: Site, mode: GenerationMode) -> Any:
    """One request; most of what it names by an id is there."""
    operation = OPERATIONS[id]
    names = [parameter.name for parameter in operation.path_parameters]
    known = {name: data.draw(st.sampled_from(site.there[name])) for name in names if data.draw(MOSTLY)}
    case = data.draw(operation.as_strategy(mode, path_parameters=known or None))
    if mode == GenerationMode.POSITIVE and isinstance(case.body, dict):
        names = [name for name in ("target_record_id", "episode_id") if name in case.body]
        case.body |= {name: data.draw(st.sampled_from(site.there[name])) for name in names if data.draw(MOSTLY)}
    case.headers["Authorization"] = f"Bearer {data.draw(st.sampled_from(site.tokens))}"
    return case
