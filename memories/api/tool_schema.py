"""JSON schema of a tool's arguments, in the form that every harness understands: one object, without references."""

from typing import Any

from pydantic import BaseModel

from memories.api.shapes import Json

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
        named = definitions[node["$ref"].rsplit("/", 1)[-1]]
        return _flat({**named, **{name: value for name, value in node.items() if name != "$ref"}}, definitions)
    return {
        name: _properties(item, definitions) if name == "properties" else _flat(item, definitions)
        for name, item in node.items()
        if name not in CHECKED_ONLY and (name, item) not in (("default", None), ("additionalProperties", True))
    }


def _properties(named: Json, definitions: Json) -> Json:
    return {name: _flat(schema, definitions) for name, schema in named.items() if name not in ALIASES}


def _without_null(node: Json) -> Json:
    kinds = [kind for kind in node["anyOf"] if kind != {"type": "null"}]
    rest = {name: value for name, value in node.items() if name != "anyOf"}
    return {**kinds[0], **rest} if len(kinds) == 1 else {**rest, "anyOf": kinds}
