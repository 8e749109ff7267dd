"""GET audit: what was done, by whom and why."""

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import paging
from memories.api.base import ApiView
from memories.api.history import HistoryEntry
from memories.api.openapi import operation
from memories.api.paging import PAGING, query
from memories.api.shapes import Page
from memories.models import AuditEntry
from memories.values.choices import Permission


class AuditPage(Page):
    results: list[HistoryEntry]


class Audit(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope", "action", "actor", "subject", "batch"}) | PAGING

    @operation(
        "ListAudit",
        "Audit",
        AuditPage,
        parameters=(
            query("subject", {"type": "string", "format": "uuid"}, "Only entries about this object."),
            query("batch", {"type": "string", "format": "uuid"}, "Only entries of this batch (one decision)."),
            query("action", {"type": "string"}, "promote, dismiss, revise, ..."),
            query("actor", {"type": "string"}, "Only by this person or agent (name)."),
        ),
    )
    def get(self, request: Request) -> Response:
        """What was done, by whom and why

        Newest first. Entries are kept after the rows that they describe are gone.
        """
        rows = AuditEntry.objects.visible_to(self.trust).with_state(self.trust).with_rationale(self.trust)
        rows = rows.filter(**paging.exact(request, "scope", "action", "actor"))
        for name, column in (("subject", "subject_id"), ("batch", "batch_id")):
            if name in request.query_params:
                rows = rows.filter(**{column: paging.identifier(request, name)})
        return paging.answer(request, rows, ("-at", "-id"), show=HistoryEntry.of)
