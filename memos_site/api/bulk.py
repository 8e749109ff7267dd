"""POST memories/bulk: many decisions as one batch. Permission `review`."""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import Field, RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.base import WriteView
from memories.api.openapi import operation
from memories.api.shapes import EXAMPLE_ID, Json, RequestBody, Shape
from memories.intake import equal_claims
from memories.values.choices import Category, Origin, Status, Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import Identifier, Instant, NotBoolean, ScopeName, Tag, read_body
from memos_site import review
from memos_site.api.decisions import DECIDE, Known
from memos_site.review.verbs import OF_MANY, VERBS
from memos_site.review.verbs.attention import Flag
from memos_site.review.verbs.dismissal import reason_text
from memos_site.review.verbs.verb import Why

if TYPE_CHECKING:
    Action = str
else:
    Action = Literal[tuple(verb.name for verb in OF_MANY)]
Kind = Literal["episodic", "semantic", "working", "competence", "plan_graph", "version"]  # proposals: by their ids


class BulkDecision(RequestBody):
    action: Action
    why: Why = ""
    reason: Why = ""
    """A dismissal needs one, here or in `why`"""
    to: Literal["candidate", "confirmed", "applied"] = "confirmed"
    """The new status of a promotion or demotion"""
    pinned: Flag = True
    until: Annotated[datetime | None, *Instant.__metadata__] = None
    """Of a snooze"""


class ManyById(BulkDecision):
    ids: Annotated[list[UUID], Field(min_length=1, json_schema_extra={"maxItems": review.MOST_AT_ONCE})]


class Filter(RequestBody):
    """Selects memories. Without `status`: those that wait in the inbox; with it: those of a list of memories."""

    kind: Kind | None = None
    """The kind of inbox item; only without `status`"""
    status: list[Status] | None = None
    type: Type | None = None
    category: Category | None = None
    source: Identifier | None = None
    origin: Origin | None = None
    company_id: Identifier | None = None
    scope: ScopeName | None = None
    thread_id: Identifier | None = None
    tag: Tag | None = None
    min_confidence: Annotated[int, Field(ge=0, le=100), NotBoolean] | None = None


class ManyByFilter(BulkDecision):
    filter: Filter
    as_of: Annotated[datetime, *Instant.__metadata__]
    """What was created or changed after this is not meant"""


class ManyDecisions(RootModel[ManyById | ManyByFilter]):
    """The memories to decide, and the decision for all of them."""


class Failed(Shape):
    id: UUID
    code: str
    detail: str


class DecidedMany(Shape):
    """The decisions, as one batch with which all can be undone."""

    batch: UUID
    done: list[UUID]
    failed: list[Failed]
    equals: list[UUID]
    """For a dismissal: other memories with the same claim, dismissed as well"""
    also_known: list[Known]
    """For a dismissal: live memories of other scopes with the same claim as one of the first 100; they are not
    dismissed"""


class Bulk(WriteView):
    needs = DECIDE

    @operation(
        "DecideMany",
        "Decisions",
        DecidedMany,
        takes=ManyDecisions,
        example={"action": "dismiss", "ids": [EXAMPLE_ID], "why": "noise"},
    )
    def write(self, request: Request) -> Response:
        """Decide about many memories at once

        By `ids`, or by `filter` and `as_of`: without `status` it finds what waits in the inbox, with it what a list
        of memories shows. Up to 5,000, each on its own: failures are listed and do not stop the others. One batch
        undoes all.

        `ids` may name proposals too: to promote one is to accept it, to dismiss one to reject it. Conflicts and
        flagged memories must be decided one by one.
        """
        at = timezone.now()
        raw: Json = request.data if isinstance(request.data, dict) else {}
        if "filter" in raw and "ids" in raw:
            raise Invalid(FieldError("/filter", "ambiguous", "either ids or a filter"))
        if "filter" in raw:
            by_filter = self.body(ManyByFilter)
            filters, options = by_filter.filter.model_dump(exclude_none=True), _about(by_filter, raw)
            result = review.by_filter(self.trust, filters, by_filter.as_of, by_filter.action, at=at, **options)
        else:
            by_id = self.body(ManyById)
            result = review.by_ids(self.trust, by_id.ids, by_id.action, at=at, **_about(by_id, raw))
        rows = equal_claims.known_rows(equal_claims.known_beside(result.batch, self.trust, at=at))
        return Response({**asdict(result), "also_known": [Known.from_row(row) for row in rows]})


def _about(bulk: BulkDecision, raw: Json) -> Json:
    """Return the rationale and the options of the action, checked as for a single decision."""
    shape = VERBS[bulk.action].body
    single = read_body(shape, {name: raw[name] for name in shape.model_fields if name in raw})
    return {"why": reason_text(bulk.reason, bulk.why), **single.details}
