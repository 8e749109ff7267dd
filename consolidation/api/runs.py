"""GET runs: background work with its progress. POST starts, retries, pauses and resumes it (permission `review`)."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal, get_args
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from consolidation import import_run, ordering, set_aside
from consolidation.api.run_shape import Run, RunSummary
from consolidation.models import Run as RunRow
from consolidation.models import bulk_orders
from memories.api import paging
from memories.api.base import ApiView, WriteView
from memories.api.openapi import operation
from memories.api.paging import PAGING, query, some_of
from memories.api.shapes import EXAMPLE_ID, EXAMPLE_TIME, Count, Json, Page, RequestBody, Shape
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid, one_of
from memories.values.field_types import ScopeName

READ_OR_DECIDE = {"GET": (Permission.READ,), "POST": (Permission.REVIEW,)}
DECIDE = {"POST": (Permission.REVIEW,)}
UUID_TEXT = {"type": "string", "format": "uuid"}
Flag = Annotated[bool, Field(strict=True)]
Kind = Literal["consolidate", "patterns", "duplicates", "reembed", "extract", "contrast", "lessons"]
KINDS = [*get_args(Kind), import_run.KIND, bulk_orders.KIND]  # the last two are ordered on pages


class RunOrder(RequestBody):
    """The job to start. `extract` reads one episode, `contrast` one memory (a skill's), `lessons` one scope; the others
    read the whole store."""

    kind: Kind
    episode_id: UUID | None = None
    subject: UUID | None = None
    scope: ScopeName | None = None
    retry_set_aside: Flag = False
    """Also retry what was set aside after three attempts"""

    def about(self) -> UUID | None:
        """The episode or memory. Invalid: it, or the scope, is missing, or the kind takes none."""
        needed = {"extract": "episode_id", "contrast": "subject", "lessons": "scope"}.get(self.kind)
        for name in ("episode_id", "subject", "scope"):
            if (getattr(self, name) is not None) != (name == needed):
                word = "required" if name == needed else "not taken"
                raise Invalid(FieldError(f"/{name}", "invalid", f"is {word} by the kind {self.kind}"))
        if self.retry_set_aside and needed:
            raise Invalid(FieldError("/retry_set_aside", "invalid", "sets nothing aside: retry its failed run"))
        return self.episode_id or self.subject


class RunReason(RequestBody):
    why: Annotated[str, Field(max_length=2_000)] = ""


class RunPage(Page):
    results: list[RunSummary]


class SetAside(Shape):
    kind: Literal["episode", "pattern", "event", "fact", "plan", "message"]
    id: str
    label: str
    """The content of an episode, the signature of a pattern, or the rule that cannot read an event"""
    reason: str
    """The error, or that the worker process died"""
    scope: str
    episode: UUID | None
    at: datetime | None

    example = {
        "kind": "episode",
        "id": EXAMPLE_ID,
        "label": "The parcel of order-7 arrived broken",
        "reason": "ValueError: no sense in it",
        "scope": "project:shop",
        "episode": EXAMPLE_ID,
        "at": EXAMPLE_TIME,
    }


class SetAsideList(Shape):
    results: list[SetAside]

    example = {"results": [SetAside.example]}


class ContrastPrice(Shape):
    """The estimated cost of having the language model compare the cases of a skill or a scope."""

    cases: Count
    """Pairs of a run that ended well and one that failed"""
    tokens_in: Count
    tokens_out: Count
    cost: float | None

    example = {"cases": 6, "tokens_in": 60_000, "tokens_out": 3_000, "cost": 0.02}


class Runs(WriteView):
    needs = READ_OR_DECIDE
    filters_by_method = {"GET": frozenset({"kind", "status", "episode_id", "subject"}) | PAGING}

    @operation(
        "ListRuns",
        "Runs",
        RunPage,
        parameters=(
            some_of("kind", KINDS, "Only of these kinds."),
            some_of("status", RunRow.Status.values, "Only in these statuses."),
            query("episode_id", UUID_TEXT, "Only runs that read this conversation."),
            query("subject", UUID_TEXT, "Only about this memory or episode."),
        ),
    )
    def get(self, request: Request) -> Response:
        """Background work

        Newest first, with progress, counters and calls of the language model.
        """
        rows = RunRow.objects.visible_to(self.trust)
        if kinds := paging.choice(request, "kind", KINDS):
            rows = rows.filter(kind__in=kinds)
        if statuses := paging.choice(request, "status", RunRow.Status.values):
            rows = rows.filter(status__in=statuses)
        for name in ("episode_id", "subject"):
            if name in request.query_params:
                rows = rows.filter(**{name: paging.identifier(request, name)})
        rows, show = rows.with_model_use(), partial(RunSummary.of, trust=self.trust)
        return paging.answer(request, rows, ("-created_at", "-id"), show=show)

    @operation("StartRun", "Runs", {202: Run}, takes=RunOrder, example={"kind": "consolidate"}, refuses=(404, 409))
    def write(self, request: Request) -> Response:
        """Start background work

        The run is queued, and a worker takes it at once. If a run of that kind is already queued, the answer is that
        run.
        """
        body = self.body(RunOrder)
        run = ordering.start(
            body.kind,
            self.trust,
            trigger=RunRow.Trigger.API,
            at=timezone.now(),
            about=body.about(),
            scope=body.scope or "",
            retry_set_aside=body.retry_set_aside,
        )
        return Response(Run.with_steps(run, self.trust), status=202)


class OneRun(ApiView):
    needs = {"GET": (Permission.READ,)}

    @operation("GetRun", "Runs", Run, refuses=(404,))
    def get(self, request: Request, run_id: UUID) -> Response:
        """One run with its steps

        Poll it while its status is queued or running.
        """
        run = one_of(RunRow.objects.visible_to(self.trust).filter(pk=run_id))
        return Response(Run.with_steps(run, self.trust))


class RunDecision(WriteView):
    needs = DECIDE
    verb: ordering.Verb

    def write(self, request: Request, run_id: UUID) -> Response:
        run = ordering.decide(self.verb, run_id, self.trust, why=self.body(RunReason).why, at=timezone.now())
        return Response(Run.with_steps(run, self.trust), status=202)


def _decision(name: str) -> Json:
    return {"id": name, "tag": "Runs", "answers": {202: Run}, "takes": RunReason, "refuses": (404, 409)}


class RetryRun(RunDecision):
    verb = "retry"

    @operation(**_decision("RetryRun"), example={"why": "the disk has room again"})
    def write(self, request: Request, run_id: UUID) -> Response:
        """Retry a failed run

        Continues from the step that failed; steps that succeeded are not repeated.
        """
        return super().write(request, run_id)


class PauseRun(RunDecision):
    verb = "pause"

    @operation(**_decision("PauseRun"), example={"why": "the import first"})
    def write(self, request: Request, run_id: UUID) -> Response:
        """Pause a queued or running run

        It stops after its current batch or step. While a run over everything is paused, the schedule of its kind rests.
        """
        return super().write(request, run_id)


class ResumeRun(RunDecision):
    verb = "resume"

    @operation(**_decision("ResumeRun"), example={})
    def write(self, request: Request, run_id: UUID) -> Response:
        """Resume a paused run"""
        return super().write(request, run_id)


class SetAsideItems(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"limit"})

    @operation("ListSetAside", "Runs", SetAsideList)
    def get(self, request: Request) -> Response:
        """Rows that were set aside after three failed attempts

        Lists up to `limit` rows of each kind, with the reason. POST runs with `retry_set_aside` retries all of them.
        """
        most = paging.number(request, "limit", default=50, least=1, most=200)
        items = set_aside.items(self.trust, most=most)
        return Response({"results": [SetAside.from_row(item) for item in items]})


class RunContrast(ApiView):
    needs = {"GET": (Permission.REVIEW,)}
    filters = frozenset({"subject", "scope"})

    @operation(
        "GetContrastPrice",
        "Runs",
        ContrastPrice,
        parameters=(
            query("subject", UUID_TEXT, "The id of the skill's memory."),
            query("scope", {"type": "string"}, "The scope, for lessons; instead of `subject`."),
        ),
        refuses=(404,),
    )
    def get(self, request: Request) -> Response:
        """Estimate the cost of a `contrast` or `lessons` run

        Call this before starting the run with POST runs and the same `subject` or `scope`.
        """
        if ("subject" in request.query_params) == ("scope" in request.query_params):
            raise Invalid(FieldError("/subject", "required", "is required, or else `scope`"))
        if "scope" in request.query_params:
            price = ordering.lessons_price(self.trust, request.query_params["scope"])
        else:
            price = ordering.contrast_price(self.trust, paging.identifier(request, "subject"))
        return Response(ContrastPrice.from_row(price))
