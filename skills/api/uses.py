"""POST skills/{name}/uses: an agent reports how its use of a skill ended."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.openapi import operation
from memories.api.payload_shapes import Performance
from memories.api.shapes import EXAMPLE_ID, Json, RequestBody, Shape, Share
from memories.intake.reports.events import Milliseconds, check
from memories.models import Performance as Record
from memories.values.choices import Outcome, Permission
from memories.values.exceptions import NotFound
from memories.values.field_types import NotBoolean, OutcomeName
from skills import models, outcomes
from skills.api.skills import NAME, REFUSES, SCOPE, Number, SkillView

LONGEST_NOTE = 2_000


class UseReport(RequestBody):
    """How the use of a skill ended."""

    outcome: OutcomeName
    latency_ms: Milliseconds | None = None
    """The duration of the use; default: that of the episode's outcome, else the sum of its tool calls"""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    version: Annotated[int, Field(ge=1, le=2_147_483_647), NotBoolean] | None = None
    """The version that was used; default: the published one, or for a corrected report the version of the first
    report"""
    episode_id: UUID | None = None
    """The run in which the skill was used; the use and the run then count once together"""


class ReportedUse(Shape):
    id: UUID
    name: str
    scope: str
    version: Number | None
    outcome: OutcomeName
    latency_ms: float | None
    note: str
    episode_id: UUID | None
    agent: str
    at: datetime
    performance: Performance
    """The track record of the skill, with this use"""
    reliability: Share
    """The lower end of the 95 % interval of the skill's success rate (Wilson)"""

    @classmethod
    def of(cls, row: models.SkillUse) -> Json:
        record = Record.objects.get(memory=row.skill_id)
        return cls.from_row(
            row,
            name=row.skill.name,
            scope=row.skill.scope,
            version=row.version.number if row.version else None,
            performance=Performance.of(record),
            reliability=record.reliability,
        )


class Uses(SkillView, WriteView):
    needs = {"POST": (Permission.REPORT,)}
    filters_by_method = {"POST": frozenset({"scope"})}

    def skill(self, request: Request, name: str) -> models.Skill:
        """Also one that was retired while it was used: how that ended still counts."""
        try:
            return super().skill(request, name)
        except NotFound:
            return models.Skill.objects.published_once(self.trust).get_by_name(
                name, scope=request.query_params.get("scope")
            )

    @operation(
        "ReportSkillUse",
        "Skills",
        {201: ReportedUse, 200: ReportedUse},
        takes=UseReport,
        example={"outcome": "success", "latency_ms": 5300, "version": 1, "episode_id": EXAMPLE_ID},
        parameters=(NAME, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str) -> Response:
        """Report how a use of a skill ended

        Updates the skill's track record and salience, never its confidence. 201: a new use. A second report for the
        same episode or with the same Idempotency-Key (also after 24 hours) corrects the first and the counters (200).
        Below a success rate of 50 % over at least five uses a proposal of the kind `failing` waits for a person, once
        for each published version. A token limited to scopes may report on a shared skill too; a `note` then needs
        `episode_id`.
        """
        report = check(UseReport, request.data)
        key = request.headers.get("Idempotency-Key", "")
        use = outcomes.Use(**{**report.model_dump(), "outcome": Outcome(report.outcome), "key": key})
        row, created = outcomes.report(self.skill(request, name), use, trust=self.trust, at=timezone.now())
        return Response(ReportedUse.of(row), status=201 if created else 200)
