"""POST decisions about one memory, made from the verbs of review, and their undo. Permission `review`."""

from collections.abc import Callable
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import IF_MATCH, WriteView, allowed_versions, etag
from memories.api.memory_shape import Memory
from memories.api.openapi import M, operation
from memories.api.shapes import EXAMPLE_ID, Json, Shape
from memories.intake import equal_claims
from memories.values.choices import Permission, Status
from memos_site import review
from memos_site.review.verbs import Because, Verb
from memos_site.review.verbs.dismissal import DISMISS

DECIDE = {"POST": (Permission.REVIEW,)}
REFUSES = (404, 409)
STALE = (404, 409, 412)


class Decided(Memory):
    """The memory after the decision, and the batch with which it can be undone."""

    batch: UUID


class Known(Shape):
    """A live memory in another scope with the same claim."""

    id: UUID
    scope: str
    key: str | None
    status: Status

    example = {"id": EXAMPLE_ID, "scope": "project:shop", "key": "acme-terms", "status": "confirmed"}


class Dismissed(Decided):
    equals: list[UUID]
    """Other memories with the same claim, dismissed in the same batch; none where the reason is `duplicate`"""
    also_known: list[Known]
    """Live memories of other scopes with the same claim; they are not dismissed"""


class Refused(Shape):
    id: UUID
    why: str


class Undone(Shape):
    """The undo. Its own `batch` can be undone, which redoes the decision."""

    batch: UUID
    undone: list[UUID]
    refused: list[Refused]

    example = {"batch": EXAMPLE_ID, "undone": [EXAMPLE_ID], "refused": []}


def decision(id: str, takes: type[Because], example: Json, answer: type[Shape] = Decided) -> Callable[[M], M]:
    """Document a decision about one row."""
    return operation(id, "Decisions", answer, takes=takes, example=example, parameters=(IF_MATCH,), refuses=STALE)


def view_of(verb: Verb) -> type[WriteView]:
    """Return the view that applies a verb with the options in the body, and answers with the memory and the batch."""

    def write(self: WriteView, request: Request, memory_id: UUID) -> Response:
        at, body, versions = timezone.now(), self.body(verb.body), allowed_versions(request)
        options: Json = {"why": body.rationale, "versions": versions, **body.details}
        result = review.decide(self.trust, memory_id, verb.name, at=at, **options)
        answer = {**Memory.of_id(memory_id, at=at), "batch": result.batch}
        if verb is DISMISS:
            answer["equals"] = result.equals
            rows = equal_claims.also_known(result.memory, self.trust, why=body.rationale, at=at)
            answer["also_known"] = [Known.from_row(row.memory) for row in rows]
        return Response(answer, headers=etag(answer["version"]))

    write.__doc__ = verb.act.__doc__
    shape, name = Dismissed if verb is DISMISS else Decided, verb.name.title()
    document = decision(f"{name}Memory", verb.body, verb.example, shape)
    return type(name, (WriteView,), {"needs": DECIDE, "write": document(write)})


class Undo(WriteView):
    needs = DECIDE

    @operation("UndoDecision", "Decisions", Undone, refuses=REFUSES)
    def write(self, request: Request, batch: UUID) -> Response:
        """Undo a decision

        Undoes each change of the batch that nobody has changed since. To redo, undo the undo. Takes no body.
        """
        return Response(Undone.from_row(review.undo(self.trust, batch, at=timezone.now())))
