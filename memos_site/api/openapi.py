"""GET schema/: the OpenAPI document, the same for everybody who is signed in."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from pydantic import BaseModel, ConfigDict
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import paging
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.paging import query
from memories.api.shapes import Json

# The groups of operations, in the order in which a developer of an agent meets them.
GROUPS = {
    "Ingestion": "Report what happened: events, tool calls, outcomes, conversations, working states.",
    "Memories": "Store, read, filter, edit and export memories and episodes.",
    "Search": "Search by words and by meaning, or get the context for a prompt.",
    "Guidance": "Ask what similar runs did, before a change.",
    "Skills": "List, download and upload skills, and report how their use ended.",
    "Tools": "The tools that agents call, here and over MCP.",
    "Revision": "Contest, fork, retract, supersede and merge memories.",
    "Forgetting": "Forget and erase memories, or change their salience.",
    "Decisions": "What a reviewer decides about memories, skills, proposals and adaptations, and undo.",
    "Proposals": "Changes that wait for a reviewer.",
    "Subjects": "Companies, people, repositories, hosts and other names that memories are about.",
    "Places": "Repositories and folders in which agents ran commands, and what starts there.",
    "Dismissed claims": "Tombstones: claims that were dismissed, forgotten or expired, and are kept from coming back.",
    "Adaptations": "Memories that changed the behaviour of agents.",
    "Audit": "What was done, by whom and why.",
    "Runs": "Background work: start, pause, resume and retry it, and what waits for a language model.",
    "Webhooks": "Signed messages about events, and their deliveries.",
    "Caller": "The caller and other agents, figures of the store, and this document.",
}


class OpenApiDocument(BaseModel):
    """An OpenAPI 3.1 document."""

    model_config = ConfigDict(extra="allow")

    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]


@cache
def document() -> Json:
    """Return the OpenAPI document, made once for each process: it depends on the code alone."""
    generator: Any = SchemaGenerator
    schema: Json = generator().get_schema(request=None, public=True)
    return schema


class Schema(ApiView):
    filters = frozenset({"format"})

    @operation(
        "GetSchema",
        "Caller",
        OpenApiDocument,
        parameters=(query("format", {"type": "string", "enum": ["json"]}, "The only answer format is JSON."),),
        example={"openapi": "3.1.0", "info": {"title": "Memos", "version": "1"}, "paths": {}},
    )
    def get(self, request: Request) -> Response:
        """This document

        The OpenAPI schema of everything under /api/v1/, as JSON; also without the slash at the end. `/api/docs/` shows
        it to people.
        """
        paging.choice(request, "format", ["json"])
        return Response(document())


class SchemaWithoutSlash(Schema):
    """The same document; it describes itself once."""

    schema = None


def require_bodies(result: Json, **_generation: Any) -> Json:
    """Mark each body as required of which every alternative has required fields (a postprocessing hook).

    drf-spectacular sees required fields, but not those of each of several shapes.
    """
    shapes = result["components"]["schemas"]
    for operations in result["paths"].values():
        for operation_object in operations.values():
            body = operation_object.get("requestBody", {})
            contents = [content["schema"] for content in body.get("content", {}).values() if "schema" in content]
            if contents and all(_has_required_fields(schema, shapes) for schema in contents):
                body["required"] = True
    return result


def describe_groups(result: Json, **_generation: Any) -> Json:
    """List the groups with a sentence each; their order is that of the document's page (a postprocessing hook)."""
    result["tags"] = [{"name": name, "description": description} for name, description in GROUPS.items()]
    return result


def _has_required_fields(schema: Json, shapes: Json) -> bool:
    if "$ref" in schema:
        return _has_required_fields(shapes[schema["$ref"].rsplit("/", 1)[-1]], shapes)
    if "anyOf" in schema:
        return all(_has_required_fields(choice, shapes) for choice in schema["anyOf"])
    return bool(schema.get("required"))
