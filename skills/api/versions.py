"""GET skills/{name}/versions, one of them, its package, and one file of the package as harmless bytes."""

import zipfile
from datetime import datetime
from typing import Any, Literal

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import paging
from memories.api.base import FileNegotiation
from memories.api.openapi import operation
from memories.api.paging import PAGING
from memories.api.payload_shapes import Performance
from memories.api.shapes import EXAMPLE_TIME, Count, Json, Page, Shape, Share
from memories.models import Performance as Record
from memories.values.exceptions import NotFound
from skills import downloads, models
from skills.api.skills import NAME, REFUSES, SCOPE, Number, Package, Sha256, SkillView

NUMBER = OpenApiParameter(
    "number", {"type": "string"}, OpenApiParameter.PATH, description="A version's number, or `latest`."
)
HASH = OpenApiParameter(
    "X-Content-SHA256", {"type": "string"}, OpenApiParameter.HEADER, response=[200], description="Of the whole file."
)


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
    made_by: Literal["consolidation", "extraction", "upload", "edit", "restore", "merge"]
    changelog: str
    fields: dict[str, Any]
    skill_md: str
    files: list[File]
    package: Package
    scan: Scan
    performance: Performance
    """Counts of the uses that agents reported of this version; recorded runs without a reported use count for the skill
    only"""
    reliability: Share
    created_at: datetime
    published_at: datetime | None

    example = {
        "number": 1,
        "status": "published",
        "made_by": "consolidation",
        "changelog": "",
        "fields": {"name": "refund-payment", "description": "Refunds a payment after looking at its order"},
        "skill_md": "---\nname: refund-payment\n---\n",
        "files": [{"path": "SKILL.md", "size": 30, "sha256": "0" * 64}],
        "package": Package.example,
        "scan": {"findings": []},
        "performance": Performance.example,
        "reliability": 0.41,
        "created_at": EXAMPLE_TIME,
        "published_at": EXAMPLE_TIME,
    }

    @classmethod
    def of(cls, row: models.SkillVersion, *, record: Record | None = None) -> Json:
        """`record`: the outcomes of its reported uses; None: there are none."""
        return cls.from_row(
            row,
            package=Package.of(row),
            scan={"findings": row.scan.get("findings", [])},
            performance=Performance.of(record),
            reliability=record.reliability if record else 0.0,
        )


class SkillVersionPage(Page):
    results: list[SkillVersion]


class Versions(SkillView):
    filters = frozenset({"scope"}) | PAGING

    @operation("ListSkillVersions", "Skills", SkillVersionPage, parameters=(NAME, SCOPE), refuses=REFUSES)
    def get(self, request: Request, name: str) -> Response:
        """The versions of a skill

        Newest first. Without the permission `review` only the published version.
        """
        skill = self.skill(request, name)
        rows = models.SkillVersion.objects.filter(skill=skill).select_related("skill")
        if not self.sees_every_status:
            rows = rows.filter(status=models.SkillVersion.Status.PUBLISHED)
        records = models.SkillUse.objects.filter(skill=skill).by_version()

        def show(row: models.SkillVersion) -> Json:
            return SkillVersion.of(row, record=records.get(row.pk))

        return paging.answer(request, rows, ("-number",), show=show, at=timezone.now())


class OneVersion(SkillView):
    filters = frozenset({"scope"})

    @operation("GetSkillVersion", "Skills", SkillVersion, parameters=(NAME, NUMBER, SCOPE), refuses=REFUSES)
    def get(self, request: Request, name: str, number: str) -> Response:
        """One version of a skill

        `latest` is the published version; if none is published, the newest, for callers who may see every status.
        """
        version = self.version(request, name, number)
        record = models.SkillUse.objects.filter(version=version).by_version().get(version.pk)
        return Response(SkillVersion.of(version, record=record))


class Content(SkillView):
    filters = frozenset({"scope"})
    content_negotiation_class = FileNegotiation

    @operation(
        "DownloadSkillVersion",
        "Skills",
        {200: {"type": "string", "format": "binary"}, 302: {"type": "string"}, 304: {"type": "string"}},
        parameters=(NAME, NUMBER, SCOPE, HASH),
        refuses=REFUSES,
        media_type="application/zip",
    )
    def get(self, request: Request, name: str, number: str) -> HttpResponseBase:
        """The package of a version

        A zip that follows the [Agent Skills](https://agentskills.io) specification. Its ETag is its SHA-256: a
        request with a matching `If-None-Match` gets 304. If packages are stored in S3 or OSS: 302 to an address there
        that needs no token and is valid for five minutes.
        """
        version = self.version(request, name, number)
        etag = f'"{version.sha256}"'
        etags = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
        if etags & {etag, "*"}:
            return HttpResponse(status=304, headers={"ETag": etag})
        answer = downloads.download(version)
        answer["ETag"] = etag
        answer["X-Content-SHA256"] = version.sha256
        return answer


PATH = OpenApiParameter(
    "path", {"type": "string"}, OpenApiParameter.PATH, description="Where the file lies in the skill's folder."
)
HARMLESS = {  # no browser runs or renders it
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}


class OneFile(SkillView):
    filters = frozenset({"scope"})
    content_negotiation_class = FileNegotiation

    @operation(
        "GetSkillFile",
        "Skills",
        {200: {"type": "string", "format": "binary"}},
        parameters=(NAME, NUMBER, PATH, SCOPE),
        refuses=REFUSES,
        media_type="text/plain",
    )
    def get(self, request: Request, name: str, number: str, path: str) -> HttpResponse:
        """One file of a version

        Returns the file unchanged, as `text/plain`; a browser neither renders nor runs it.
        """
        version = self.version(request, name, number)
        if path not in {file["path"] for file in version.files}:
            raise NotFound
        return HttpResponse(_read(version, path), content_type="text/plain; charset=utf-8", headers=HARMLESS)


def _read(version: models.SkillVersion, path: str) -> bytes:
    try:
        with downloads.package_of(version) as file, zipfile.ZipFile(file) as archive:
            return archive.read(f"{version.fields['name']}/{path}")
    except KeyError:
        raise NotFound from None
