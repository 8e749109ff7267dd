"""What stands beside memories: proposals, tombstones, adaptations, and the audit trail of all."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists, trails
from memories.api.base import ApiView, WriteView
from memories.api.described import described
from memories.api.lists import PAGING
from memories.api.preconditions import versions
from memories.models import Adaptation, AuditEntry, Proposal, Tombstone
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, NotFound
from memos_site import review
from memos_site.api import bodies, operations, representations

READ, REVIEW = {"GET": (Permission.READ,)}, {"GET": (Permission.REVIEW,)}
DECIDE = {"POST": (Permission.REVIEW,)}


@described(operations.GET_PROPOSAL)
class OneProposal(ApiView):
    """Who proposed something may ask what has become of it."""

    needs = READ

    def get(self, request: Request, proposal_id: UUID) -> Response:
        row = Proposal.objects.visible_to(self.trust).filter(pk=proposal_id).first()
        if row is None:
            raise NotFound
        return Response(representations.proposal(row))


@described(operations.LIST_PROPOSALS)
class Proposals(ApiView):
    needs = READ
    filters = frozenset({"kind", "decision", "memory", "made_by", "scope"}) | PAGING

    def get(self, request: Request) -> Response:
        rows = Proposal.objects.visible_to(self.trust).filter(**lists.exact(request, "made_by", "scope"))
        if kinds := lists.choice(request, "kind", Proposal.Kind.values):
            rows = rows.filter(kind__in=kinds)
        if decisions := lists.choice(request, "decision", operations.DECISIONS):
            rows = rows.decided(decisions)
        if "memory" in request.query_params:
            rows = rows.filter(memory=_id(request, "memory"))
        order = ("-opened_at", "-id")
        return lists.answer(request, rows, order, show=representations.proposal, at=lists.moment(request))


class DecideProposal(WriteView):
    needs = DECIDE
    verb: Callable[..., UUID]

    def write(self, request: Request, proposal_id: UUID) -> Response:
        told = {"why": bodies.why(self.body("why")), "versions": versions(request)}
        batch = type(self).verb(self.trust, proposal_id, at=timezone.now(), **told)
        return Response({**representations.proposal(Proposal.objects.get(pk=proposal_id)), "batch": batch})


@described(operations.ACCEPT_PROPOSAL)
class Accept(DecideProposal):
    verb = staticmethod(review.accept)


@described(operations.REJECT_PROPOSAL)
class Reject(DecideProposal):
    verb = staticmethod(review.reject)


@described(operations.LIST_TOMBSTONES)
class Tombstones(ApiView):
    needs = REVIEW
    filters = frozenset({"scope", "active"}) | PAGING

    def get(self, request: Request) -> Response:
        rows = _in_scope(request, Tombstone.objects.visible_to(self.trust))
        if (active := lists.boolean(request, "active")) is not None:
            rows = rows.filter(lifted_at__isnull=active)
        return lists.answer(request, rows, ("-at", "-id"), show=representations.tombstone, at=lists.moment(request))


@described(operations.LIFT_TOMBSTONE)
class Lift(WriteView):
    needs = DECIDE

    def write(self, request: Request, tombstone_id: UUID) -> Response:
        batch = review.lift(self.trust, tombstone_id, at=timezone.now(), why=bodies.why(self.body("why")))
        return Response({**representations.tombstone(Tombstone.objects.get(pk=tombstone_id)), "batch": batch})


@described(operations.LIST_ADAPTATIONS)
class Adaptations(ApiView):
    needs = READ
    filters = frozenset({"scope", "active"}) | PAGING

    def get(self, request: Request) -> Response:
        rows = _in_scope(request, Adaptation.objects.visible_to(self.trust))
        if (active := lists.boolean(request, "active")) is not None:
            rows = rows.filter(reverted_at__isnull=active)
        order = ("-applied_at", "-id")
        return lists.answer(request, rows, order, show=representations.adaptation, at=lists.moment(request))


@described(operations.REVERT_ADAPTATION)
class Revert(WriteView):
    needs = DECIDE

    def write(self, request: Request, adaptation_id: UUID) -> Response:
        body = self.body("keep_memory", "why")
        keep = bodies.flag(body, "keep_memory", default=True)
        why = bodies.why(body)
        batch = review.revert(self.trust, adaptation_id, keep_memory=keep, at=timezone.now(), why=why)
        return Response({**representations.adaptation(Adaptation.objects.get(pk=adaptation_id)), "batch": batch})


@described(operations.LIST_AUDIT)
class Audit(ApiView):
    needs = READ
    filters = frozenset({"scope", "action", "actor", "subject", "batch"}) | PAGING

    def get(self, request: Request) -> Response:
        rows = _in_scope(request, AuditEntry.objects.visible_to(self.trust).with_rationale(self.trust))
        for name in ("action", "actor"):
            if name in request.query_params:
                rows = rows.filter(**{name: request.query_params[name]})
        for name, column in (("subject", "subject_id"), ("batch", "batch_id")):
            if name in request.query_params:
                rows = rows.filter(**{column: _id(request, name)})
        return lists.answer(request, rows, ("-at", "-id"), show=trails.entry, at=lists.moment(request))


def _in_scope(request: Request, rows: Any) -> Any:
    return rows.filter(scope=request.query_params["scope"]) if "scope" in request.query_params else rows


def _id(request: Request, name: str) -> UUID:
    try:
        return UUID(request.query_params[name])
    except ValueError:
        raise Invalid(FieldError(f"/{name}", "not_an_id", "must be an id")) from None
