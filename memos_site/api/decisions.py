"""Decisions about one memory and about many, and their undoing: the same desk as the page. Permission `review`."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import representations
from memories.api.base import WriteView
from memories.api.described import described
from memories.api.preconditions import etag, versions
from memories.models import Memory
from memories.values.choices import Permission, Status
from memories.values.exceptions import FieldError, Invalid
from memos_site import review
from memos_site.api import bodies, operations
from memos_site.api.filters import filter_of
from skills.api import representations as of_skills
from skills.api.views import SkillDoor

DECIDE = {"POST": (Permission.REVIEW,)}
MANY = ("action", "ids", "filter", "as_of", "why", "reason", "to", "until", "pinned")
BULK = tuple(verb for verb in review.VERBS if verb not in ("edit", "reject"))


class Decide(WriteView):
    """POST memories/{id}/{verb}: the memory as it now stands, with the batch by which it is undone."""

    needs = DECIDE
    verb = ""
    fields: tuple[str, ...] = ()

    def write(self, request: Request, memory_id: UUID) -> Response:
        at, body = timezone.now(), self.body(*self.fields, "why")
        allowed = versions(request)
        told = {"at": at, "why": bodies.why(body), "versions": allowed, **how(self.verb, body)}
        decision = review.decide(self.trust, memory_id, self.verb, **told)
        rows = Memory.objects.select_related("episode", "performance")
        shown = representations.memory(rows.get(pk=memory_id), at=at)
        along = {"equals": decision.equals} if self.verb == "dismiss" else {}
        return Response({**shown, "batch": decision.batch, **along}, headers=etag(shown["version"]))


def how(verb: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a verb takes beside its reason, read from the body."""
    if verb == "promote":
        return {"to": bodies.status(body, Status.CONFIRMED, Status.APPLIED)}
    if verb == "demote":
        return {"to": bodies.status(body, Status.CANDIDATE, Status.CONFIRMED)}
    if verb == "pin":
        return {"pinned": bodies.flag(body, "pinned", default=True)}
    if verb == "snooze":
        if "until" not in body:
            raise Invalid(FieldError("/until", "required", "is required; null wakes it"))
        return {"until": bodies.instant(body, "until")}
    return {}


@described(operations.PROMOTE_MEMORY)
class Promote(Decide):
    verb = "promote"
    fields = ("to",)


@described(operations.DEMOTE_MEMORY)
class Demote(Decide):
    verb = "demote"
    fields = ("to",)


@described(operations.DISMISS_MEMORY)
class Dismiss(Decide):
    verb = "dismiss"
    fields = ("reason",)


@described(operations.RESTORE_MEMORY)
class Restore(Decide):
    verb = "restore"


@described(operations.PIN_MEMORY)
class Pin(Decide):
    verb = "pin"
    fields = ("pinned",)


@described(operations.SNOOZE_MEMORY)
class Snooze(Decide):
    verb = "snooze"
    fields = ("until",)


@described(operations.REJECT_VERSION)
class RejectVersion(SkillDoor, WriteView):
    """POST skills/{name}/versions/{number}/reject: the version as it now stands, with its batch."""

    needs = DECIDE
    others = {"POST": frozenset({"scope"})}

    def write(self, request: Request, name: str, number: str) -> Response:
        why = bodies.why(self.body("reason", "why"))
        version = self.version(request, name, number)
        about: dict[str, Any] = {"why": why, "number": version.number}
        decision = review.decide(self.trust, version.skill_id, "reject", at=timezone.now(), **about)
        version.refresh_from_db()
        return Response({**of_skills.version(version), "batch": decision.batch})


@described(operations.DECIDE_MANY)
class Bulk(WriteView):
    """`ids`, or what `filter` finds now of what had not changed since `as_of`."""

    needs = DECIDE

    def write(self, request: Request) -> Response:
        at, body = timezone.now(), self.body(*MANY)
        verb = body.get("action")
        if verb not in BULK:
            raise Invalid(FieldError("/action", "unknown_value", f"must be one of {', '.join(BULK)}"))
        told = {"at": at, "why": bodies.why(body), **how(verb, body)}
        many = self._by_filter(verb, body, told) if "filter" in body else self._by_ids(verb, body, told)
        return Response({"batch": many.batch, "done": many.done, "failed": many.failed, "equals": many.equals})

    def _by_ids(self, verb: str, body: dict[str, Any], told: dict[str, Any]) -> review.Many:
        return review.by_ids(self.trust, bodies.ids(body), verb, **told)

    def _by_filter(self, verb: str, body: dict[str, Any], told: dict[str, Any]) -> review.Many:
        if "ids" in body:
            raise Invalid(FieldError("/filter", "ambiguous", "either ids or a filter"))
        as_of = bodies.instant(body, "as_of", required=True)
        assert isinstance(as_of, datetime)
        return review.by_filter(self.trust, filter_of(body["filter"]), as_of, verb, **told)


@described(operations.UNDO_DECISION)
class Undo(WriteView):
    needs = DECIDE

    def write(self, request: Request, batch: UUID) -> Response:
        done = review.undo(self.trust, batch, at=timezone.now())
        return Response({"batch": done.batch, "undone": done.undone, "refused": done.refused})
