"""Skills for agents: what is published, and its package. With `review`, and for people, every status."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.core.files.storage import storages
from django.http import FileResponse
from django.utils import timezone
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists
from memories.api.base import ApiView
from memories.api.described import described
from memories.api.lists import PAGING
from memories.values.choices import ActorKind, Permission, Status
from memories.values.exceptions import Conflict, NotFound
from skills.api import operations, representations
from skills.models import Skill, SkillQuerySet, SkillUse, SkillVersion

READ: dict[str, tuple[Permission, ...]] = {"GET": (Permission.SKILLS, Permission.READ)}


class SkillDoor(ApiView):
    needs: ClassVar[Mapping[str, tuple[Permission, ...]]] = READ

    @property
    def sees_every_status(self) -> bool:
        return self.trust.actor.kind == ActorKind.PERSON or self.trust.may(Permission.REVIEW)

    def skills(self) -> SkillQuerySet:
        rows = Skill.objects.visible_to(self.trust).select_related("memory__performance").prefetch_related("versions")
        return rows if self.sees_every_status else rows.downloadable()

    def skill(self, request: Request, name: str) -> Skill:
        """By its slug (`_` reads as `-`). NotFound, or Conflict when scopes share the name and `scope` is not given."""
        rows = self.skills().filter(name=name.replace("_", "-"))
        if "scope" in request.query_params:
            rows = rows.filter(scope=request.query_params["scope"])
        found = list(rows[:20])
        if not found:
            raise NotFound
        if len(found) > 1:
            scopes = ", ".join(repr(skill.scope) for skill in found)
            raise Conflict(f"{name} exists in several scopes ({scopes}): say which with ?scope=")
        return found[0]

    def version(self, request: Request, name: str, number: str) -> SkillVersion:
        """`latest` is the published one; for who sees every status and where none is published, the newest."""
        skill = self.skill(request, name)
        versions = [v for v in skill.versions.all() if self.sees_every_status or v == skill.published]
        if number == "latest":
            found = skill.published or next(iter(versions), None)
        else:
            found = next((version for version in versions if str(version.number) == number), None)
        if found is None:
            raise NotFound
        return found


@described(operations.LIST_SKILLS)
class Skills(SkillDoor):
    filters = frozenset({"scope", "status"}) | PAGING

    def get(self, request: Request) -> Response:
        rows = self.skills()
        if "scope" in request.query_params:
            rows = rows.filter(scope=request.query_params["scope"])
        if statuses := lists.choice(request, "status", Status.values):
            rows = rows.filter(memory__status__in=statuses)

        def show(row: Skill) -> dict[str, Any]:
            return representations.skill(row, every=self.sees_every_status)

        return lists.answer(request, rows, ("name", "pk"), show=show, at=timezone.now())


@described(operations.GET_SKILL)
class OneSkill(SkillDoor):
    filters = frozenset({"scope"})

    def get(self, request: Request, name: str) -> Response:
        skill = self.skill(request, name)
        return Response(representations.skill(skill, every=self.sees_every_status))


@described(operations.LIST_SKILL_VERSIONS)
class Versions(SkillDoor):
    filters = frozenset({"scope"}) | PAGING

    def get(self, request: Request, name: str) -> Response:
        skill = self.skill(request, name)
        rows = SkillVersion.objects.filter(skill=skill).select_related("skill")
        if not self.sees_every_status:
            rows = rows.filter(status=SkillVersion.Status.PUBLISHED)

        records = SkillUse.objects.filter(skill=skill).by_version()

        def show(row: SkillVersion) -> dict[str, Any]:
            return representations.version(row, record=records.get(row.pk))

        return lists.answer(request, rows, ("-number",), show=show, at=timezone.now())


@described(operations.GET_SKILL_VERSION)
class OneVersion(SkillDoor):
    filters = frozenset({"scope"})

    def get(self, request: Request, name: str, number: str) -> Response:
        version = self.version(request, name, number)
        record = SkillUse.objects.filter(version=version).by_version().get(version.pk)
        return Response(representations.version(version, record=record))


class AsItIs(DefaultContentNegotiation):
    """The answer is a zip whatever the Accept header says; only a problem is rendered."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type or ""


@described(operations.DOWNLOAD_SKILL_VERSION)
class Content(SkillDoor):
    filters = frozenset({"scope"})
    content_negotiation_class = AsItIs

    def get(self, request: Request, name: str, number: str) -> FileResponse:
        version = self.version(request, name, number)
        file = storages["skills"].open(version.package)
        name = f"{version.skill.name}.zip"
        answer = FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
        answer["ETag"] = f'"{version.sha256}"'
        answer["X-Content-SHA256"] = version.sha256
        return answer
