"""What the desk takes and answers, field by field, for the OpenAPI schema."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memories.api.schema.memory import Memory, Page
from memories.api.schema.problem import Shape
from memories.choices import Type
from memories.shapes import SOMETHING

Why = Annotated[str, Field(max_length=2_000)]
Reason = Annotated[str, Field(min_length=1, max_length=2_000, pattern=SOMETHING)]


class Decided(Memory):
    """The memory as it now stands, and the batch by which the decision is undone."""

    batch: UUID


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Promotion(Body):
    to: Literal["confirmed", "applied"] = "confirmed"
    why: Why = ""
    """Required where the scan of a skill's version found something critical"""


class Dismissal(Body):
    reason: Reason
    """wrong, stale, duplicate, sensitive, noise, other, or a sentence"""
    why: Why = ""
    """Taken where `reason` is empty"""


class Restoration(Body):
    why: Why = ""


class Refused(Shape):
    id: UUID
    why: str


class Undone(Shape):
    """`batch` is the undoing's own: undoing it is redoing."""

    batch: UUID
    undone: list[UUID]
    refused: list[Refused]


class InboxItem(Shape):
    kind: Type
    memory: Memory
    why: str
    """Why it stands before a person"""


class InboxPage(Page):
    results: list[InboxItem]


class OpenApiDocument(BaseModel):
    """An OpenAPI 3.1 document."""

    model_config = ConfigDict(extra="allow")

    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]
