"""Shapes whose fields are described by the docstrings under them, in the schemas that are made of them.

Pydantic's own `use_attribute_docstrings` reads the source of each class when it is made, which takes a seventh of the
processor time of every start and command; these are read when a schema is asked for.
"""

import ast
import inspect
from textwrap import dedent
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue


class Described(BaseModel):
    """Takes its fields and no others; a docstring under a field is its description."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for field, description in _descriptions(cls).items():
            if field in properties:
                properties[field].setdefault("description", description)
        return schema


def _descriptions(shape: type) -> dict[str, str]:
    """The docstrings of its fields and of those that it inherits; a field that is defined again takes its own."""
    described: dict[str, str] = {}
    for parent in reversed(shape.__mro__):
        if issubclass(parent, Described) and parent is not Described:
            fields = _fields(parent)
            described = {name: text for name, text in described.items() if name not in fields}
            described |= {name: text for name, text in fields.items() if text}
    return described


def _fields(shape: type) -> dict[str, str]:
    """The fields that the class itself defines, each with its docstring or an empty text."""
    [definition] = ast.parse(dedent(inspect.getsource(shape))).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    fields: dict[str, str] = {}
    for statement, after in zip(body, [*body[1:], None], strict=True):
        match statement, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                fields[name] = inspect.cleandoc(text)
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                fields[name] = ""
    return fields
