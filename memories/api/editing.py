"""PATCH of a memory: one's own is changed, anything else becomes a proposal."""

from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import representations
from memories.api.base import ApiView
from memories.api.preconditions import etag, versions
from memories.intake import edits
from memories.models import Memory
from memories.values.exceptions import FieldError, Invalid

LONGEST_WHY = 2_000


class Editing(ApiView):
    """The part of the door of one memory by which it is edited."""

    def patch(self, request: Request, memory_id: UUID) -> Response:
        at, body = timezone.now(), dict(self.body())
        why = body.pop("why", "")
        if not isinstance(why, str) or len(why) > LONGEST_WHY:
            raise Invalid(FieldError("/why", "invalid", f"must be a text of at most {LONGEST_WHY:,} characters"))
        change = edits.parse_edit(body)
        edited = edits.edit(self.trust, memory_id, change, at=at, why=why.strip(), versions=versions(request))
        row = Memory.objects.select_related("episode", "performance").get(pk=memory_id)
        shown = representations.memory(row, at=at)
        if edited.proposal:
            return Response({**shown, "proposal": edited.proposal.pk}, status=202, headers=etag(row.version))
        return Response({**shown, "batch": edited.batch}, headers=etag(row.version))
