"""GET skills: what is published; POST skills: a zip or the files of a folder becomes a proposed version."""

import html
from collections.abc import Mapping
from typing import IO, Annotated, Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.http.multipartparser import MultiPartParser as DjangoMultiPartParser
from django.http.multipartparser import MultiPartParserError
from django.utils import timezone
from pydantic import Field, WithJsonSchema
from rest_framework.exceptions import ParseError
from rest_framework.parsers import DataAndFiles, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import paging
from memories.api.base import WriteView
from memories.api.json_bodies import LARGEST_BODY, TooLarge
from memories.api.openapi import operation
from memories.api.paging import PAGING, query, some_of
from memories.api.shapes import EXAMPLE_ID, Json, RequestBody, Shape
from memories.values.choices import Permission, Sensitivity, Status
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import ScopeName, SensitivityName, read_body
from skills import importing, models
from skills.api.skills import Skill, SkillPage, SkillView
from skills.api.versions import SkillVersion

Binary = Annotated[Any, WithJsonSchema({"type": "string", "format": "binary"})]
ONE_OF = "send one zip as `file`, or the files of a folder as `files`"


class _PathKeepingParser(DjangoMultiPartParser):
    """Django's parser, which also remembers the paths that file names had before they were cut to a name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.paths: list[str] = []

    def sanitize_file_name(self, file_name: str) -> str | None:
        name = super().sanitize_file_name(file_name)
        if name:
            self.paths.append(html.unescape(file_name))
        return name


class UploadParser(MultiPartParser):
    """Multipart bodies up to 21 MiB. Without `paths` in the body, it is what the files' names say."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> "DataAndFiles[Any, Any]":
        request = (parser_context or {})["request"]
        meta = {**request.META, "CONTENT_TYPE": media_type}
        if int(meta.get("CONTENT_LENGTH") or 0) > LARGEST_BODY:
            raise TooLarge
        try:
            parser = _PathKeepingParser(meta, stream, request.upload_handlers, "utf-8")
            data, files = parser.parse()
        except MultiPartParserError as error:
            raise ParseError(f"Multipart form parse error - {error}") from None
        data = data.copy()
        if "paths" not in data:
            data.setlist("paths", parser.paths)
        return DataAndFiles(data, files)


class Upload(RequestBody):
    """A zip, or the files of a folder."""

    file: Binary = None
    """A zip of at most 5 MiB, with SKILL.md at its top or in its only folder"""
    files: Annotated[list[Binary], Field(max_length=1_000)] = []
    """The files of a folder; `files[]` is accepted too"""
    paths: Annotated[list[str], Field(max_length=1_000)] = []
    """The path of each file, in the order of `files`; default: the file names"""
    scope: ScopeName | None = None
    sensitivity: SensitivityName | None = None
    changelog: Annotated[str, Field(max_length=2_000)] = ""
    """What this version changes, for the reviewer"""


class Uploaded(Shape):
    """The uploaded version. `version` is null where nothing was stored because people dismissed this skill, or where
    the caller may see no more."""

    name: str | None
    scope: str | None
    memory_id: UUID | None
    version: SkillVersion | None
    created: bool
    """False where the same files are already published or proposed"""
    suppressed: bool
    warnings: list[str]
    """What was changed or left out of the package, and why"""
    notice: str | None

    example = {
        "name": "refund-payment",
        "scope": "project:shop",
        "memory_id": EXAMPLE_ID,
        "version": SkillVersion.example,
        "created": True,
        "suppressed": False,
        "warnings": [],
        "notice": None,
    }

    @classmethod
    def of(cls, result: importing.Imported) -> Json:
        version, write_result = result.version, result.write_result
        skill = version.skill if version else None
        return {
            "name": skill.name if skill else None,
            "scope": skill.scope if skill else None,
            "memory_id": skill.pk if skill else None,
            "version": SkillVersion.of(version) if version else None,
            "created": result.created,
            "suppressed": bool(write_result and write_result.suppressed),
            "warnings": result.warnings,
            "notice": write_result.notice if write_result else None,
        }


