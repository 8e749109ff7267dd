"""A tool for agents: name, argument shape, permissions, function. Each room lists its own; the site joins them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from inspect import cleandoc
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints

from memories.api.shapes import Json
from memories.api.tool_reply import LEAST_CHARS, MOST_CHARS, USUAL_CHARS, Page, Reply
from memories.intake.reports.events import check
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, NotAllowed
from memories.values.field_types import Described, NotBoolean
from memories.values.trust import Trust


class Paging(Described):
    """How much of an answer comes at once."""

    max_chars: Annotated[int, Field(ge=LEAST_CHARS, le=MOST_CHARS), NotBoolean] = USUAL_CHARS
    """Longest answer; the rest follows with `next`"""
    next: Annotated[str, StringConstraints(pattern="^[0-9]{1,9}$")] | None = None
    """`next` of the last answer; same arguments"""


@dataclass(frozen=True)
class ToolCall:
    """One call: the arguments as they came, who calls, when.

    `key`: the caller's Idempotency-Key; `start`: how many items or characters the pages before this one had.
    """

    arguments: Json
    trust: Trust
    at: datetime
    key: str = ""
    start: int = 0


@dataclass(frozen=True)
class Tool:
    """A row of the table. `needs`: any one of these permissions suffices."""

    name: str
    work: Callable[[ToolCall], Reply]
    takes: type[BaseModel]
    needs: tuple[Permission, ...]
    read_only: bool
    destructive: bool
    idempotent: bool

    @cached_property
    def description(self) -> str:
        return " ".join(cleandoc(self.work.__doc__ or "").split())

    @cached_property
    def schema(self) -> Json:
        """JSON schema of the arguments, of the shape that the endpoint takes; of a reading tool with its paging."""
        schema = flat_schema(self.takes)
        if self.read_only:
            schema["properties"] |= flat_schema(Paging)["properties"]
        return schema

    def allowed(self, trust: Trust) -> bool:
        return any(trust.may(permission) for permission in self.needs)

    def call(self, arguments: Any, *, trust: Trust, at: datetime, key: str = "") -> Page:
        """Do the work for this caller, and cut the answer to size.

        NotAllowed: the caller lacks the permission. Invalid names each wrong argument. Else what the verb raises.
        """
        if not self.allowed(trust):
            raise NotAllowed(f"{self.name} needs the permission {' or '.join(self.needs)}")
        if not isinstance(arguments, dict):
            raise Invalid(FieldError("", "not_an_object", "the arguments must be a JSON object"))
        names = set(Paging.model_fields) if self.read_only else set()
        paging = check(Paging, {name: value for name, value in arguments.items() if name in names})
        rest = {name: value for name, value in arguments.items() if name not in names}
        call = ToolCall(rest, trust, at, key, int(paging.next or 0))
        return self.work(call).page(start=call.start, max_chars=paging.max_chars)


def tool(
    takes: type[BaseModel],
    *needs: Permission,
    name: str = "",
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
) -> Callable[[Callable[[ToolCall], Reply]], Tool]:
    """Make a tool of a function, whose docstring is the sentence that a model reads. `name`: default the function's."""

    def decorator(work: Callable[[ToolCall], Reply]) -> Tool:
        return Tool(name or work.__name__, work, takes, needs, read_only, destructive, idempotent or read_only)

    return decorator


def table(*groups: Iterable[Tool]) -> dict[str, Tool]:
    """Tools by name, in their order. ValueError: two have one name."""
    tools = [tool for group in groups for tool in group]
    by_name = {tool.name: tool for tool in tools}
    if len(by_name) < len(tools):
        raise ValueError("two tools share a name")
    return by_name


SAID_BY_THE_TOOL = ("title", "description")  # of the object itself
# What a model does not need in order to call well: the server checks it, and its refusal names the field.
CHECKED_ONLY = {"title", "pattern", "maxLength", "minLength", "maxItems"}
ALIASES = {"trust"}  # of other fields, in the words of published designs


def flat_schema(shape: type[BaseModel]) -> Json:
    """The schema of a shape: references replaced by what they name, `null` left out (it means: not given)."""
    schema = shape.model_json_schema()
    definitions = schema.pop("$defs", {})
    flat: Json = _flat({name: value for name, value in schema.items() if name not in SAID_BY_THE_TOOL}, definitions)
    return {"type": "object", "properties": {}, "additionalProperties": False, **flat}


def _flat(node: Any, definitions: Json) -> Any:
    if isinstance(node, list):
        return [_flat(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "anyOf" in node:
        node = _without_null(node)
    if "$ref" in node:
        definition = definitions[node["$ref"].rsplit("/", 1)[-1]]
        return _flat({**definition, **{name: value for name, value in node.items() if name != "$ref"}}, definitions)
    return {
        name: _properties(item, definitions) if name == "properties" else _flat(item, definitions)
        for name, item in node.items()
        if name not in CHECKED_ONLY and (name, item) not in (("default", None), ("additionalProperties", True))
    }


def _properties(properties: Json, definitions: Json) -> Json:
    return {name: _flat(schema, definitions) for name, schema in properties.items() if name not in ALIASES}


def _without_null(node: Json) -> Json:
    kinds = [kind for kind in node["anyOf"] if kind != {"type": "null"}]
    rest = {name: value for name, value in node.items() if name != "anyOf"}
    return {**kinds[0], **rest} if len(kinds) == 1 else {**rest, "anyOf": kinds}
