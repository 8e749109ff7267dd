"""Claims come in, and are found by their key."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import representations
from memories.api.base import WriteView
from memories.api.described import described
from memories.api.operations_of_claims import TEACH
from memories.api.representations import NOTHING
from memories.intake import claims
from memories.intake.claims import Stored
from memories.intake.reports.claims import read, read_teaching
from memories.values.choices import Permission

STORE: dict[str, tuple[Permission, ...]] = {"POST": (Permission.INGEST,)}


def answered(stored: Stored, *, at: datetime) -> tuple[int, dict[str, Any]]:
    """The status and the body that answer a claim, alone or as an item of a batch."""
    if stored.accepted:
        return 202, NOTHING
    status = 201 if stored.created else 202 if stored.proposal else 200
    return status, {
        "memory": representations.memory(stored.memory, at=at) if stored.memory else None,
        "created": stored.created,
        "reinforced": stored.reinforced,
        "suppressed": stored.suppressed,
        "forgotten": stored.forgotten,
        "reset": stored.reset,
        "proposal": stored.proposal,
        "ignored_fields": stored.ignored_fields,
        "notice": stored.notice,
    }


class Storing(WriteView):
    """The part of the door of all memories by which they come in."""

    needs = STORE
    others = {"POST": frozenset()}

    def write(self, request: Request) -> Response:
        at = timezone.now()
        status, body = answered(claims.store(read(request.data), trust=self.trust, at=at), at=at)
        return Response(body, status=status)


@described(TEACH)
class Teach(WriteView):
    needs = {"POST": (Permission.REVIEW,)}

    def write(self, request: Request) -> Response:
        at = timezone.now()
        stored = claims.teach(read_teaching(request.data), trust=self.trust, at=at)
        status, body = answered(stored, at=at)
        return Response(body, status=status)
