"""GET schema/: the OpenAPI document, the same for everybody who is signed in."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists
from memories.api.base import ApiView
from memories.api.described import described
from memos_site.api import operations


@cache
def document() -> dict[str, Any]:
    """Made once for each process: it depends on the code alone."""
    generator: Any = SchemaGenerator
    made: dict[str, Any] = generator().get_schema(request=None, public=True)
    return made


@described(operations.GET_SCHEMA)
class Schema(ApiView):
    filters = frozenset({"format"})

    def get(self, request: Request) -> Response:
        lists.choice(request, "format", ["json"])
        return Response(document())


class SchemaWithoutSlash(Schema):
    """The same document; it describes itself once."""

    schema = None
