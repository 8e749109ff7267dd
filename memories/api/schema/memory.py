"""Memories, events and the caller, field by field."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memories.api.schema.payloads import (
    CompetencePayload,
    Count,
    EpisodicPayload,
    PlanPayload,
    SemanticPayload,
    Share,
    WorkingPayload,
)
from memories.api.schema.problem import Shape
from memories.values.choices import Category, DeletionPolicy, Origin, Permission, Status, Type
from memories.values.field_types import SensitivityName

Percent = Annotated[int, Field(ge=0, le=100)]


class Lifecycle(Shape):
    curve: Literal["exponential"]
    half_life_seconds: float
    min_salience: Share
    reinforcement_gain: float
    max_age_seconds: float
    """0: no limit"""
    last_reinforced_at: datetime
    """Its creation, until something reinforces it"""
    pinned: bool
    deletion_policy: DeletionPolicy
    fades_at: datetime | None
    """When salience falls under `min_salience`; null: never"""


class Source(BaseModel):
    """One source of a memory: an event, a tool call or the outcome of an episode, an observation."""

    model_config = ConfigDict(extra="allow")

    kind: str = ""
    ref: str = ""
    created_by: str = ""
    timestamp: datetime | None = None
    confidence: Percent = 0


class Provenance(Shape):
    sources: list[Source]
    created_by: str


class Memory(Shape):
    id: UUID
    type: Type
    scope: str
    key: str | None
    category: Category | None
    content: str
    payload: EpisodicPayload | WorkingPayload | SemanticPayload | PlanPayload | CompetencePayload
    source: str
    origin: Origin
    thread_id: str | None
    company_id: str | None
    tags: list[str]
    sensitivity: SensitivityName
    confidence: Percent
    status: Status
    salience: Share
    """As of now; on every page of a list as of the first one"""
    lifecycle: Lifecycle
    times_used: Count
    times_confirmed: Count
    last_used_at: datetime | None
    expires_at: datetime | None
    provenance: Provenance
    flags: list[Any]
    version: Annotated[int, Field(ge=1)]
    created_at: datetime
    updated_at: datetime


class Page(Shape):
    next: str | None
    """The address of the next page; null: this is the last one"""
    previous: str | None


class Event(Shape):
    id: UUID
    position: Annotated[int, Field(ge=1)]
    node_id: str
    """The server's name of it, unique in its episode; `depends_on` takes these"""
    at: datetime
    kind: str
    role: str
    actor: str
    ref: str
    """The caller's id; it may repeat"""
    text: str
    summary: str
    tool: str
    args: Any
    result: Any
    ok: bool | None
    latency_ms: float | None
    depends_on: list[str]
    context: dict[str, Any]
    flags: list[str]


class EventPage(Page):
    results: list[Event]


class Caller(Shape):
    name: str
    clearance: SensitivityName
    scopes: list[str]
    """Empty: every scope"""
    permissions: list[Permission]
    expires_at: datetime | None
