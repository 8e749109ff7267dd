"""A shape makes the answer that it documents: its fields, in their order, from the row or from what is derived."""

from types import SimpleNamespace

import pytest

from memories.api.shapes import Page, Shape


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
