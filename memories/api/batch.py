"""POST batch: up to 1,000 reports in one transaction; valid ones are stored, each invalid one gets its own error."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any, Literal, Protocol

from django.db import transaction
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import ingestion, problems
from memories.api.base import WriteView
from memories.api.conversations import ConversationReport
from memories.api.memory_shape import ProposedMemory, WrittenMemory
from memories.api.openapi import operation
from memories.api.plugin_run_examples import PLUGIN_RUNS
from memories.api.shapes import Count, Json, Shape
from memories.intake import claim_batch, episodes
from memories.intake.claims import WriteResult
from memories.intake.episodes import Ingested
from memories.intake.reports import claims as statements
from memories.intake.reports import conversation
from memories.intake.reports.claims import CompetenceReport, NoteReport, PlanReport, TripleReport
from memories.intake.reports.conversation import Draft
from memories.intake.reports.events import (
    EventReport,
    ObservationReport,
    OutcomeReport,
    Report,
    ToolOutputReport,
    WorkingStateReport,
    check,
)
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound, within
from memories.values.trust import Trust
from memos_site.platform.problem_details import problem_body

MOST_ITEMS = 1_000
SHAPES: dict[str, type[Report]] = {
    "event": EventReport,
    "tool_output": ToolOutputReport,
    "observation": ObservationReport,
    "outcome": OutcomeReport,
    "working_state": WorkingStateReport,
}
KINDS = (*SHAPES, "memory", "conversation")
CLAIMS = (NoteReport, TripleReport, CompetenceReport, PlanReport)
ParsedItem = Report | Draft | Exception
Answer = Ingested | WriteResult | Exception


class EventItem(EventReport):
    kind: Literal["event"]


class ToolOutputItem(ToolOutputReport):
    kind: Literal["tool_output"]


class ObservationItem(ObservationReport):
    kind: Literal["observation"]


class OutcomeItem(OutcomeReport):
    kind: Literal["outcome"]


class WorkingStateItem(WorkingStateReport):
    kind: Literal["working_state"]


class ConversationItem(ConversationReport):
    kind: Literal["conversation"]


class NoteItem(NoteReport):
    kind: Literal["memory"]


class TripleItem(TripleReport):
    kind: Literal["memory"]


class CompetenceItem(CompetenceReport):
    kind: Literal["memory"]


class PlanItem(PlanReport):
    kind: Literal["memory"]


ReportItem = Annotated[
    EventItem | ToolOutputItem | ObservationItem | OutcomeItem | WorkingStateItem | ConversationItem,
    Field(discriminator="kind"),
]
Item = ReportItem | NoteItem | TripleItem | CompetenceItem | PlanItem


class BatchReport(BaseModel):
    """Up to 1,000 reports. A report with an error is answered with that error in its place; the others are stored."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    items: list[Item] = Field(min_length=1, max_length=MOST_ITEMS)


class StoredItem(Shape):
    index: Count
    status: Literal[200, 201, 202]
    memory: WrittenMemory | ProposedMemory | None


class RefusedItem(Shape):
    index: Count
    status: Annotated[int, Field(ge=400, le=499)]
    error: problems.Refusal


class BatchResults(Shape):
    results: list[StoredItem | RefusedItem]
    """One result for each item, in the order of the request"""


class Batch(WriteView):
    needs = {"POST": (Permission.INGEST, Permission.REPORT)}

    @operation(
        "IngestBatch",
        "Ingestion",
        BatchResults,
        takes=BatchReport,
        example={"items": [{"kind": "event", **ingestion.EVENT}, {"kind": "observation", **ingestion.OBSERVATION}]},
        more_examples={name: (example.summary, example.body) for name, example in PLUGIN_RUNS.items()},
    )
    def write(self, request: Request) -> Response:
        """Report up to 1,000 things at once

        Valid items are stored in one transaction, each invalid one gets its own problem at its position in the
        answer. Needs the permission `ingest`; outcomes need `report`. There is an example for each of the pattern
        rules.
        """
        at = timezone.now()
        items = _items(request.data)
        with transaction.atomic():
            answers = list(_store_all([_parse(item, self.trust) for item in items], trust=self.trust, at=at))
        return Response({"results": [_result(index, answer, at=at) for index, answer in enumerate(answers)]})


