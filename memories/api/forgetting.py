"""DELETE of a memory, by its id or its key, with a receipt; and what an administrator erases."""

from dataclasses import asdict
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import lifecycle, people
from memories.api import lists
from memories.api.base import ApiView, WriteView
from memories.api.described import described
from memories.api.operations_of_forgetting import ERASE_MEMORY
from memories.models import Memory
from memories.values.choices import Permission
from memories.values.exceptions import NotAllowed, NotFound, UnknownKey

FORGET: dict[str, tuple[Permission, ...]] = {"DELETE": (Permission.INGEST, Permission.REVIEW)}
DRY_RUN = frozenset({"dry_run"})


class Forgetting(ApiView):
    """The part of the door of one memory by which it is forgotten."""

    needs = FORGET
    others = {"DELETE": DRY_RUN}

    def delete(self, request: Request, memory_id: UUID) -> Response:
        at = timezone.now()
        memory = Memory.objects.visible_to(self.trust).unexpired(at).filter(pk=memory_id).first()
        if memory is None:
            raise NotFound("no such memory")
        receipt = lifecycle.forget(memory, trust=self.trust, at=at, dry_run=lists.flag(request, "dry_run"))
        return Response(asdict(receipt))


class ForgettingByKey(ApiView):
    """The part of the door of one key by which what it names is forgotten: what is live, else what was closed last."""

    needs = FORGET
    others = {"DELETE": DRY_RUN | {"scope"}}

    def delete(self, request: Request, key: str) -> Response:
        at, scope = timezone.now(), self.trust.scope_to_write(request.query_params.get("scope"))
        memory = Memory.objects.visible_to(self.trust).unexpired(at).keyed(key, scope=scope).first()
        if memory is None:
            raise UnknownKey(lifecycle.suggestions(key, scope=scope, trust=self.trust))
        receipt = lifecycle.forget(memory, trust=self.trust, at=at, dry_run=lists.flag(request, "dry_run"))
        return Response(asdict(receipt))


@described(ERASE_MEMORY)
class Erase(WriteView):
    needs = {"POST": (Permission.REVIEW,)}
    others = {"POST": DRY_RUN}

    def write(self, request: Request, memory_id: UUID) -> Response:
        if not people.administers(request.user):
            raise NotAllowed("only an administrator may erase")
        self.body("why")
        receipt = lifecycle.erase(
            memory_id, trust=self.trust, at=timezone.now(), dry_run=lists.flag(request, "dry_run")
        )
        return Response(asdict(receipt))
