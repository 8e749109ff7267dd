"""Decisions through the API: the same desk as the page. Permission `review`."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists, representations
from memories.api.described import described
from memories.api.doors import Door, WritingDoor
from memories.api.lists import PAGING
from memories.choices import Permission, Status, Type
from memories.exceptions import FieldError, Invalid
from memories.models import Memory
from memos_site import desk
from memos_site.api import operations

DECIDE = {"POST": (Permission.REVIEW,)}
LONGEST_REASON = 2_000
PROMOTED = [Status.CONFIRMED.value, Status.APPLIED.value]


class Decide(WritingDoor):
    """POST memories/{id}/{verb}: the memory as it now stands, with the batch by which it is undone."""

    needs = DECIDE
    verb = ""
    fields: tuple[str, ...] = ("why",)

    def write(self, request: Request, memory_id: UUID) -> Response:
        at, body = timezone.now(), self.body(*self.fields)
        why = _text(body, "reason") or _text(body, "why")
        decision = desk.decide(self.trust, memory_id, self.verb, at=at, why=why, to=_to(body))
        rows = Memory.objects.select_related("episode", "performance")
        shown = representations.memory(rows.get(pk=decision.memory.pk), at=at)
        return Response({**shown, "batch": decision.batch})


@described(operations.PROMOTE_MEMORY)
class Promote(Decide):
    verb = "promote"
    fields = ("to", "why")


@described(operations.DISMISS_MEMORY)
class Dismiss(Decide):
    verb = "dismiss"
    fields = ("reason", "why")


@described(operations.RESTORE_MEMORY)
class Restore(Decide):
    verb = "restore"


@described(operations.UNDO_DECISION)
class Undo(WritingDoor):
    needs = DECIDE

    def write(self, request: Request, batch: UUID) -> Response:
        done = desk.undo(self.trust, batch, at=timezone.now())
        return Response({"batch": done.batch, "undone": done.undone, "refused": done.refused})


@described(operations.LIST_INBOX)
class Inbox(Door):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"kind", "scope"}) | PAGING

    def get(self, request: Request) -> Response:
        at = lists.moment(request)
        kinds = lists.choice(request, "kind", Type.values)
        if len(kinds) > 1:
            raise Invalid(FieldError("/kind", "too_many", "names one kind, or is left out"))
        scope = request.query_params.get("scope", "")
        rows = desk.waiting(self.trust, at=timezone.now(), kind="".join(kinds), scope=scope)

        def show(row: Memory) -> dict[str, Any]:
            return {"kind": row.type, "memory": representations.memory(row, at=at), "why": desk.why(row)}

        return lists.answer(request, rows, desk.ORDER, show=show, at=at)


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise Invalid(FieldError(f"/{name}", "not_a_text", "must be a text"))
    if len(value) > LONGEST_REASON:
        raise Invalid(FieldError(f"/{name}", "too_long", f"is longer than {LONGEST_REASON:,} characters"))
    return value


def _to(body: dict[str, Any]) -> Status:
    to = body.get("to", Status.CONFIRMED.value)
    if to not in PROMOTED:
        raise Invalid(FieldError("/to", "unknown_value", f"must be one of {', '.join(PROMOTED)}"))
    return Status(to)