def _items(body: Any) -> list[Any]:
    """The unchecked items, which are validated one by one. Invalid: the body has no list of them."""
    if not isinstance(body, dict):
        raise Invalid(FieldError("", "not_an_object", "the body must be a JSON object"))
    if unknown := sorted(set(body) - {"items"}):
        raise Invalid(*(FieldError(within("", name), "unknown_field", "is not one of items") for name in unknown))
    items = body.get("items")
    if not isinstance(items, list) or not 1 <= len(items) <= MOST_ITEMS:
        raise Invalid(FieldError("/items", "invalid", f"must be a list of 1 to {MOST_ITEMS:,} items"))
    return items


def _parse(item: Any, trust: Trust) -> ParsedItem:
    """Validate an item: a report, or its error."""
    try:
        if not isinstance(item, dict):
            raise Invalid(FieldError("", "not_an_object", "an item must be a JSON object"))
        if not (kind := item.get("kind")):
            raise Invalid(FieldError("/kind", "required", "candidate kind is required", names_field=True))
        if kind not in KINDS:
            raise Invalid(FieldError("/kind", "unknown_value", f"must be one of {', '.join(KINDS)}"))
        permission = Permission.REPORT if kind == "outcome" else Permission.INGEST
        if not trust.may(permission):
            raise NotAllowed(f"this needs the permission {permission.value}")
        return _read(kind, {name: value for name, value in item.items() if name != "kind"})
    except (Invalid, NotAllowed) as refusal:
        return refusal


def _read(kind: str, body: Json) -> Report | Draft:
    if kind == "conversation":
        return conversation.parse(body)
    return statements.read(body) if kind == "memory" else check(SHAPES[kind], body)


def _store_all(items: list[ParsedItem], *, trust: Trust, at: datetime) -> Iterator[Answer]:
    """Store items in order; consecutive items of the same kind are written together."""
    for verb, group in groupby(items, key=_batch_verb):
        if verb is None:
            yield from (_store_one(item, trust=trust, at=at) for item in group)
        else:
            yield from verb(list(group), trust=trust, at=at)


class BatchVerb(Protocol):
    """Store items of one kind together; which kind that is, `_batch_verb` sees to."""

    def __call__(self, items: Any, /, *, trust: Trust, at: datetime) -> Sequence[Answer]: ...


def _batch_verb(item: ParsedItem) -> BatchVerb | None:
    if isinstance(item, EventReport | ToolOutputReport):
        return episodes.record_events
    if isinstance(item, (ObservationReport, *CLAIMS)):
        return claim_batch.store
    return episodes.conversations if isinstance(item, Draft) else None


def _store_one(item: ParsedItem, *, trust: Trust, at: datetime) -> Answer:
    if isinstance(item, Exception):
        return item
    assert isinstance(item, OutcomeReport | WorkingStateReport)
    try:
        with transaction.atomic():
            return ingestion.store(item, trust=trust, at=at)
    except (Invalid, NotAllowed, NotFound, Conflict) as refusal:
        return refusal


def _result(index: int, answer: Answer, *, at: datetime) -> Json:
    if isinstance(answer, Exception):
        problem = problems.refusal(answer)
        assert problem is not None
        return {"index": index, "status": problem["status"], "error": problem_body(**problem)}
    status, body = ingestion.answer_to(_as_ingested(answer), at=at)
    return {"index": index, "status": status, "memory": body if answer.memory else None}


def _as_ingested(answer: Ingested | WriteResult) -> Ingested:
    """Convert the result of a claim to the form of a report's result."""
    if isinstance(answer, Ingested):
        return answer
    return Ingested(answer.memory, created=answer.created, changed=answer.reinforced, proposal=answer.proposal)
