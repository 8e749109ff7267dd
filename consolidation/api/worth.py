"""GET skills/{name}/worth: whether a version of a skill helps, as runs with it and without it say."""

from typing import Annotated, Literal

from django.utils import translation
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation.guidance.offer_benefit import worth
from memories.api import paging
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.shapes import Count, Shape
from memories.values.choices import Permission
from memories.values.exceptions import NotFound
from skills.api.skills import NAME, REFUSES, SCOPE, SkillView

MOST = 2_147_483_647
VERSION = query("version", {"type": "integer", "minimum": 1}, "Default: the published one.")


class WorthArm(Shape):
    runs: Count
    well: Count
    """How many of these ended in success; partial outcomes are not counted"""


class WorthAnswer(Shape):
    name: str
    scope: str
    version: Annotated[int, Field(ge=1)]
    answer: Literal["helps", "hurts", "no_effect", "unknown"]
    """The answer of the experiment. `no_effect`: a difference of less than five points"""
    said: str
    offered: WorthArm
    withheld: WorthArm
    more: Count | None
    """About how many more runs are needed; null where the answer is known, or the number cannot be estimated"""

    example = {
        "name": "refund-payment",
        "scope": "project:shop",
        "version": 2,
        "answer": "helps",
        "said": "It helps. Of runs that got it 150 of 210 ended well, of those that did without 98 of 205.",
        "offered": {"runs": 210, "well": 150},
        "withheld": {"runs": 205, "well": 98},
        "more": None,
    }


class SkillWorth(SkillView):
    needs = {"GET": (Permission.SKILLS, Permission.READ)}
    filters = frozenset({"scope", "version"})

    @operation("SkillWorth", "Skills", WorthAnswer, parameters=(NAME, SCOPE, VERSION), refuses=REFUSES)
    def get(self, request: Request, name: str) -> Response:
        """Measured benefit of a version of a skill

        With SKILL_HOLDBACK the skill is withheld at random from a share of the runs that it fits (`auto`: half of
        them, until the result is known). A sequential test compares the outcomes, so it is valid after every run.
        Consolidation repeats the test; `hurts` and `no_effect` open a proposal.
        """
        skill = self.skill(request, name)
        asked = paging.number(request, "version", default=0, least=1, most=MOST)
        version = skill.version_shown_to(self.trust, asked or None)
        if version is None:
            raise NotFound
        with translation.override("en"):
            measured = worth(skill.pk, version.number)
            arms = {name: WorthArm.from_row(getattr(measured, name)) for name in ("offered", "withheld")}
            names = {"name": skill.name, "scope": skill.scope, "more": measured.effect.more}
            return Response(WorthAnswer.from_row(measured, **arms, **names))