class Skills(SkillView, WriteView):
    needs = {**SkillView.needs, "POST": (Permission.SKILLS,)}
    filters = frozenset({"scope", "status", "q"}) | PAGING
    filters_by_method = {"POST": frozenset()}
    parser_classes = [UploadParser]
    skill_import: importing.PreparedImport
    upload: Upload

    @operation(
        "ListSkills",
        "Skills",
        SkillPage,
        parameters=(
            some_of("status", Status.values, "Only in these statuses."),
            query("q", {"type": "string"}, "Only with each of these words in name, title or description."),
        ),
    )
    def get(self, request: Request) -> Response:
        """Skills

        Sorted by name. Without the permission `review` only published skills of confirmed or applied memories.
        """
        rows = self.skills().filter(**paging.exact(request, "scope"))
        if statuses := paging.choice(request, "status", Status.values):
            rows = rows.filter(memory__status__in=statuses)
        if words := request.query_params.get("q", "").strip():
            rows = rows.mentioning(words, every_status=self.sees_every_status)

        def show(row: models.Skill) -> Json:
            return Skill.of(row, every_status=self.sees_every_status)

        return paging.answer(request, rows, ("name", "pk"), show=show, at=timezone.now())

    def post(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Store the package before the transaction that records it: the storage is a foreign system."""
        self.upload = _upload(request.data)
        pointer = "/file" if self.upload.file else "/files"
        skill = importing.read(_content(self.upload), pointer=pointer)
        self.skill_import = importing.prepare(skill, scope=self.upload.scope, trust=self.trust, pointer=pointer)
        return super().post(request, *args, **kwargs)

    @operation(
        "UploadSkill",
        "Skills",
        {201: Uploaded, 200: Uploaded, 202: Uploaded},
        takes=Upload,
        example={"file": "(the bytes of a zip)", "scope": "project:shop"},
    )
    def write(self, request: Request) -> Response:
        """Upload a skill

        A zip or a folder becomes a proposed version: of the skill of that name in the scope, or of a new one. Agents
        get it once a person publishes it. Files keep their names and bytes. 400 lists all problems at once; 200: the
        same files exist already, or people dismissed this skill; 202: accepted, and the caller may not see the
        result. Limits: 5 MiB packed, 20 MiB expanded, 200 files.
        """
        level = Sensitivity.named(self.upload.sensitivity) if self.upload.sensitivity else None
        result = importing.record(
            self.skill_import,
            trust=self.trust,
            at=timezone.now(),
            sensitivity=level,
            changelog=self.upload.changelog,
        )
        is_accepted = result.version is None and not (result.write_result and result.write_result.suppressed)
        return Response(Uploaded.of(result), status=201 if result.created else 202 if is_accepted else 200)


def _upload(data: Any) -> Upload:
    if not isinstance(data, QueryDict):  # a body of another kind was empty
        raise Invalid(FieldError("/file", "required", ONE_OF))
    names = {name: name.removesuffix("[]") for name in data}
    for name, plain in names.items():
        if any(isinstance(value, str) and "\0" in value for value in data.getlist(name)):
            raise Invalid(FieldError(f"/{plain}", "unstorable_text", "a NUL character cannot be stored"))
    single = {plain: data[name] for name, plain in names.items() if plain not in ("files", "paths")}
    upload = read_body(Upload, single | {plain: data.getlist(n) for n, plain in names.items() if plain not in single})
    files = [*upload.files, *([] if upload.file is None else [upload.file])]
    if not files or not all(isinstance(file, UploadedFile) for file in files) or (upload.file and upload.files):
        raise Invalid(FieldError("/file", "required", ONE_OF))
    return upload


def _content(upload: Upload) -> Mapping[str, bytes] | bytes:
    if upload.file is not None:
        return _bytes(upload.file)
    if len(upload.paths) != len(upload.files) or len(set(upload.paths)) != len(upload.paths):
        raise Invalid(FieldError("/paths", "invalid", "must name another path for each of the files, in order"))
    return {path: _bytes(file) for path, file in zip(upload.paths, upload.files, strict=True)}


def _bytes(file: Any) -> bytes:
    """The whole file, each time: a request that an outage of the database interrupted is done again."""
    file.seek(0)
    content: bytes = file.read()
    return content
