"""POST packs: chosen skills and memories of a scope as one zip. GET packs: the choices, and what is in them now."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import models
from consolidation.packs import making
from memories.api import paging
from memories.api.base import ApiView, FileNegotiation, WriteView
from memories.api.openapi import operation
from memories.api.paging import PAGING, query
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Count, Json, Page, RequestBody, Shape
from memories.values import links
from memories.values.choices import Permission
from memories.values.exceptions import one_of
from memories.values.field_types import ScopeName
from memories.values.trust import Trust

SCOPE = query("scope", {"type": "string"}, "Only of this scope.")


class PackRequest(RequestBody):
    name: Annotated[str, Field(min_length=1, max_length=64, pattern=f"^{making.NAME.pattern}$")]
    scope: ScopeName = ""
    description: Annotated[str, Field(max_length=1_000)] = ""
    memories: Annotated[list[UUID], Field(max_length=making.MOST)] | None = None
    """Ids of memories of the scope (facts, preferences, workflows) to include; default: all"""
    skills: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=100)] | None = None
    """Names of published skills of the scope to include; default: all"""


class Pack(Shape):
    id: UUID
    name: str
    scope: str
    description: str
    version: str
    """The version of the plugin; a later pack has a higher one"""
    memories: Count
    """The number of memories in the pack"""
    skills: list[str]
    """Names of the skills in the pack"""
    made_by: str
    created_at: datetime
    content_url: str

    example = {
        "id": EXAMPLE_ID,
        "name": "refunds",
        "scope": "project:shop",
        "description": "",
        "version": "1.0.1795600000",
        "memories": 12,
        "skills": ["refund-payment"],
        "made_by": "anna",
        "created_at": EXAMPLE_TIME,
        "content_url": f"https://memos.example/api/v1/packs/{EXAMPLE_ID}/content",
    }

    @classmethod
    def of(cls, row: models.Pack) -> Json:
        more = {"version": making.version_of(row.created_at), "memories": len(row.memories)}
        return cls.from_row(row, content_url=_address(row), **more)


class PackPage(Page):
    results: list[Pack]


def _address(row: models.Pack) -> str:
    return links.absolute(reverse("api-pack-content", args=[row.pk]))


class Packs(WriteView):
    needs = {"GET": (Permission.SKILLS,), "POST": (Permission.REVIEW,)}
    filters = frozenset({"scope"}) | PAGING
    made = b""
    content_negotiation_class = FileNegotiation

    @operation("ListPacks", "Memories", PackPage, parameters=(SCOPE,))
    def get(self, request: Request) -> Response:
        """Packs

        Newest first, with what each pack contains.
        """
        rows = models.Pack.objects.visible_to(self.trust).filter(**paging.exact(request, "scope"))
        return paging.answer(request, rows, ("-created_at", "-id"), show=Pack.of)

    @operation(
        "MakePack",
        "Memories",
        {200: {"type": "string", "format": "binary"}},
        takes=PackRequest,
        example={"name": "refunds", "scope": "project:shop", "skills": ["refund-payment"]},
        refuses=(404,),
        media_type="application/zip",
    )
    def write(self, request: Request) -> Response:
        """Make a pack: skills and memories of a scope as one zip

        Agent Skills folders, `memories.jsonl` and `pack.json`; without changes it is also a plugin of Claude Code and
        an extension of Gemini CLI. The page Import or `manage.py import_pack` imports it into another scope or store,
        where all of it waits for review. Contains only confirmed and applied memories and published skills that the
        caller may see; no runs, no evidence, credentials masked. At most 500 memories, 200 files, 5 MiB. The
        selection is stored: `Location` is the address of its content.
        """
        asked, at = self.body(PackRequest), timezone.now()
        contents = making.chosen(asked.scope, self.trust, at=at, memories=asked.memories, skills=asked.skills)
        about: dict[str, Any] = {"name": asked.name, "scope": asked.scope, "description": asked.description}
        self.made = making.make(contents, self.trust, at=at, **about)
        return Response({"id": making.keep(contents, self.trust, at=at, **about).pk})

    def post(self, request: Request) -> HttpResponseBase:  # type: ignore[override]
        """The zip, also of a pack that was made before under the same Idempotency-Key."""
        kept = super().post(request)
        pack = _pack(kept.data["id"], self.trust)
        content = self.made or _content(pack, self.trust)
        replayed = {} if self.made else {"Idempotent-Replay": "true"}
        return _zip(content, pack.name, Location=_address(pack), **replayed)


class PackContent(ApiView):
    needs = {"GET": (Permission.SKILLS,)}
    content_negotiation_class = FileNegotiation

    @operation(
        "GetPackContent",
        "Memories",
        {200: {"type": "string", "format": "binary"}},
        refuses=(404, 409),
        media_type="application/zip",
    )
    def get(self, request: Request, pack_id: UUID) -> HttpResponseBase:
        """The zip of a pack

        Built anew from the stored selection at each download. What was dismissed, corrected or erased since, or is
        above the caller's clearance, is omitted and named by `left_out` in `pack.json`. 409: nothing is left.
        """
        pack = _pack(pack_id, self.trust)
        return _zip(_content(pack, self.trust), pack.name)


def _pack(pack_id: UUID, trust: Trust) -> models.Pack:
    return one_of(models.Pack.objects.visible_to(trust).filter(pk=pack_id), "there is no such pack")


def _content(pack: models.Pack, trust: Trust) -> bytes:
    at = timezone.now()
    contents = making.contents_now(pack, trust, at=at)
    return making.make(contents, trust, at=at, pack=pack, **pack.about)


def _zip(content: bytes, name: str, **headers: str) -> HttpResponse:
    return HttpResponse(content, content_type="application/zip", headers={**making.headers(name), **headers})
