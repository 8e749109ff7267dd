"""OpenAPI documentation of operations: texts from the method's docstring, the rest from the view."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, TypeVar

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from pydantic import BaseModel

from memories.api.idempotency import IDEMPOTENCY_KEY
from memories.api.paging import SHARED_BY_NAME
from memories.api.problems import Problem

M = TypeVar("M", bound=Callable[..., Any])
Answer = type[BaseModel] | dict[str, Any]
Answers = Mapping[int, Answer]
ANSWERS = {
    ("GET", 200): "The page of results",
    ("GET", 302): "Stored elsewhere: follow `Location`",
    ("GET", 304): "Not modified: `If-None-Match` matches",
    ("POST", 200): "Done: joined, updated, reinforced or decided",
    ("POST", 201): "New",
    ("POST", 202): "Accepted: nothing was changed, or a job does it in the background",
    ("PATCH", 200): "Changed",
    ("DELETE", 200): "What was deleted, or with `dry_run` what would be deleted",
    ("PATCH", 202): "The memory is not the caller's own: a proposal was opened and nothing was changed",
}
REFUSALS = {
    400: "Malformed or invalid; `errors` names each wrong field",
    401: "The token is missing or not valid",
    403: "The caller lacks the permission",
    404: "It does not exist, or the caller may not see it",
    406: "The only answer format is JSON",
    409: "A conflict with the current state, or the Idempotency-Key was used for another request",
    412: "Its version is no longer the one in If-Match",
    413: "The body is larger than 21 MiB",
    415: "The body must be application/json",
    429: "The token made too many calls in a minute; `Retry-After` says how many seconds to wait",
    503: "The database cannot be reached",
}


@dataclass(frozen=True)
class Operation:
    id: str
    tag: str
    summary: str
    description: str
    answers: Answers
    takes: type[BaseModel] | None
    example: Any
    parameters: tuple[OpenApiParameter, ...]
    refuses: frozenset[int]
    media_type: str
    more_examples: Mapping[str, tuple[str, Any]] = field(default_factory=dict)


def operation(
    id: str,
    tag: str,
    answers: type[BaseModel] | Answers,
    *,
    takes: type[BaseModel] | None = None,
    example: Any = None,
    parameters: tuple[OpenApiParameter, ...] = (),
    refuses: tuple[int, ...] = (),
    also: str = "",
    media_type: str = "application/json",
    more_examples: Mapping[str, tuple[str, Any]] | None = None,
) -> Callable[[M], M]:
    """Document a view's method: the first line of its docstring is the summary, the rest the description.

    `answers`: the shape of a 200, or status -> shape. `takes`: the shape of the request. `example`: of the request
    where there is one, else of the answer (default: that of its shape). `refuses`: statuses beyond those that every
    operation of its kind has. `also`: ends the description. `more_examples`: of the request, name -> (what it shows,
    body).
    """
    shapes: Answers = {200: answers} if isinstance(answers, type) else answers
    if takes is None and example is None:
        example = getattr(shapes[min(shapes)], "example", None)

    def document(method: M) -> M:
        summary, _, text = cleandoc(method.__doc__ or "").partition("\n\n")
        description = "\n\n".join(re.sub(r"\s*\n\s*", " ", paragraph) for paragraph in text.split("\n\n"))
        method.operation = Operation(  # type: ignore[attr-defined]  # read by OperationSchema
            id,
            tag,
            summary.rstrip("."),
            f"{description} {also}".strip(),
            shapes,
            takes,
            example,
            parameters,
            frozenset(refuses),
            media_type,
            more_examples or {},
        )
        return method

    return document


def operation_of(view: Any, method: str) -> Operation:
    """The operation of the method that answers; that of `write` for a POST with an Idempotency-Key."""
    handler = view.write if _writes(view, method) else getattr(view, method.lower())
    spec: Operation = handler.operation
    return spec


def _writes(view: Any, method: str) -> bool:
    return method == "POST" and hasattr(view, "write")


class OperationSchema(AutoSchema):
    """DRF schema class that reads the `operation` of the view's method."""

    view: Any

    @property
    def operation(self) -> Operation:
        return operation_of(self.view, self.method)

    def get_operation_id(self) -> str:
        return self.operation.id

    def get_tags(self) -> list[str]:
        return [self.operation.tag]

    def get_summary(self) -> str:
        return self.operation.summary

    def get_description(self) -> str:  # type: ignore[override]  # drf-spectacular calls it without arguments
        permissions = self.view.needs.get(self.method)
        sentence = f"Permission: {' or '.join(permission.value for permission in permissions)}." if permissions else ""
        return "\n\n".join(part for part in (self.operation.description, sentence) if part)

    def get_request_serializer(self) -> Any:
        return self.operation.takes

    def get_response_serializers(self) -> Any:
        return {(status, kind): body for status, kind, body in self._responses()}

    def _responses(self) -> Iterator[tuple[int, str, OpenApiResponse]]:
        spec = self.operation
        for status, shape in spec.answers.items():
            yield status, spec.media_type, OpenApiResponse(shape, ANSWERS[self.method, status])
        statuses = {400, 401, 406, 429, 503} | spec.refuses
        statuses |= {403} if self.view.needs.get(self.method) else set()
        statuses |= {409, 413, 415} if spec.takes or _writes(self.view, self.method) else set()
        for status in sorted(statuses):
            yield status, "application/problem+json", OpenApiResponse(Problem, REFUSALS[status])

    def get_override_parameters(self) -> Any:
        """The view's filters as `KNOWN` describes them, unless the operation describes one itself."""
        own_names = {parameter.name for parameter in self.operation.parameters}
        filters = self.view.filters if self.method == "GET" else frozenset()
        names = sorted(self.view.filters_by_method.get(self.method, filters) - own_names)
        key = [IDEMPOTENCY_KEY] if _writes(self.view, self.method) else []
        return [*self.operation.parameters, *(SHARED_BY_NAME[name] for name in names), *key]

    def get_examples(self) -> list[OpenApiExample]:
        spec = self.operation
        if spec.example is None:
            return []
        if spec.takes is None:
            status = str(min(spec.answers))
            return [OpenApiExample(spec.id, spec.example, response_only=True, status_codes=[status])]
        more = [
            OpenApiExample(name, body, summary=summary, request_only=True)
            for name, (summary, body) in spec.more_examples.items()
        ]
        return [OpenApiExample(spec.id, spec.example, request_only=True), *more]


class TokenSchemes(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself, untyped
    target_class = "memories.api.authentication.Token"
    name = ["bearer", "apiKey"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, Any]]:
        bearer = {"type": "http", "scheme": "bearer", "description": "The token of an agent: `create_agent` shows it"}
        return [bearer, {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same token"}]

    def get_security_requirement(self, auto_schema: Any) -> list[dict[str, list[str]]]:
        """Require either of the schemes, not both."""
        return [{name: []} for name in self.name]


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memories.api.authentication.Session"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        text = "A person signed in to the pages; writing needs the `X-CSRFToken` header too"
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME, "description": text}
