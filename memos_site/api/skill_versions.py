"""POST skills/{name}/versions/{number}/reject: a proposed version is not published. Permission `review`."""

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.openapi import operation
from memos_site import review
from memos_site.api.decisions import DECIDE, REFUSES, Dismissal
from skills.api.skills import NAME, SCOPE, SkillView
from skills.api.versions import NUMBER, SkillVersion


class Rejection(Dismissal):
    """As of a dismissal: `reason`, and `why` when there is more to say."""


class DecidedVersion(SkillVersion):
    batch: UUID


class RejectVersion(SkillView, WriteView):
    needs = DECIDE
    others = {"POST": frozenset({"scope"})}

    @operation(
        "RejectSkillVersion",
        "Decisions",
        DecidedVersion,
        takes=Rejection,
        example={"reason": "wrong", "why": "it pays before it has looked at the order"},
        parameters=(NAME, NUMBER, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str, number: str) -> Response:
        """Do not publish a version

        A proposed version of a skill that agents have or had: they keep the published one, and consolidation does not
        propose this way of working again. A skill of which nothing was ever published is dismissed instead (409).
        """
        why, version = self.body(Rejection).rationale, self.version(request, name, number)
        decision = review.decide(
            self.trust, version.skill_id, "reject", at=timezone.now(), why=why, number=version.number
        )
        version.refresh_from_db()
        return Response({**SkillVersion.of(version), "batch": decision.batch})
