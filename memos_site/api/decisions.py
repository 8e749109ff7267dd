"""POST decisions about one memory and their undo, as on the pages. Permission `review`."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import IF_MATCH, WriteView, allowed_versions, etag
from memories.api.memory_shape import Memory
from memories.api.openapi import M, operation
from memories.api.shapes import EXAMPLE_ID, Json, RequestBody, Shape
from memories.intake import equal_claims
from memories.values.choices import Permission, Status
from memories.values.field_types import SOMETHING, Instant
from memos_site import review

DECIDE = {"POST": (Permission.REVIEW,)}
REFUSES = (404, 409)
STALE = (404, 409, 412)
Why = Annotated[str, Field(max_length=2_000)]
# an empty reason is rejected by `review.decide`, because `why` alone is a reason too
Reason = Annotated[Why, Field(json_schema_extra={"minLength": 1, "pattern": SOMETHING})]
Flag = Annotated[bool, Field(strict=True)]


def joined(reason: str, why: str) -> str:
    """Join a reason and more words about it."""
    return ": ".join(filter(None, (reason.strip(), why.strip())))


class Because(RequestBody):
    why: Why = ""

    @property
    def rationale(self) -> str:
        return self.why

    @property
    def details(self) -> Json:
        """The fields of `review.decide` beside the rationale, those that were given."""
        given = self.model_dump(include=self.model_fields_set - {"why", "reason"})
        return given | ({"to": Status(given["to"])} if "to" in given else {})


class Promotion(Because):
    to: Literal["confirmed", "applied"] = "confirmed"
    why: Why = ""
    """Required where the scan of a skill's version found something critical"""


class Demotion(Because):
    to: Literal["candidate", "confirmed"] = "candidate"


class Dismissal(Because):
    reason: Reason
    """wrong, stale, duplicate, sensitive, noise, other, or a sentence"""
    why: Why = ""
    """More about it; taken alone where `reason` is empty"""

    @model_validator(mode="before")
    @classmethod
    def _without_reason(cls, raw: Any) -> Any:
        return {"reason": "", **raw} if isinstance(raw, dict) else raw

    @property
    def rationale(self) -> str:
        return joined(self.reason, self.why)


class Pinning(Because):
    pinned: Flag = True


class Snoozing(Because):
    until: Annotated[datetime | None, *Instant.__metadata__]
    """In the future; null wakes it"""


class Decided(Memory):
    """The memory as it now stands, and the batch by which the decision is undone."""

    batch: UUID


class Known(Shape):
    """A live memory in another scope that claims the same."""

    id: UUID
    scope: str
    key: str | None
    status: Status

    example = {"id": EXAMPLE_ID, "scope": "project:shop", "key": "acme-terms", "status": "confirmed"}


class Dismissed(Decided):
    equals: list[UUID]
    """Other memories that claim the same, dismissed along in the same batch; none when the reason is `duplicate`"""
    also_known: list[Known]
    """Live memories of other scopes that claim the same: they stay, and each is dismissed by itself"""


class Refused(Shape):
    id: UUID
    why: str


class Undone(Shape):
    """`batch` is the undoing's own: undoing it is redoing."""

    batch: UUID
    undone: list[UUID]
    refused: list[Refused]

    example = {"batch": EXAMPLE_ID, "undone": [EXAMPLE_ID], "refused": []}


class DecisionView(WriteView):
    needs = DECIDE

    def decide(self, memory_id: UUID, verb: str, shape: type[Because]) -> Response:
        """Apply the verb with the options in the body and answer with the memory and the batch."""
        at, body, versions = timezone.now(), self.body(shape), allowed_versions(self.request)
        about: Json = {"why": body.rationale, "versions": versions, **body.details}
        decision = review.decide(self.trust, memory_id, verb, at=at, **about)
        answer = {**Memory.of_id(memory_id, at=at), "batch": decision.batch}
        if verb == "dismiss":
            answer["equals"] = decision.equals
            known = equal_claims.also_known(decision.memory, self.trust, why=body.rationale, at=at)
            answer["also_known"] = [Known.from_row(one.memory) for one in known]
        return Response(answer, headers=etag(answer["version"]))


def decision(id: str, takes: type[Because], example: Json, answer: type[Shape] = Decided) -> Callable[[M], M]:
    """Document a decision about one memory."""
    return operation(id, "Decisions", answer, takes=takes, example=example, parameters=(IF_MATCH,), refuses=STALE)


class Promote(DecisionView):
    @decision("PromoteMemory", Promotion, {"to": "confirmed", "why": "checked against the handbook"})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Promote a memory

        A candidate becomes confirmed, or applied. Of a skill the proposed version is published.
        """
        return self.decide(memory_id, "promote", Promotion)


class Demote(DecisionView):
    @decision("DemoteMemory", Demotion, {"to": "candidate", "why": "only true of one customer"})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Demote a memory

        An applied one becomes confirmed or a candidate, a confirmed one a candidate. Rules move it no more.
        """
        return self.decide(memory_id, "demote", Demotion)


class Dismiss(DecisionView):
    @decision("DismissMemory", Dismissal, {"reason": "stale"}, Dismissed)
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Dismiss a memory and what claims the same

        It leaves what agents read, and the same claim does not come back, whatever its key and category: a tombstone
        counts who tries. What claims the same under another key is dismissed along (`equals`), in the same batch; not
        when the reason is `duplicate`, which keeps the other one. `also_known` says which other scopes know the same:
        nothing is decided there.
        """
        return self.decide(memory_id, "dismiss", Dismissal)


class Restore(DecisionView):
    @decision("RestoreMemory", Because, {"why": "it was right after all"})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Restore a dismissed memory to the inbox

        It becomes a candidate with the confidence that it had; its tombstone is lifted.
        """
        return self.decide(memory_id, "restore", Because)


class Pin(DecisionView):
    @decision("PinMemory", Pinning, {"pinned": True})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Pin a memory, so that it does not fade

        Pinned, it fades no more and is never pruned; unpinned, it fades again from now on.
        """
        return self.decide(memory_id, "pin", Pinning)


class Snooze(DecisionView):
    @decision("SnoozeMemory", Snoozing, {"until": "2999-01-01T09:00:00Z"})
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Snooze a memory in the inbox

        It leaves the inbox until then.
        """
        return self.decide(memory_id, "snooze", Snoozing)


class Undo(WriteView):
    needs = DECIDE

    @operation("UndoDecision", "Decisions", Undone, refuses=REFUSES)
    def write(self, request: Request, batch: UUID) -> Response:
        """Undo a decision

        Everything of a batch that still is as the decision left it. Undo of undo is redo. Takes no body.
        """
        return Response(Undone.from_row(review.undo(self.trust, batch, at=timezone.now())))
