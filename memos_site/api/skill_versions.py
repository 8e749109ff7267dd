"""POST skills/{name}/versions/{number}/publish and /reject: what becomes of a proposed version. Permission `review`."""

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.openapi import operation
from memos_site import review
from memos_site.api.decisions import DECIDE, REFUSES
from memos_site.review.verbs import Because
from memos_site.review.verbs.dismissal import Dismissal
from memos_site.review.verbs.verb import Why
from skills import models
from skills.api.skills import NAME, SCOPE, SkillView
from skills.api.versions import NUMBER, SkillVersion


class Publication(Because):
    why: Why = ""
    """Required where the scan found something critical"""


class Rejection(Dismissal):
    """As of a dismissal: `reason`, and `why` when there is more to say."""


class DecidedVersion(SkillVersion):
    batch: UUID


class PublishVersion(SkillView, WriteView):
    needs = DECIDE
    others = {"POST": frozenset({"scope"})}

    @operation(
        "PublishSkillVersion",
        "Decisions",
        DecidedVersion,
        takes=Publication,
        example={"why": "read, and tried once"},
        parameters=(NAME, NUMBER, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str, number: str) -> Response:
        """Publish a version

        Agents get the proposed version from now on, instead of the one that was published before. The same as promoting
        the skill's memory. A version that is not proposed (any more): 409.
        """
        return _decided(self, self.version(request, name, number), "promote", self.body(Publication))


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
        """Reject a proposed version

        A proposed version of a skill that agents have or had: they keep the published one, and consolidation does not
        propose this way of working again. A skill of which nothing was ever published is dismissed instead (409).
        """
        return _decided(self, self.version(request, name, number), "reject", self.body(Rejection))


def _decided(view: SkillView, version: models.SkillVersion, verb: str, body: Because) -> Response:
    why, number = body.rationale, version.number
    decision = review.decide(view.trust, version.skill_id, verb, at=timezone.now(), why=why, number=number)
    version.refresh_from_db()
    return Response({**SkillVersion.of(version), "batch": decision.batch})
