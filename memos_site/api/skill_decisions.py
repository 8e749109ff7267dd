"""Decisions about a skill and its versions: rename, merge, retire; publish, reject. Permission `review`."""

from typing import Annotated
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.openapi import operation
from memories.api.shapes import Json
from memos_site import review
from memos_site.api.decisions import DECIDE, REFUSES
from memos_site.review.verbs import Because
from memos_site.review.verbs.dismissal import Dismissal
from memos_site.review.verbs.verb import Why
from skills import models, renaming, revising
from skills.api.skills import NAME, SCOPE, Skill, SkillView
from skills.api.versions import NUMBER, SkillVersion


class DecidedSkill(Skill):
    """The skill after the decision, and the batch with which it can be undone."""

    batch: UUID


SLUG: Json = {"minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}  # others are made one, or refused


class Renaming(Because):
    name: Annotated[str, Field(max_length=200, json_schema_extra=SLUG)]
    """The new slug: 1 to 64 of `a-z 0-9 -`; `_` reads as `-`"""
    why: Why = ""


class SkillDecisionView(SkillView, WriteView):
    needs = DECIDE
    filters_by_method = {"POST": frozenset({"scope"})}

    def skill_response(self, skill: models.Skill, batch: UUID) -> Response:
        row = self.skills().get(pk=skill.pk)
        fields: Json = Skill.of(row, every_status=self.sees_every_status)
        return Response({**fields, "batch": batch})


class RenameSkill(SkillDecisionView):
    @operation(
        "RenameSkill",
        "Decisions",
        DecidedSkill,
        takes=Renaming,
        example={"name": "refund-order", "why": "it refunds whole orders"},
        parameters=(NAME, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str) -> Response:
        """Rename a skill

        The old name stays as an alias: agents find and download it by both. A package contains the skill's name, so
        the published and the proposed version are replaced by copies with new numbers. 409: the name is, or was, the
        name of another skill.
        """
        skill, body = self.skill(request, name), self.body(Renaming)
        new_name = body.name.replace("_", "-")
        return self.skill_response(
            skill, renaming.rename(skill, new_name, trust=self.trust, at=timezone.now(), why=body.why)
        )


class Merging(Because):
    other: Annotated[str, Field(min_length=1, max_length=200)]
    """The name of the skill to merge into this one; it must have the same scope and sensitivity"""
    why: Why = ""


class MergeSkill(SkillDecisionView):
    @operation(
        "MergeSkill",
        "Decisions",
        {201: SkillVersion},
        takes=Merging,
        example={"other": "pay-back", "why": "both refund an order"},
        parameters=(NAME, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str) -> Response:
        """Merge a skill with one that overlaps

        Proposes a version with the contents of both; agents keep the current versions. Publishing it supersedes the
        other skill, moves its evidence here, and its names lead to this one. Undoing the publication restores the
        other skill.
        """
        skill, body = self.skill(request, name), self.body(Merging)
        revising.check_permission(skill, self.trust)
        other = self.skills().get_by_name(body.other, scope=skill.scope)
        version = revising.merge(skill, other, trust=self.trust, at=timezone.now(), why=body.why)
        return Response(SkillVersion.of(version), status=201)


class RetireSkill(SkillDecisionView):
    @operation(
        "RetireSkill",
        "Decisions",
        DecidedSkill,
        takes=Because,
        example={"why": "the shop has changed"},
        parameters=(NAME, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str) -> Response:
        """Withdraw a skill from agents

        Retires its published version: agents neither see nor download it. The skill and its versions stay; another
        version may be published, or an old one proposed again. 409: no version is published.
        """
        skill = self.skill(request, name)
        decision = review.decide(self.trust, skill.pk, "retire", at=timezone.now(), why=self.body(Because).rationale)
        return self.skill_response(skill, decision.batch)


class Publication(Because):
    why: Why = ""
    """The reason; required where the scan has a critical finding"""


class Rejection(Dismissal):
    """The reason of a rejection, as for a dismissal: `reason`, and `why` for more words."""


class DecidedVersion(SkillVersion):
    batch: UUID


class PublishVersion(SkillView, WriteView):
    needs = DECIDE
    filters_by_method = {"POST": frozenset({"scope"})}

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

        Agents get the proposed version from now on, instead of the previously published one. Same effect as promoting
        the skill's memory. 409: the version is not proposed, or no longer.
        """
        return _decide_version(self, self.version(request, name, number), "promote", self.body(Publication))


class RejectVersion(SkillView, WriteView):
    needs = DECIDE
    filters_by_method = {"POST": frozenset({"scope"})}

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

        Agents keep the published version, and consolidation does not propose this procedure again. 409: no version of
        this skill was ever published; dismiss the skill instead.
        """
        return _decide_version(self, self.version(request, name, number), "reject", self.body(Rejection))


def _decide_version(view: SkillView, version: models.SkillVersion, verb: str, body: Because) -> Response:
    why, number = body.rationale, version.number
    decision = review.decide(view.trust, version.skill_id, verb, at=timezone.now(), why=why, number=number)
    version.refresh_from_db()
    return Response({**SkillVersion.of(version), "batch": decision.batch})
