"""The base class and the field types of all request bodies, and the translation of pydantic's errors."""

import ast
import functools
import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from itertools import chain
from types import ModuleType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError

from memories.values.choices import Category
from memories.values.exceptions import FieldError, Invalid, within
from memories.values.field_errors import LARGEST_VALUE, MOST_ERRORS, NOT_AN_INSTANT, as_text, parse_instant

B = TypeVar("B", bound=BaseModel)


class Described(BaseModel):
    """Base of request bodies: takes its fields and no others. The docstring under a field is its description.

    Pydantic's own `use_attribute_docstrings` reads the source of each class when it is made, which takes a seventh of
    the processor time of every start and command; here it is read when a schema is asked for.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True)

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
    texts: dict[str, str] = {}
    for parent in reversed(shape.__mro__):
        if issubclass(parent, Described) and parent is not Described:
            fields = _fields(parent)
            texts = {name: text for name, text in texts.items() if name not in fields}
            texts |= {name: text for name, text in fields.items() if text}
    return texts


def _fields(shape: type) -> dict[str, str]:
    """The fields that the class itself defines, each with its docstring or an empty text."""
    return _fields_in(sys.modules[shape.__module__])[shape.__name__]


@functools.cache
def _fields_in(module: ModuleType) -> dict[str, dict[str, str]]:
    """Of each class: the whole source is read once, which `inspect` would parse for each class and each use of it."""
    classes = [node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.ClassDef)]
    return {definition.name: _docstrings(definition.body) for definition in classes}


def _docstrings(body: list[ast.stmt]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for statement, after in zip(body, [*body[1:], None], strict=True):
        match statement, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                fields[name] = inspect.cleandoc(text)
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                fields[name] = ""
    return fields


LARGEST_IDENTIFIER = 1024  # bytes; an index entry holds two of them and a scope
LONGEST_TEXT = 100_000
LONGEST_KEY = 255
MOST_TAGS = 100
OPTIONAL_IDENTIFIERS = frozenset({"source", "source_plugin", "company_id", "thread_id"})
UNKNOWN_CATEGORY = f"Invalid category: must be one of {', '.join(Category.values)}"
SCOPE = r"^([A-Za-z0-9][A-Za-z0-9._:@+-]{0,127})?$"
SCOPE_IN_WORDS = "letters, digits and . _ : @ + - only, beginning with a letter or digit, at most 128"
REPOSITORY = r"^[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?$"
IN_WORDS = {  # by pattern
    SCOPE: SCOPE_IN_WORDS,
    REPOSITORY: "must be owner/name or the name of a folder: letters, digits and . _ - only",
}
SOMETHING = r"[^\s\x1c-\x1f\x85]"  # a character that str.strip() keeps, in words of ECMA too
YEARS = "^(19|[2-8][0-9])[0-9]{2}-"  # for the schema; `parse_instant` checks exactly
MESSAGES = {
    "missing": "is required",
    "extra_forbidden": "is not a field of this endpoint",
    "dict_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "too_short": "needs at least one item",
    "too_long": "needs no more than {max_length:,} items",
}
MESSAGES_OF_TEXT = {  # a bound behind a validator has the same error for a text as for a list
    "too_short": "must not be empty",
    "too_long": "must have no more than {max_length:,} characters",
}


def _instant(value: Any) -> datetime | None:
    instant = parse_instant(value)
    if value is not None and instant is None:
        raise ValueError(NOT_AN_INSTANT)
    return instant


def _indexable(value: str) -> str:
    if len(value.encode()) > LARGEST_IDENTIFIER:
        raise ValueError(f"is longer than {LARGEST_IDENTIFIER:,} bytes")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("required", "is required")
    return value


def _not_boolean(value: Any) -> Any:
    """Refuse true and false where a number is meant: pydantic would take them for 1 and 0, and they would be stored."""
    if isinstance(value, bool):
        raise PydanticCustomError("float_type", "must be a number")
    return value


def _yes_or_no(value: Any) -> Any:
    """Refuse what pydantic would take for true or false: an exit code of 0 is a success, and `ok` would say failed."""
    if not isinstance(value, bool) and value not in ("true", "false"):
        raise PydanticCustomError("bool_type", "must be true or false")
    return value


def bounded(value: Any) -> Any:
    if len(json.dumps(value, ensure_ascii=False)) > LARGEST_VALUE:
        raise ValueError("is larger than 10 MiB")
    return value


def _tags(value: Any) -> Any:
    """Trim tags and remove duplicates, keeping their order."""
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        return value
    return list(dict.fromkeys(tag.strip() for tag in value if tag.strip()))


Identifier = Annotated[str, StringConstraints(max_length=512), BeforeValidator(as_text), AfterValidator(_indexable)]
NotBoolean = BeforeValidator(_not_boolean)
YesNo = Annotated[bool, BeforeValidator(_yes_or_no)]
Number = Annotated[float, Field(allow_inf_nan=False), NotBoolean]
Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT)]
RepositoryName = Annotated[str, StringConstraints(pattern=REPOSITORY, max_length=80)]
ScopeName = Annotated[str, StringConstraints(pattern=SCOPE)]
SensitivityName = Literal["public", "low", "medium", "high", "hyper"]
CategoryName = Literal["preference", "pattern", "fact", "contact", "workflow"]
OutcomeName = Literal["success", "failure", "partial"]
DeletionPolicyName = Literal["auto_prune", "manual_only", "never"]
AS_INSTANT = "RFC 3339, with its zone"
Given = Annotated[  # blank counts as missing
    Identifier, AfterValidator(_not_blank), Field(json_schema_extra={"pattern": SOMETHING})
]
Instant = Annotated[
    datetime | None,
    BeforeValidator(_instant),
    Field(description=AS_INSTANT, json_schema_extra={"pattern": YEARS}),
]
Tag = Annotated[str, StringConstraints(max_length=256)]
Tags = Annotated[list[Tag], Field(max_length=MOST_TAGS, fail_fast=True), BeforeValidator(_tags)]


def united(*tags: Iterable[str]) -> list[str]:
    """Union of tags in their order, truncated to the number that one memory may have."""
    return list(dict.fromkeys(chain(*tags)))[:MOST_TAGS]


def read_body(
    shape: type[B], raw: Any, *, at: str = "", rewording: Callable[[FieldError], FieldError] = lambda error: error
) -> B:
    """Parse `raw` as the shape. Invalid names each wrong field, below the pointer `at`, `rewording` where that is said
    otherwise of this shape."""
    if not isinstance(raw, dict):
        detail = "must be a JSON object" if at else "the body must be a JSON object"
        raise Invalid(FieldError(at, "not_an_object", detail))
    try:
        return shape.model_validate(raw)
    except ValidationError as error:
        faults = map(rewording, field_errors(shape, error))
        raise Invalid(*(replace(fault, pointer=at + fault.pointer) for fault in faults)) from None


def read_question(shape: type[B], raw: Any) -> B:
    """As `read_body`, but without the fields that are absent."""
    return read_body(shape, without_absent(raw))


def without_absent(raw: Any, blank_is_absent: Collection[str] = OPTIONAL_IDENTIFIERS) -> Any:
    """A body without the fields that are null, and of `blank_is_absent` without those that are blank."""
    if not isinstance(raw, dict):
        return raw
    blank = {name for name in blank_is_absent if isinstance(raw.get(name), str) and not raw[name].strip()}
    return {name: value for name, value in raw.items() if value is not None and name not in blank}


def field_errors(shape: type[BaseModel], error: ValidationError) -> list[FieldError]:
    """What is wrong with a body of that shape, MOST_ERRORS at most, and beside an unknown field which there are."""
    faults = error.errors(include_url=False)[:MOST_ERRORS]
    return [_unknown(shape, fault) or field_error(fault) for fault in faults]


def _unknown(shape: type[BaseModel], wrong: Any) -> FieldError | None:
    if wrong["type"] != "extra_forbidden" or len(wrong["loc"]) != 1:
        return None
    fields = ", ".join(field.alias or name for name, field in shape.model_fields.items())
    return FieldError(within("", wrong["loc"][0]), wrong["type"], f"{MESSAGES[wrong['type']]}, which has: {fields}")


def field_error(fault: Any) -> FieldError:
    """Translate one of pydantic's errors, an item of ValidationError.errors()."""
    pointer = functools.reduce(within, fault["loc"], "")
    if fault["type"] == "literal_error" and pointer.endswith("/category"):
        return FieldError(pointer, "unknown_value", UNKNOWN_CATEGORY, names_field=True)
    if fault["type"] == "literal_error":
        options = fault["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        return FieldError(pointer, "unknown_value", f"must be one of {options}")
    if fault["type"] == "value_error":
        return FieldError(pointer, "invalid", str(fault["ctx"]["error"]))
    if fault["type"] == "string_pattern_mismatch":
        pattern = fault["ctx"]["pattern"]
        return FieldError(pointer, fault["type"], IN_WORDS.get(pattern, f"must have the form {pattern}"))
    messages = MESSAGES | MESSAGES_OF_TEXT if isinstance(fault.get("input"), str) else MESSAGES
    text = messages.get(fault["type"])
    detail = text.format_map(fault.get("ctx", {})) if text else fault["msg"]
    return FieldError(pointer, "required" if fault["type"] == "missing" else fault["type"], detail)


def competence_key(skill_name: str | None) -> str | None:
    """The key of a competence, shortened: skill names made of tool names reach thousands of characters."""
    fits = skill_name is None or len(skill_name) <= LONGEST_KEY
    return skill_name if fits else f"skill:{hashlib.sha256(str(skill_name).encode()).hexdigest()}"


def episode_key(source: str, external_id: str | None) -> str | None:
    """The key of an imported episode: a hash, because callers' ids may contain private data."""
    if external_id is None:
        return None
    return f"episode:{hashlib.sha256(f'{source}/{external_id}'.encode()).hexdigest()}"
