"""`If-Match`: the versions that the caller has seen, as the ETag of an answer named them."""

import re
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

TAG = re.compile(r'\s*"([0-9]{1,9})"\s*')
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string", "pattern": '^("[0-9]{1,9}"|[*])$'},
    OpenApiParameter.HEADER,
    description="The ETag under which the memory was read: with another version it is a 412 and nothing changes.",
)


def versions(request: Request) -> frozenset[int] | None:
    """None allows every version; a tag that no version can have allows none."""
    said = request.headers.get("If-Match")
    if said is None or said.strip() == "*":
        return None
    return frozenset(int(tag[1]) for part in said.split(",") if (tag := TAG.fullmatch(part)))


def etag(version: int) -> dict[str, Any]:
    return {"ETag": f'"{version}"'}
