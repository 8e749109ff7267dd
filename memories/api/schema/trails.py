"""What stands beside a memory, field by field: history, evidence, relations; and the redacted view."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from memories.api.schema.memory import Memory, Page, Percent
from memories.api.schema.payloads import Share
from memories.api.schema.problem import Shape
from memories.values.choices import ActorKind, Type
from memories.values.field_types import OutcomeName, SensitivityName


class Subject(Shape):
    kind: str
    id: UUID


class HistoryEntry(Shape):
    id: UUID
    subject: Subject
    label: str
    action: str
    actor: str
    actor_kind: ActorKind
    at: datetime
    rationale: str
    before: dict[str, Any]
    """Of the changed fields; texts above 2,000 characters as their length and hash"""
    after: dict[str, Any]
    batch: UUID
    """By which it is undone"""
    undoes: UUID | None


class EvidenceEntry(Shape):
    id: UUID
    occasion: str
    """`episode:<id>`, `thread:<source>/<thread>:<date>` or `request:<id>`: it counts once"""
    episode_id: UUID | None
    event_id: UUID | None
    kind: Literal["created", "reinforced", "supports", "contradicts", "suppressed"]
    outcome: OutcomeName | None
    delta: float
    at: datetime
    snapshot: str


class RelationEntry(Shape):
    source: UUID
    predicate: str
    target: UUID
    weight: Annotated[float, Field(ge=0, le=1)]


class HistoryPage(Page):
    results: list[HistoryEntry]


class EvidencePage(Page):
    results: list[EvidenceEntry]


class RelationPage(Page):
    results: list[RelationEntry]


class MemoryWithTrails(Memory):
    """Each of the three only when `include` asks for it."""

    history: list[HistoryEntry] = []
    evidence: list[EvidenceEntry] = []
    relations: list[RelationEntry] = []


class Stub(Shape):
    """The redacted view of what lies exactly one level above the caller."""

    id: UUID
    type: Type
    sensitivity: SensitivityName
    confidence: Percent
    salience: Share
    scope: str
    tags: list[str]
    created_at: datetime
    updated_at: datetime
    redacted: Literal[True]


class MemoryPage(Page):
    results: list[Memory | Stub]
    """Stubs follow the last memory, and only when `include_redacted` asks for them"""
