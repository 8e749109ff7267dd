"""POST packs: chosen skills and memories of a scope as one zip."""

from typing import Annotated
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request

from consolidation.packs import making
from memories.api.base import ApiView, FileNegotiation
from memories.api.openapi import operation
from memories.api.shapes import RequestBody
from memories.values.choices import Permission
from memories.values.field_types import ScopeName


class PackRequest(RequestBody):
    name: Annotated[str, Field(min_length=1, max_length=64, pattern=f"^{making.NAME.pattern}$")]
    scope: ScopeName = ""
    description: Annotated[str, Field(max_length=1_000)] = ""
    memories: Annotated[list[UUID], Field(max_length=making.MOST)] | None = None
    """Of those believed in the scope: facts, preferences, ways of working; default: all"""
    skills: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=100)] | None = None
    """Names of skills that are published in the scope; default: all"""


class Packs(ApiView):
    needs = {"POST": (Permission.READ,)}
    post_reads = True
    content_negotiation_class = FileNegotiation

    @operation(
        "MakePack",
        "Memories",
        {200: {"type": "string", "format": "binary"}},
        takes=PackRequest,
        example={"name": "refunds", "scope": "project:shop", "skills": ["refund-payment"]},
        media_type="application/zip",
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Make a pack: skills and memories of a scope as one zip

        Agent Skills folders, `memories.jsonl` and `pack.json`; as it is it is also a plugin of Claude Code and an
        extension of Gemini CLI. The page Import or `manage.py import_pack` brings it into another scope or store, where
        all of it waits for people. Only what is confirmed or applied, or published, and what the caller may see; no
        runs, no evidence, credentials masked. At most 500 memories, 200 files, 5 MiB.
        """
        asked, at = self.body(PackRequest), timezone.now()
        contents = making.chosen(asked.scope, self.trust, at=at, memories=asked.memories, skills=asked.skills)
        about = {"name": asked.name, "scope": asked.scope, "description": asked.description}
        content = making.make(contents, self.trust, at=at, **about)
        return HttpResponse(content, content_type="application/zip", headers=making.headers(asked.name))
