"""The filter of a bulk decision: the names of the inbox's and the list's query, checked."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memories.values.choices import Category, Origin, Status, Type
from memories.values.exceptions import Invalid
from memories.values.field_types import Identifier, ScopeName, Tag, field_error

Kind = Literal["episodic", "semantic", "working", "competence", "plan_graph", "version"]  # proposals: one by one


class Filter(BaseModel):
    """Without `status` what waits in the inbox, with it what a list of memories shows."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    kind: Kind | None = None
    """As in the inbox; without `status` only"""
    status: list[Status] | None = None
    type: Type | None = None
    category: Category | None = None
    source: Identifier | None = None
    origin: Origin | None = None
    company_id: Identifier | None = None
    scope: ScopeName | None = None
    thread_id: Identifier | None = None
    tag: Tag | None = None
    min_confidence: Annotated[int, Field(ge=0, le=100)] | None = None


def filter_of(raw: Any) -> dict[str, Any]:
    """Invalid names every field that is wrong."""
    try:
        found = Filter.model_validate(raw)
    except ValidationError as error:
        wrongs = [{**wrong, "loc": ("filter", *wrong["loc"])} for wrong in error.errors(include_url=False)]
        raise Invalid(*(field_error(wrong) for wrong in wrongs)) from None
    return found.model_dump(exclude_none=True)
