"""POST batch: up to 1,000 reports in one transaction; valid ones are stored, each bad one is answered in its place."""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import conversation, ingestion
from memories.api import operations, problems
from memories.api.described import described
from memories.api.doors import WritingDoor
from memories.api.ingestion import shown, store
from memories.choices import Permission
from memories.conversation import Draft
from memories.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
from memories.ingestion import Ingested
from memories.reports import (
    EventReport,
    ObservationReport,
    OutcomeReport,
    Report,
    ToolOutputReport,
    WorkingStateReport,
    check,
)
from memories.trust import Trust

MOST_ITEMS = 1_000
SHAPES: dict[str, type[Report]] = {
    "event": EventReport,
    "tool_output": ToolOutputReport,
    "observation": ObservationReport,
    "outcome": OutcomeReport,
    "working_state": WorkingStateReport,
}
KINDS = (*SHAPES, "conversation")
Checked = Report | Draft | Exception
Answer = Ingested | Exception


@described(operations.INGEST_BATCH)
class Batch(WritingDoor):
    needs = {"POST": (Permission.INGEST, Permission.REPORT)}

    def write(self, request: Request) -> Response:
        at = timezone.now()
        items = self.body("items").get("items")
        if not isinstance(items, list) or not 1 <= len(items) <= MOST_ITEMS:
            raise Invalid(FieldError("/items", "invalid", f"must be a list of 1 to {MOST_ITEMS:,} items"))
        with transaction.atomic():
            answers = list(_stored([_checked(item, self.trust) for item in items], trust=self.trust, at=at))
        return Response({"results": [_result(index, answer, at=at) for index, answer in enumerate(answers)]})


def _checked(item: Any, trust: Trust) -> Checked:
    """The item as a report, or why it is none."""
    kind = item.get("kind") if isinstance(item, dict) else None
    try:
        if not kind:
            raise Invalid(FieldError("/kind", "required", "candidate kind is required", names_field=True))
        if kind not in KINDS:
            raise Invalid(FieldError("/kind", "unknown_value", f"must be one of {', '.join(KINDS)}"))
        needed = Permission.REPORT if kind == "outcome" else Permission.INGEST
        if not trust.may(needed):
            raise NotAllowed(f"this needs the permission {needed.value}")
        body = {name: value for name, value in item.items() if name != "kind"}
        return conversation.parse(body) if kind == "conversation" else check(SHAPES[kind], body)
    except (Invalid, NotAllowed) as refusal:
        return refusal


def _stored(checked: list[Checked], *, trust: Trust, at: datetime) -> Iterator[Answer]:
    """In their order; events and tool outputs that follow each other are written together."""
    together = (EventReport, ToolOutputReport)
    for joined, group in groupby(checked, key=lambda item: isinstance(item, together)):
        if joined:
            yield from ingestion.happened(list(group), trust=trust, at=at)  # type: ignore[arg-type]  # by the key
        else:
            yield from (_alone(item, trust=trust, at=at) for item in group)


def _alone(item: Checked, *, trust: Trust, at: datetime) -> Answer:
    if isinstance(item, Exception):
        return item
    verb: Callable[..., Ingested] = ingestion.conversation if isinstance(item, Draft) else store
    try:
        with transaction.atomic():
            return verb(item, trust=trust, at=at)
    except (Invalid, NotAllowed, NotFound, Conflict) as refusal:
        return refusal


def _result(index: int, answer: Answer, *, at: datetime) -> dict[str, Any]:
    if isinstance(answer, Exception):
        refused = problems.of(answer)
        assert refused is not None
        return {"index": index, "status": refused["status"], "error": problems.described(**refused)}
    status, body = shown(answer, at=at)
    return {"index": index, "status": status, "memory": body if answer.memory else None}
