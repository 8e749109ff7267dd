"""Errors, field by field."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Has these fields and no others; a docstring under a field is its description."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Wrong(Shape):
    pointer: str
    """An RFC 6901 JSON pointer into what was sent; of a query parameter its name"""
    code: str
    detail: str


class Candidate(Shape):
    """What is known, or was dismissed, of what one is about to teach."""

    id: UUID | None
    """null: it was dismissed and is forgotten since"""
    key: str | None
    content: str | None
    scope: str | None
    confidence: Annotated[int, Field(ge=0, le=100)] | None
    updated_at: datetime | None
    status: str
    likeness: Literal["same", "rewording", "changed", "other"]
    similarity: Annotated[float, Field(ge=0, le=1)]


class Refusal(Shape):
    """Why one thing was refused."""

    type: Literal["about:blank"]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    """A sentence for people"""
    code: str
    """A word for programs; it does not change"""
    errors: list[Wrong] = []
    candidates: list[Candidate] = []
    """Only with 409 of teaching: what it is like, the nearest first"""


class Problem(Refusal):
    """An error as RFC 9457 describes it."""

    instance: str
    request_id: str
    """The log and the audit trail have it too"""
    memory_status: Literal["unavailable"] = "unavailable"
    """Only with 503"""
    suggestions: list[str] = []
    """Only with 404 of a key: at most three that may have been meant"""
