"""POST of revisions: an agent revises its own memories, a person with `review` any; others are proposed (202).

POST memories/{id}/reinforce and /penalize: change the salience of a memory, and nothing else.
"""

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import BaseModel, BeforeValidator, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories import lifecycle
from memories.api import problems
from memories.api.base import WriteView
from memories.api.memory_shape import Accepted, Memory, NotChanged
from memories.api.openapi import Answers, M, operation
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Json, RequestBody
from memories.intake import revisions
from memories.intake.reports.revisions import LONGEST_RATIONALE, Merger, Retraction, Supersession, check
from memories.intake.reports.revisions import Contest as ContestBody
from memories.intake.revisions.revising import Change
from memories.values.choices import Permission

MOST = 1.0  # the maximum of salience
ALSO = (
    "An agent revises its own memories; for others a proposal is opened (202). To undo it, use its `batch`. An "
    "episode cannot be revised (409)."
)
NEW_MEMORY: Json = {
    "content": "Acme pays on net-60 terms",
    "payload": {"evidence": [{"source_type": "mail", "source_id": "m-812", "timestamp": EXAMPLE_TIME}]},
}


class Revised(Memory):
    """The memory that the revision produced, and the batch with which the revision can be undone."""

    batch: UUID


NEW: Answers = {201: Revised, 202: NotChanged}
CHANGED: Answers = {200: Revised, 202: NotChanged}


def revision(id: str, takes: type[BaseModel], example: Json, answers: Answers = NEW) -> Callable[[M], M]:
    """Document a revision."""
    return operation(id, "Revision", answers, takes=takes, example=example, refuses=(404, 409), also=ALSO)


class RevisionView(WriteView):
    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}

    def revise(self, verb: str, shape: type[BaseModel], *ids: UUID, status: int = 201) -> Response:
        """Run a revision. `ids`: the revised memories, else those in the body. `status`: of a completed revision."""
        body: Any = check(shape, self.request.data)
        change = Change(verb, body.rationale, getattr(body, "memory", None), getattr(body, "ref", None) or "")
        at = timezone.now()
        result = revisions.ask(change, ids or body.ids, trust=self.trust, at=at)
        if result.refusal:
            return problems.problem(409, str(result.refusal), code=result.refusal.code, path=self.request.path)
        if result.memory is None:
            return Response(Accepted.answer, status=202)
        memory = Memory.of_id(result.memory.pk, at=at)
        if result.proposal:
            return Response({**memory, "proposal": result.proposal}, status=202)
        return Response({**memory, "batch": result.batch}, status=status)


class Supersede(RevisionView):
    @revision("SupersedeMemory", Supersession, {"memory": NEW_MEMORY, "rationale": "the contract was renewed"})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Supersede a memory with a new one

        The old memory is kept as superseded; the new one takes its key, and fields that you leave out are copied from
        the old one. A correction of the caller's own confirmed statement is confirmed too, with the same confidence
        unless another is given. A statement needs `evidence`. A dismissed claim gives 409 `dismissed`.
        """
        return self.revise("supersede", Supersession, memory_id)


class Fork(RevisionView):
    @revision("ForkMemory", Supersession, {"memory": NEW_MEMORY, "rationale": "their subsidiary pays otherwise"})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Fork a memory into a variant of it

        Both live; the new one is `derived_from` the old one, and the history of both says so.
        """
        return self.revise("fork", Supersession, memory_id)


class Contest(RevisionView):
    @revision(
        "ContestMemory",
        ContestBody,
        {"ref": "the invoice of May was paid after 58 days", "rationale": "it does not fit what was seen"},
        CHANGED,
    )
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Contest a memory

        It is contested until a person decides. `ref` is the id of the memory that speaks against it, else words, which
        are kept as evidence; left out or blank: nothing but the rationale speaks against it.
        """
        return self.revise("contest", ContestBody, memory_id, status=200)


class Retract(RevisionView):
    @revision("RetractMemory", Retraction, {"rationale": "it was about another company"}, CHANGED)
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Retract a memory

        It stays in the history, is hidden from lists and search by default, and only undo brings it back.
        """
        return self.revise("retract", Retraction, memory_id, status=200)


class Merge(RevisionView):
    @revision(
        "MergeMemories",
        Merger,
        {
            "ids": [EXAMPLE_ID, "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e12"],
            "memory": {"content": "Acme pays on net-30 terms"},
            "rationale": "they say the same",
        },
    )
    def write(self, request: Request) -> Response:
        """Merge several memories into one

        The new memory has the tags, evidence and counters of all, the highest confidence and the highest sensitivity.
        Either all of them are superseded or none.
        """
        return self.revise("merge", Merger)


def _cap(value: Any) -> Any:
    """Cap an amount, including integers too large for a float."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value != float("inf")
    return min(value, MOST) if is_number else value


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True), BeforeValidator(_cap)]


class Move(RequestBody):
    rationale: Annotated[str, Field(max_length=LONGEST_RATIONALE)] | None = None
    """Accepted and not stored: changes of salience are not audited"""
    actor: Any = None
    """Ignored: the token says who makes the change"""


class Reinforcement(Move):
    amount: Amount | None = None
    """How much salience is added; default: the memory's `reinforcement_gain`"""


class Penalty(Move):
    amount: Amount


class Reinforce(WriteView):
    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}

    @operation("ReinforceMemory", "Forgetting", Memory, takes=Reinforcement, example={"amount": 0.1}, refuses=(404,))
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Make a memory more salient

        Raises the current salience by `amount`, to 1 at most. Nothing else changes.
        """
        at = timezone.now()
        lifecycle.reinforce(self.trust, memory_id, self.body(Reinforcement).amount, at=at)
        return Response(Memory.of_id(memory_id, at=at))


class Penalize(WriteView):
    needs = {"POST": (Permission.INGEST, Permission.REVIEW)}

    @operation("PenalizeMemory", "Forgetting", Memory, takes=Penalty, example={"amount": 0.25}, refuses=(404,))
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Make a memory less salient

        Lowers the current salience by `amount`, but not below the memory's `min_salience`. Nothing else changes. An
        agent can penalize only its own experience, because experience is removed when it has faded.
        """
        at = timezone.now()
        lifecycle.penalize(self.trust, memory_id, self.body(Penalty).amount, at=at)
        return Response(Memory.of_id(memory_id, at=at))
