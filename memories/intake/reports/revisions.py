"""The body of a request for a revision, which a proposal holds too."""

from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field

from memories.values.exceptions import FieldError
from memories.values.field_types import (
    LONGEST_KEY,
    LONGEST_TEXT,
    SOMETHING,
    CategoryName,
    Described,
    Identifier,
    Instant,
    Number,
    ScopeName,
    SensitivityName,
    Tags,
    read_body,
)

LONGEST_RATIONALE = 2_000
MOST_MERGED = 100


def _something(value: str) -> str:
    if not value.strip():
        raise ValueError("must say something")
    return value.strip()


_SAYS: dict[str, Any] = {"min_length": 1, "json_schema_extra": {"pattern": SOMETHING}}
Rationale = Annotated[str, Field(max_length=LONGEST_RATIONALE, **_SAYS), AfterValidator(_something)]
Words = Annotated[str, Field(max_length=LONGEST_TEXT, **_SAYS), AfterValidator(_something)]
Key = Annotated[str, Field(max_length=LONGEST_KEY, **_SAYS), AfterValidator(_something)]


class NewMemory(Described):
    """The memory that a revision creates. Fields that are left out are taken from the revised memory."""

    type: Literal["semantic", "competence", "plan_graph", "working"] | None = None
    """The type of the revised memory; no other is accepted"""
    content: Words | None = None
    """The text; made from the payload where it is left out"""
    category: CategoryName | None = None
    """Only for a semantic memory"""
    payload: dict[str, Any] = {}
    """The fields of the type. A semantic memory names its evidence: [{source_type, source_id, timestamp}]"""
    key: Key | None = None
    tags: Tags = []
    confidence: Number | None = None
    """The confidence, limited to 0 to 100"""
    sensitivity: SensitivityName | None = None
    """Only a caller with the permission `review` may lower it"""
    scope: ScopeName | None = None
    """The scope of the revised memory; no other is accepted"""
    source: Identifier | None = None
    company_id: Identifier | None = None
    thread_id: Identifier | None = None
    episode_id: UUID | None = None
    """The episode that is the evidence"""
    expires_at: Instant = None

    @property
    def as_json(self) -> dict[str, Any]:
        """The given fields in JSON's types, as a proposal holds them."""
        return self.model_dump(mode="json", exclude_unset=True)


class Supersession(Described):
    memory: NewMemory
    rationale: Rationale


class Contest(Described):
    ref: Annotated[str, Field(max_length=LONGEST_RATIONALE), AfterValidator(str.strip)] | None = None
    """The id of the memory that contradicts it, or a reason in words; may be left out"""
    rationale: Rationale


class Retraction(Described):
    rationale: Rationale


class Merger(Described):
    ids: Annotated[list[UUID], Field(min_length=2, max_length=MOST_MERGED)]
    """Ids of two or more memories of one scope and type"""
    memory: NewMemory
    rationale: Rationale


B = TypeVar("B", bound=BaseModel)


def check(shape: type[B], raw: Any, at: str = "") -> B:
    """Read a body as this shape. Invalid names every wrong field, below the pointer `at`."""
    return read_body(shape, raw, at=at, rewording=_rewording)


def _rewording(error: FieldError) -> FieldError:
    if error.code == "string_too_short":
        return replace(error, code="required", detail="must say something")
    if error.code in ("too_short", "too_long") and error.pointer.endswith("/ids"):
        return replace(error, detail=f"names 2 to {MOST_MERGED} memories")
    return error
