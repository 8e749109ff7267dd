from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from memories.values.field_types import Described, Identifier, field_error


class Parcel(Described):
    """Its own docstring is no field's."""

    number: int
    """What the label
    says"""
    owner: str
    weight: float = 0
    """Kilograms"""


class Letter(Parcel):
    weight: float = 0.1
    stamp: str = ""
    """Who paid"""


def descriptions(shape: type[Described]) -> dict[str, Any]:
    return {name: field.get("description") for name, field in shape.model_json_schema()["properties"].items()}


def test_a_docstring_under_a_field_is_its_description_in_the_schema() -> None:
    assert descriptions(Parcel) == {"number": "What the label\nsays", "owner": None, "weight": "Kilograms"}


def test_fields_keep_the_description_that_they_inherit_unless_they_are_defined_again() -> None:
    assert descriptions(Letter) == {
        "number": "What the label\nsays",
        "owner": None,
        "weight": None,
        "stamp": "Who paid",
    }


class Label(Described):
    name: Annotated[Identifier, Field(min_length=1)]
    lines: Annotated[list[str], Field(min_length=1)]


def test_an_empty_text_and_an_empty_list_are_told_apart() -> None:
    with pytest.raises(ValidationError) as refused:
        Label.model_validate({"name": "", "lines": []})
    errors = [field_error(error) for error in refused.value.errors(include_url=False)]
    assert [(error.pointer, error.detail) for error in errors] == [
        ("/name", "must not be empty"),
        ("/lines", "needs at least one item"),
    ]
