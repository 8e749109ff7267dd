"""A shape makes the answer that it documents: its fields, in their order, from the row or from what is derived."""

from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from memories.api.shapes import Page, Shape
from memories.values.field_types import Described, Identifier, field_error


class Fruit(Shape):
    name: str
    colour: str
    weight: float
    notice: str = ""

    example = {"name": "apple", "colour": "red", "weight": 0.2}


class FruitPage(Page):
    results: list[Fruit]


ROW = SimpleNamespace(name="pear", colour="green", weight=0.3, notice="of the row", secret="no field")


def test_an_answer_has_the_required_fields_of_its_shape_in_their_order() -> None:
    answer = Fruit.from_row(ROW, colour="yellow")
    assert [*answer.items()] == [("name", "pear"), ("colour", "yellow"), ("weight", 0.3)]
    Fruit.model_validate(answer)


def test_an_optional_field_stands_only_where_it_is_derived() -> None:
    assert Fruit.from_row(ROW, notice="ripe")["notice"] == "ripe"
    assert "notice" not in Fruit.from_row(ROW)


def test_an_answer_may_be_derived_but_for_one_field_or_whole() -> None:
    assert Fruit.from_row(ROW, name="plum", colour="blue") == {"name": "plum", "colour": "blue", "weight": 0.3}
    assert Fruit.from_row(None, name="plum", colour="blue", weight=0.1)["weight"] == 0.1


def test_a_field_that_the_row_does_not_have_is_an_error() -> None:
    with pytest.raises(AttributeError, match="weight"):
        Fruit.from_row(SimpleNamespace(name="pear", colour="green"))


def test_the_example_of_a_page_is_a_page_of_the_example() -> None:
    assert FruitPage.example == {"next": None, "previous": None, "results": [Fruit.example]}


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
