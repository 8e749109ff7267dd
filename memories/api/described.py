"""What the OpenAPI schema says of an operation: its own words from `Operation`, the rest from the view itself."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from pydantic import BaseModel

from memories.api import security  # noqa: F401  (names the ways to say who one is)
from memories.api.base import ApiView, WriteView
from memories.api.idempotency import LONGEST_KEY
from memories.api.parameters import KNOWN
from memories.api.schema.problem import Problem

V = TypeVar("V", bound=type[ApiView])
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="Within 24 hours the same key with the same body gives the first answer again (with the header "
    "`Idempotent-Replay: true`; of an answer above 64 KiB the ids), with another body 409.",
)
ANSWERS = {
    ("GET", 200): "What there is",
    ("POST", 200): "Done: joined, updated, reinforced or decided",
    ("POST", 201): "New",
    ("POST", 202): "Taken; nothing was changed",
    ("PATCH", 200): "Changed",
    ("DELETE", 200): "What went, or with `dry_run` what would go",
    ("PATCH", 202): "It is not the caller's own: proposed, nothing was changed",
}
REFUSALS = {
    400: "Malformed or invalid; `errors` names each wrong field",
    401: "No token, or one that is not valid",
    403: "The caller may not do this",
    404: "It does not exist, or the caller may not see it",
    406: "Only JSON is answered",
    409: "A conflict with what is there, or the Idempotency-Key was used for another request",
    412: "It no longer has the version that If-Match names",
    413: "The body is larger than 21 MiB",
    415: "Only application/json is read",
    429: "Too many calls of this token in a minute; `Retry-After` says when to come again",
    503: "The database cannot be reached",
}
Answer = type[BaseModel] | dict[str, Any]


@dataclass(frozen=True)
class Operation:
    """`answers`: status -> shape of the body. `example` is of the request where there is one, else of the answer.

    `refuses`: statuses beyond those that every operation of its kind has.
    """

    id: str
    tag: str
    summary: str
    description: str
    answers: Mapping[int, Answer]
    method: str = "GET"
    takes: type[BaseModel] | None = None
    example: Any = None
    parameters: tuple[OpenApiParameter, ...] = ()
    refuses: frozenset[int] = field(default_factory=frozenset)
    media_type: str = "application/json"
    more_examples: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """Of the request: name -> what it shows, and the body"""


def described(*operations: Operation) -> Callable[[V], V]:
    """Decorates a view: each operation is one of its methods."""

    def describe(view: V) -> V:
        words = {operation.method.lower(): extend_schema(**_words(operation, view)) for operation in operations}
        return extend_schema_view(**words)(view)

    return describe


def _words(operation: Operation, view: type[ApiView]) -> dict[str, Any]:
    return {
        "operation_id": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": "\n\n".join(_description(operation, view)),
        "parameters": [*_parameters(operation, view)],
        "request": operation.takes,
        "responses": {(status, kind): body for status, kind, body in _responses(operation, view)},
        "examples": [*_examples(operation)],
    }


def _description(operation: Operation, view: type[ApiView]) -> Iterator[str]:
    yield operation.description
    if needed := view.needs.get(operation.method):
        yield f"Permission: {' or '.join(permission.value for permission in needed)}."


def _parameters(operation: Operation, view: type[ApiView]) -> Iterator[OpenApiParameter]:
    """The view's filters as `KNOWN` describes them, unless the operation has another word for one."""
    yield from operation.parameters
    own = {parameter.name for parameter in operation.parameters}
    known = view.others.get(operation.method, view.filters if operation.method == "GET" else frozenset())
    yield from (KNOWN[name] for name in sorted(known - own))
    if _writes(operation, view):
        yield IDEMPOTENCY_KEY


def _responses(operation: Operation, view: type[ApiView]) -> Iterator[tuple[int, str, Any]]:
    for status, body in operation.answers.items():
        yield status, operation.media_type, OpenApiResponse(body, ANSWERS[operation.method, status])
    refused = {400, 401, 406, 429, 503} | operation.refuses
    refused |= {403} if view.needs.get(operation.method) else set()
    refused |= {409, 413, 415} if operation.takes or _writes(operation, view) else set()
    for status in sorted(refused):
        yield status, "application/problem+json", OpenApiResponse(Problem, REFUSALS[status])


def _writes(operation: Operation, view: type[ApiView]) -> bool:
    return operation.method == "POST" and issubclass(view, WriteView)


def _examples(operation: Operation) -> Iterator[OpenApiExample]:
    if operation.example is None:
        return
    if operation.takes is None:
        status = str(min(operation.answers))
        yield OpenApiExample(operation.id, operation.example, response_only=True, status_codes=[status])
        return
    yield OpenApiExample(operation.id, operation.example, request_only=True)
    for name, (summary, body) in operation.more_examples.items():
        yield OpenApiExample(name, body, summary=summary, request_only=True)
