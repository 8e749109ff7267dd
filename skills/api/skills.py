"""GET skills and skills/{name}: what is published. With `review`, and for people, every status."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.payload_shapes import Performance
from memories.api.shapes import EXAMPLE_ID, Count, Json, Page, Percent, Shape, Share
from memories.values import links
from memories.values.choices import Permission, Sensitivity, Status
from memories.values.exceptions import NotFound
from memories.values.field_types import SensitivityName
from skills import models

LEARNED = ("skill_name", "triggers", "recipe", "required_tools", "failure_modes", "fallbacks")
REFUSES = (404, 409)  # 409: the name exists in several scopes
NAME = OpenApiParameter(
    "name",
    {"type": "string"},
    OpenApiParameter.PATH,
    description="The skill's slug, its present or a former one; `_` reads as `-`.",
)
SCOPE = query(
    "scope", {"type": "string"}, ("The scope of the skill; required if several scopes have a skill of that name.")
)
NUMBER = re.compile("[1-9][0-9]{0,9}")
Number = Annotated[int, Field(ge=1)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Package(Shape):
    url: str
    sha256: Sha256
    size: Count

    example = {
        "url": "http://127.0.0.1:8000/api/v1/skills/refund-payment/versions/1/content?scope=project%3Ashop",
        "sha256": "0" * 64,
        "size": 1543,
    }

    @classmethod
    def of(cls, version: models.SkillVersion) -> Json:
        skill = version.skill
        return cls.from_row(version, url=links.skill_package(skill.name, version.number, scope=skill.scope))


class Skill(Shape):
    """A skill. Figures learned from runs are null until there are some."""

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
    """The tools and kinds of commands with which a run of the skill changes something, sorted; empty also where that is
    unknown"""
    performance: Performance
    reliability: Share
    """The lower end of the 95 % interval of the skill's success rate (Wilson); 0 without a use"""
    published_version: Number | None
    latest_version: Number | None
    """The latest version that the caller may see; for a caller who may see published versions only, the published
    one"""
    proposed_version: Number | None
    memory_id: UUID
    package: Package | None
    aliases: list[str]
    """Names by which the skill is found as well: former ones, and those of skills that were merged into it"""

    example = {
        "id": EXAMPLE_ID,
        "name": "refund-payment",
        "title": "Refund a payment",
        "description": "Refunds a payment after looking at its order",
        "status": "confirmed",
        "scope": "project:shop",
        "sensitivity": "low",
        "confidence": 60,
        "skill_name": "skill:get_order>refund_payment",
        "triggers": [],
        "recipe": [{"step": "Look at the order", "tool": "get_order"}, {"step": "Refund", "tool": "refund_payment"}],
        "required_tools": ["get_order", "refund_payment"],
        "failure_modes": [],
        "fallbacks": [],
        "effects": ["refund_payment"],
        "performance": Performance.example,
        "reliability": 0.41,
        "published_version": 1,
        "latest_version": 1,
        "proposed_version": None,
        "memory_id": EXAMPLE_ID,
        "package": Package.example,
        "aliases": ["pay-back"],
    }

    @classmethod
    def of(cls, row: models.Skill, *, every_status: bool) -> Json:
        """`every_status`: the caller sees all versions; otherwise the published one is all there is."""
        memory, published_version = row.memory, row.published
        numbers = [version.number for version in row.versions.all() if every_status or version == published_version]
        record = getattr(memory, "performance", None)
        return cls.from_row(
            memory,
            id=row.pk,
            name=row.name,
            title=row.title,
            description=published_version.fields["description"] if published_version else memory.content,
            sensitivity=Sensitivity(memory.sensitivity).label,
            **{name: memory.payload.get(name) for name in LEARNED},
            effects=memory.payload.get("effects") or [],
            performance=Performance.of(record),
            reliability=record.reliability if record else 0.0,
            published_version=published_version.number if published_version else None,
            latest_version=max(numbers, default=None),
            proposed_version=row.proposed.number if every_status and row.proposed else None,
            memory_id=memory.pk,
            package=Package.of(published_version) if published_version else None,
            aliases=row.aliases,
        )


class SkillPage(Page):
    results: list[Skill]


class SkillView(ApiView):
    needs: ClassVar[Mapping[str, tuple[Permission, ...]]] = {"GET": (Permission.SKILLS, Permission.READ)}

    @property
    def sees_every_status(self) -> bool:
        return models.sees_every_status(self.trust)

    def skills(self) -> models.SkillQuerySet:
        return models.Skill.objects.shown_to(self.trust)

    def skill(self, request: Request, name: str) -> models.Skill:
        """By its slug (`_` reads as `-`). NotFound, or Conflict when scopes share the name and `scope` is not given."""
        return self.skills().get_by_name(name, scope=request.query_params.get("scope"))

    def version(self, request: Request, name: str, number: str) -> models.SkillVersion:
        """`latest` is the published version; if none is published, the newest, for callers who may see every status."""
        skill = self.skill(request, name)
        if number != "latest" and not NUMBER.fullmatch(number):
            raise NotFound
        version = skill.version_shown_to(self.trust, None if number == "latest" else int(number))
        if version is None:
            raise NotFound
        return version


class OneSkill(SkillView):
    filters = frozenset({"scope"})

    @operation("GetSkill", "Skills", Skill, parameters=(NAME, SCOPE), refuses=REFUSES)
    def get(self, request: Request, name: str) -> Response:
        """One skill

        If several scopes have a skill of that name and `scope` is missing, the answer is 409 and names them.
        """
        return Response(Skill.of(self.skill(request, name), every_status=self.sees_every_status))
