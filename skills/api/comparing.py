"""GET skills/{name}/diff, GET skills/prompt, POST skills/{name}/versions/{number}/restore."""

from dataclasses import asdict
from html import escape
from typing import Annotated, Literal

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import paging
from memories.api.base import WriteView
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.shapes import RequestBody, Shape
from memories.values import links
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, NotFound
from skills import diffs, models, revising
from skills.api.skills import NAME, REFUSES, SCOPE, Number, SkillView
from skills.api.versions import NUMBER, SkillVersion

MOST_SKILLS = 200  # in one block
WHICH = {"type": "string"}
FROM = query("from", WHICH, "A version's number, or `latest`; without it the published one.")
TO = query("to", WHICH, "A version's number, or `latest`; without it the proposed one, else the newest.")


class Piece(Shape):
    kind: Literal["same", "removed", "added"]
    text: str


class Change(Shape):
    name: str
    """The title of the section, or the path of the file, that differs"""
    kind: Literal["added", "removed", "renamed", "changed"]
    former: str = ""
    """The former path, where a file was renamed"""
    pieces: list[Piece]
    """The difference word by word (Chinese: character by character); [] for a file that is not the text of a field"""


class Diff(Shape):
    before: Number
    after: Number
    sections: list[Change]
    files: list[Change]

    example = {
        "before": 1,
        "after": 2,
        "sections": [
            {
                "name": "Description",
                "kind": "changed",
                "pieces": [{"kind": "removed", "text": "30"}, {"kind": "added", "text": "60"}],
            }
        ],
        "files": [],
    }


class SkillDiff(SkillView):
    filters = frozenset({"scope", "from", "to"})

    @operation("DiffSkillVersions", "Skills", Diff, parameters=(NAME, SCOPE, FROM, TO), refuses=REFUSES)
    def get(self, request: Request, name: str) -> Response:
        """Compare two versions of a skill

        Compares sections of SKILL.md and files. Ignores counters: a track record that grew is no change.
        """
        skill = self.skill(request, name)
        before = self._version(request, name, "from", skill.published)
        after = self._version(request, name, "to", skill.proposed if self.sees_every_status else skill.published)
        sections, files = diffs.section_changes(before, after), diffs.file_changes(before, after)
        changes = {"sections": [asdict(section) for section in sections], "files": [asdict(file) for file in files]}
        return Response({"before": before.number, "after": after.number, **changes})

    def _version(
        self, request: Request, name: str, parameter: str, default: models.SkillVersion | None
    ) -> models.SkillVersion:
        """The version that a parameter names, or the default. Invalid: the caller sees no such version."""
        number = request.query_params.get(parameter)
        if not number:
            return default or self.version(request, name, "latest")
        try:
            return self.version(request, name, number)
        except NotFound:
            detail = "must be `latest` or the number of a version of this skill"
            raise Invalid(FieldError(f"/{parameter}", "invalid", detail)) from None


class Prompt(Shape):
    block: str
    skills: list[str]
    """Names of the skills in the prompt, sorted"""

    example = {
        "block": "<available_skills>\n<skill>\n<name>\nrefund-payment\n</name>\n<description>\nRefunds a payment\n"
        "</description>\n<location>\nhttp://127.0.0.1:8000/api/v1/skills/refund-payment/versions/1/content?scope=\n"
        "</location>\n</skill>\n</available_skills>",
        "skills": ["refund-payment"],
    }


class SkillPrompt(SkillView):
    filters = frozenset({"scope"})

    @operation("GetSkillPrompt", "Skills", Prompt)
    def get(self, request: Request) -> Response:
        """The skills for an agent's prompt

        The `<available_skills>` block that clients of the Agent Skills specification expect: name, description and
        where the package is, of every published skill that the caller sees; at most 200, by name.
        """
        rows = self.skills().downloadable().filter(**paging.exact(request, "scope")).order_by("name", "pk")
        versions = [version for skill in rows[:MOST_SKILLS] if (version := skill.published)]
        lines = [line for version in versions for line in _entry(version)]
        block = "\n".join(["<available_skills>", *lines, "</available_skills>"])
        return Response({"block": block, "skills": [version.skill.name for version in versions]})


def _entry(version: models.SkillVersion) -> list[str]:
    skill = version.skill
    location = links.skill_package(skill.name, version.number, scope=skill.scope)
    tags = {"name": skill.name, "description": version.fields["description"], "location": location}
    inside = [part for tag, text in tags.items() for part in (f"<{tag}>", escape(text), f"</{tag}>")]
    return ["<skill>", *inside, "</skill>"]


class Restoring(RequestBody):
    why: Annotated[str, Field(max_length=2_000)] = ""


class RestoreVersion(SkillView, WriteView):
    needs = {"POST": (Permission.REVIEW,)}
    filters_by_method = {"POST": frozenset({"scope"})}

    @operation(
        "RestoreSkillVersion",
        "Decisions",
        {201: SkillVersion},
        takes=Restoring,
        example={"why": "the new one loses orders"},
        parameters=(NAME, NUMBER, SCOPE),
        refuses=REFUSES,
    )
    def write(self, request: Request, name: str, number: str) -> Response:
        """Propose an old version again

        Proposes a new version with the fields and files of an old one. Agents get it once it is published.
        """
        old = self.version(request, name, number)
        version = revising.restore(old, trust=self.trust, at=timezone.now(), why=self.body(Restoring).why)
        return Response(SkillVersion.of(version), status=201)
