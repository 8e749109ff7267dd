from typing import Any

from memories.values.field_types import Described


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
