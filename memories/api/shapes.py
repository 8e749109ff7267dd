"""Base classes of the API's request and response shapes: rows to answers, pages, bounded numbers.

A shape stands for one representation: it documents its fields, makes answers from rows, and carries an example. Answers
are not validated at run time; the property tests compare them with their shapes.
"""

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, ClassVar, get_args

from pydantic import ConfigDict, Field

from memories.values.field_types import Described

Json = dict[str, Any]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Percent = Annotated[int, Field(ge=0, le=100)]
EXAMPLE_ID = "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e11"
EXAMPLE_TIME = "2026-03-01T12:00:00Z"


class Shape(Described):
    """Has these fields and no others; a docstring under a field is its description."""

    example: ClassVar[Json] = {}

    @classmethod
    def from_row(cls, row: object, **given_values: Any) -> Json:
        """Represent a row as plain data: a field is taken from `given_values`, else it is the attribute of its name.

        A field with a default is left out unless `given_values` has it.
        """
        fields, columns, values = _plan(cls, tuple(given_values))
        answer = fields.copy()  # in the order of the shape
        answer.update(zip(columns, values(row), strict=True))
        answer.update(given_values)
        return answer


class OpenShape(Shape):
    """Has these fields, and whatever else the row holds."""

    model_config = ConfigDict(extra="allow")


class RequestBody(Described):
    """Takes these fields and no others; a docstring under a field is its description."""


class Page(Shape):
    next: str | None
    """The address of the next page; null on the last page"""
    previous: str | None

    @classmethod
    def __pydantic_init_subclass__(cls, **_kwargs: Any) -> None:
        """Set the page's example from the example of its first kind of item."""
        [item] = get_args(cls.model_fields["results"].annotation)
        first, *_ = get_args(item) or (item,)
        cls.example = page_example(first.example)


def page_example(item: Json) -> Json:
    return {"next": None, "previous": None, "results": [item]}


@cache
def _plan(
    shape: type[Shape], given_names: tuple[str, ...]
) -> tuple[Json, list[str], Callable[[object], Sequence[Any]]]:
    """The required fields, those of them that are attributes, and the getter of these."""
    required_names = [name for name, field in shape.model_fields.items() if field.is_required()]
    columns = [name for name in required_names if name not in given_names]
    has_several = len(columns) > 1
    values = attrgetter(*columns) if has_several else lambda row: [getattr(row, name) for name in columns]
    return dict.fromkeys(required_names), columns, values
