"""GET proposals: changes that agents and rules may not make alone. POST accept and reject."""

from datetime import datetime
from functools import partial
from typing import Any, Literal, Protocol
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView, WriteView, allowed_versions
from memories.api.openapi import operation
from memories.api.paging import PAGING, query, some_of
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Json, Page, Shape
from memories.models.proposal import STILL_OPEN
from memories.values.choices import Permission, Sensitivity
from memories.values.exceptions import one_of
from memories.values.field_types import SensitivityName
from memories.values.trust import Trust
from memos_site import review
from memos_site.api.decisions import DECIDE, decision
from memos_site.review.verbs import Because

DECISIONS = [STILL_OPEN, *models.Proposal.Decision.values]


class Proposal(Shape):
    id: UUID
    kind: Literal["revision", "merge", "conflict", "failing"]
    memory: UUID
    others: list[UUID]
    change: dict[str, Any]
    """What happens when it is accepted: `verb` and its parameters"""
    resembles: UUID | None
    """A dismissed claim (tombstone) that the change resembles"""
    why: str
    score: float | None
    made_by: str
    evidence: list[Any]
    scope: str
    sensitivity: SensitivityName
    opened_at: datetime
    snoozed_until: datetime | None
    decided_at: datetime | None
    decided_by: str
    decision: Literal["accepted", "rejected", "withdrawn"] | None
    """Null while the proposal is open"""

    example = {
        "id": EXAMPLE_ID,
        "kind": "revision",
        "memory": EXAMPLE_ID,
        "others": [],
        "change": {"verb": "edit", "content": "Acme pays within 60 days"},
        "resembles": None,
        "why": "new contract",
        "score": None,
        "made_by": "refund-agent",
        "evidence": [],
        "scope": "project:shop",
        "sensitivity": "low",
        "opened_at": EXAMPLE_TIME,
        "snoozed_until": None,
        "decided_at": None,
        "decided_by": "",
        "decision": None,
    }

    @classmethod
    def of(cls, row: models.Proposal) -> Json:
        return cls.from_row(row, memory=row.memory_id, sensitivity=Sensitivity(row.sensitivity).label)


class DecidedProposal(Proposal):
    batch: UUID


class ProposalPage(Page):
    results: list[Proposal]


class OneProposal(ApiView):
    needs = {"GET": (Permission.READ,)}

    @operation("GetProposal", "Proposals", Proposal, refuses=(404,))
    def get(self, request: Request, proposal_id: UUID) -> Response:
        """One proposal and its decision

        A write that needs a person's decision returns the id of its proposal.
        """
        row = one_of(models.Proposal.objects.visible_to(self.trust).filter(pk=proposal_id))
        return Response(Proposal.of(row))


class Proposals(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"kind", "decision", "memory", "made_by", "scope"}) | PAGING

    @operation(
        "ListProposals",
        "Proposals",
        ProposalPage,
        parameters=(
            some_of("kind", models.Proposal.Kind.values, "Only of these kinds."),
            some_of("decision", DECISIONS, "Only with this decision; `open`: not decided yet."),
            query("memory", {"type": "string", "format": "uuid"}, "Only about exactly this memory."),
            query("made_by", {"type": "string"}, "Only proposed by this person or agent (name)."),
        ),
    )
    def get(self, request: Request) -> Response:
        """List proposals

        Lists open and decided proposals, newest first. Open ones are in the inbox too.
        """
        rows = models.Proposal.objects.visible_to(self.trust).filter(**paging.exact(request, "made_by", "scope"))
        if kinds := paging.choice(request, "kind", models.Proposal.Kind.values):
            rows = rows.filter(kind__in=kinds)
        if decisions := paging.choice(request, "decision", DECISIONS):
            rows = rows.decided(decisions)
        if "memory" in request.query_params:
            rows = rows.filter(memory=paging.identifier(request, "memory"))
        return paging.answer(request, rows, ("-opened_at", "-id"), show=Proposal.of)


class ProposalVerb(Protocol):
    """A function of `review` that decides about a proposal and returns the batch."""

    def __call__(
        self, trust: Trust, proposal_id: UUID, /, *, at: datetime, why: str, versions: frozenset[int] | None
    ) -> UUID: ...


class ProposalDecision(WriteView):
    needs = DECIDE

    def decide(self, verb: ProposalVerb, proposal_id: UUID, shape: type[Because]) -> Response:
        """Apply `verb` and answer with the proposal."""
        why, versions = self.body(shape).why, allowed_versions(self.request)
        batch = verb(self.trust, proposal_id, at=timezone.now(), why=why, versions=versions)
        return Response({**Proposal.of(models.Proposal.objects.get(pk=proposal_id)), "batch": batch})


class Acceptance(Because):
    keep: UUID | None = None
    """For `choose` (required): the id of the memory that holds. For `merge`: the id of the memory whose wording the
    merged one gets"""


class Accept(ProposalDecision):
    @decision("AcceptProposal", Acceptance, {"why": "the contract says so"}, DecidedProposal)
    def write(self, request: Request, proposal_id: UUID) -> Response:
        """Accept a proposal

        If the change no longer applies, the answer is 409 and the proposal stays open. If-Match: the version of its
        memory.
        """
        return self.decide(partial(review.accept, keep=self.body(Acceptance).keep), proposal_id, Acceptance)


class Reject(ProposalDecision):
    @decision("RejectProposal", Because, {"why": "one customer only"}, DecidedProposal)
    def write(self, request: Request, proposal_id: UUID) -> Response:
        """Reject a proposal

        Closes the proposal; the memory does not change.
        """
        return self.decide(review.reject, proposal_id, Because)
