"""POST skills/{name}/uses: an agent reports how its use of a skill ended."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.described import Operation, described
from memories.api.examples import ID
from memories.api.representations import performance
from memories.api.schema.payloads import Performance as PerformanceShape
from memories.api.schema.payloads import Share
from memories.api.schema.problem import Shape
from memories.intake.reports.events import Milliseconds, check
from memories.models import Performance
from memories.values.choices import Outcome, Permission
from memories.values.field_types import OutcomeName
from skills import outcomes
from skills.api.operations import ABSENT, NAME, SCOPE, TAG
from skills.api.schema import Number
from skills.api.views import SkillDoor
from skills.models import SkillUse

LONGEST_NOTE = 2_000


class UseReport(BaseModel):
    """How the use of a skill ended."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    outcome: OutcomeName
    latency_ms: Milliseconds | None = None
    """How long it took; of an episode without it, what its outcome says, else the sum of its tool calls"""
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""
    version: Annotated[int, Field(ge=1, le=2_147_483_647)] | None = None
    """Which version was used; without it the published one"""
    episode_id: UUID | None = None
    """The run in which it was used: a use and the run that names no use count once together"""


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
    performance: PerformanceShape
    """Of the skill, with this use"""
    reliability: Share
    """The lower end of the 95 % interval of its success rate (Wilson)"""


REPORT_SKILL_USE = Operation(
    "ReportSkillUse",
    TAG,
    "Report how a use of a skill ended",
    "It moves the skill's track record and salience, never its confidence. 201 when it is new. The same episode is the "
    "same use: told otherwise, the counters move by the difference (200). The same Idempotency-Key is the same use, "
    "also after its 24 hours. Below a success rate of 50 % over at least five uses a proposal of the kind `failing` "
    "waits for a person, once for each published version.",
    {201: ReportedUse, 200: ReportedUse},
    method="POST",
    takes=UseReport,
    example={"outcome": "success", "latency_ms": 5300, "version": 1, "episode_id": ID},
    parameters=(NAME, SCOPE),
    refuses=ABSENT,
)


@described(REPORT_SKILL_USE)
class Uses(SkillDoor, WriteView):
    needs = {"POST": (Permission.REPORT,)}
    others = {"POST": frozenset({"scope"})}

    def write(self, request: Request, name: str) -> Response:
        told = check(UseReport, request.data)
        key = request.headers.get("Idempotency-Key", "")
        use = outcomes.Use(**{**told.model_dump(), "outcome": Outcome(told.outcome), "key": key})
        row, created = outcomes.report(self.skill(request, name), use, trust=self.trust, at=timezone.now())
        return Response(_shown(row), status=201 if created else 200)


def _shown(row: SkillUse) -> dict[str, Any]:
    record = Performance.objects.get(memory=row.skill_id)
    return {
        "id": row.pk,
        "name": row.skill.name,
        "scope": row.skill.scope,
        "version": row.version.number if row.version else None,
        "outcome": row.outcome,
        "latency_ms": row.latency_ms,
        "note": row.note,
        "episode_id": row.episode_id,
        "agent": row.agent,
        "at": row.at,
        "performance": performance(record),
        "reliability": record.reliability,
    }
