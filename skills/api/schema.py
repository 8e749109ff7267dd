"""Skills and their versions, field by field, for the OpenAPI schema."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from memories.api.schema.memory import Page, Percent
from memories.api.schema.payloads import Count, Performance, Share
from memories.api.schema.problem import Shape
from memories.values.choices import Status
from memories.values.field_types import SensitivityName

Number = Annotated[int, Field(ge=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Package(Shape):
    url: str
    sha256: Sha256
    size: Count


class Skill(Shape):
    """What a skill's memory has learnt is null until it has."""

    id: UUID
    name: str
    title: str
    description: str
    status: Status
    scope: str
    sensitivity: SensitivityName
    confidence: Percent
    skill_name: str | None
    triggers: list[dict[str, Any]] | None
    recipe: list[dict[str, Any]] | None
    required_tools: list[str] | None
    failure_modes: list[Any] | None
    fallbacks: list[Any] | None
    effects: list[str]
    """What a run by it changes, sorted: tools and kinds of commands; empty also where nothing is known"""
    performance: Performance
    reliability: Share
    """The lower end of the 95 % interval of its success rate (Wilson); 0 without a use"""
    published_version: Number | None
    latest_version: Number | None
    """For who sees published versions only: the published one"""
    proposed_version: Number | None
    memory_id: UUID
    package: Package | None


class SkillPage(Page):
    results: list[Skill]


class File(Shape):
    path: str
    size: Count
    sha256: Sha256


class Finding(Shape):
    rule: str
    severity: Literal["low", "medium", "high", "critical"]
    file: str
    line: Number
    excerpt: str


class Scan(Shape):
    findings: list[Finding]


class SkillVersion(Shape):
    """A version never changes once it is written; only its status does."""

    number: Number
    status: Literal["proposed", "published", "retired", "rejected", "replaced"]
    made_by: Literal["consolidation", "extraction", "upload", "edit", "restore"]
    changelog: str
    fields: dict[str, Any]
    skill_md: str
    files: list[File]
    package: Package
    scan: Scan
    performance: Performance
    """Of the uses that agents reported of this version; runs that were only recorded are in the skill's"""
    reliability: Share
    created_at: datetime
    published_at: datetime | None


class SkillVersionPage(Page):
    results: list[SkillVersion]
