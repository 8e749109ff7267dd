"""POST batch: up to 1,000 reports in one transaction; valid ones are stored, each bad one is answered in its place."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import operations, problems
from memories.api.base import WriteView
from memories.api.described import described
from memories.api.ingestion import shown, store
from memories.intake import claims, episodes
from memories.intake.claims import Stored
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
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed, NotFound
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
Checked = Report | Draft | Exception
Answer = Ingested | Stored | Exception


@described(operations.INGEST_BATCH)
class Batch(WriteView):
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
        return _read(kind, {name: value for name, value in item.items() if name != "kind"})
    except (Invalid, NotAllowed) as refusal:
        return refusal


def _read(kind: str, body: dict[str, Any]) -> Report | Draft:
    if kind == "conversation":
        return conversation.parse(body)
    return statements.read(body) if kind == "memory" else check(SHAPES[kind], body)


def _stored(checked: list[Checked], *, trust: Trust, at: datetime) -> Iterator[Answer]:
    """In their order; what is written by the statements of one is written together where it follows each other."""
    for verb, group in groupby(checked, key=_together):
        if verb is None:
            yield from (_alone(item, trust=trust, at=at) for item in group)
        else:
            yield from verb(list(group), trust=trust, at=at)


def _together(item: Checked) -> Callable[..., Sequence[Answer]] | None:
    if isinstance(item, EventReport | ToolOutputReport):
        return episodes.record_events
    return episodes.conversations if isinstance(item, Draft) else None


def _alone(item: Checked, *, trust: Trust, at: datetime) -> Answer:
    if isinstance(item, Exception):
        return item
    verb: Callable[..., Answer] = claims.store if isinstance(item, CLAIMS) else store
    try:
        with transaction.atomic():
            return verb(item, trust=trust, at=at)
    except (Invalid, NotAllowed, NotFound, Conflict) as refusal:
        return refusal


def _result(index: int, answer: Answer, *, at: datetime) -> dict[str, Any]:
    if isinstance(answer, Exception):
        refused = problems.of(answer)
        assert refused is not None
        return {"index": index, "status": refused["status"], "error": problem_body(**refused)}
    status, body = shown(_ingested(answer), at=at)
    return {"index": index, "status": status, "memory": body if answer.memory else None}


def _ingested(answer: Ingested | Stored) -> Ingested:
    """Of a claim, what a batch shows: the memory as it now stands, or that nothing is shown."""
    if isinstance(answer, Ingested):
        return answer
    return Ingested(answer.memory, created=answer.created, changed=answer.reinforced, proposal=answer.proposal)
