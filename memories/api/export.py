"""GET export: everything that the caller may see, as JSON lines, streamed."""

from django.http import StreamingHttpResponse
from django.utils import timezone
from rest_framework.request import Request

from memories.api import paging
from memories.api.base import ApiView, FileNegotiation
from memories.api.openapi import operation
from memories.models import Memory
from memories.transfer import exporting
from memories.values.choices import Permission

LINES = "application/x-ndjson"


class Export(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope"})
    content_negotiation_class = FileNegotiation

    @operation("ExportMemories", "Memories", {200: {"type": "string"}}, media_type=LINES)
    def get(self, request: Request) -> StreamingHttpResponse:
        """Everything that the caller may see, as JSON lines

        One memory, episode or relation a line, by age, in every status; `manage.py import_memories --from memos` reads
        them again. With `scope` only what is of that scope. Nothing counts as used.
        """
        at, only = timezone.now(), paging.exact(request, "scope")
        rows = Memory.objects.told_to(self.trust).unexpired(at)
        lines = exporting.lines(self.trust, at=at, rows=rows.filter(**only))
        response = StreamingHttpResponse(lines, content_type=LINES)
        response["Content-Disposition"] = 'attachment; filename="memories.jsonl"'
        return response
