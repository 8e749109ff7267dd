"""What happened, reported by agents. Each answers with the memory: 201 new, 200 joined, updated or reinforced."""

from datetime import datetime
from typing import Any, ClassVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import operations, representations
from memories.api.base import ApiView, WriteView
from memories.api.described import described
from memories.api.representations import NO_EPISODE, NOTHING
from memories.intake import episodes
from memories.intake.admission import FORGOTTEN
from memories.intake.episodes import Ingested
from memories.intake.reports import conversation
from memories.intake.reports.events import (
    EventReport,
    ObservationReport,
    OutcomeReport,
    Report,
    ToolOutputReport,
    WorkingStateReport,
    check,
)
from memories.models import Memory
from memories.values.choices import LIVE, Permission, Type
from memories.values.exceptions import NotFound
from memories.values.trust import Trust

INGEST = {"POST": (Permission.INGEST,)}


def store(report: Report, *, trust: Trust, at: datetime) -> Ingested:
    """One checked report, by the verb of its kind; a refusal is raised."""
    if isinstance(report, EventReport | ToolOutputReport):
        [answer] = episodes.record_events([report], trust=trust, at=at)
        if isinstance(answer, Exception):
            raise answer
        return answer
    if isinstance(report, ObservationReport):
        return episodes.observation(report, trust=trust, at=at)
    if isinstance(report, OutcomeReport):
        return episodes.outcome(report, trust=trust, at=at)
    assert isinstance(report, WorkingStateReport)
    return episodes.working_state(report, trust=trust, at=at)


def shown(stored: Ingested, *, at: datetime) -> tuple[int, dict[str, Any]]:
    """The status and the body that answer a write."""
    if stored.memory is None:
        return 202, NOTHING | ({"suppressed": True, "notice": FORGOTTEN} if stored.forgotten else {})
    body = representations.memory(stored.memory, at=at, events=stored.events or None)
    body |= {"notice": stored.notice} if stored.notice else {}
    if stored.proposal:
        return 202, {**body, "proposal": stored.proposal}
    return 201 if stored.created else 200, body


class Reporting(WriteView):
    needs = INGEST
    shape: ClassVar[type[Report]]

    def write(self, request: Request) -> Response:
        at = timezone.now()
        status, body = shown(store(check(self.shape, request.data), trust=self.trust, at=at), at=at)
        return Response(body, status=status)


@described(operations.INGEST_EVENT)
class Events(Reporting):
    shape = EventReport


@described(operations.INGEST_TOOL_OUTPUT)
class ToolOutputs(Reporting):
    shape = ToolOutputReport


@described(operations.INGEST_OBSERVATION)
class Observations(Reporting):
    shape = ObservationReport


@described(operations.INGEST_OUTCOME)
class Outcomes(Reporting):
    needs = {"POST": (Permission.REPORT,)}
    shape = OutcomeReport


@described(operations.INGEST_WORKING_STATE)
class WorkingStates(Reporting):
    shape = WorkingStateReport


@described(operations.INGEST_CONVERSATION)
class Conversations(WriteView):
    needs = INGEST

    def write(self, request: Request) -> Response:
        at = timezone.now()
        stored = episodes.conversation(conversation.parse(request.data), trust=self.trust, at=at)
        if stored.memory is None:
            return Response(NO_EPISODE, status=202)
        status, episode = shown(stored, at=at)
        return Response({"episode": episode, "run": None}, status=status)


@described(operations.GET_WORKING_STATE)
class WorkingState(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope"})

    def get(self, request: Request, thread_id: str) -> Response:
        there = Memory.objects.visible_to(self.trust).unexpired(timezone.now())
        rows = there.filter(type=Type.WORKING, thread_id=thread_id, status__in=LIVE)
        if "scope" in request.query_params:
            rows = rows.filter(scope=request.query_params["scope"])
        row = rows.order_by("-updated_at").first()
        if row is None:
            raise NotFound
        return Response(representations.memory(row, at=timezone.now()))
