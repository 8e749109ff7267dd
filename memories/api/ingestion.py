"""POST of single reports: events, tool outputs, observations, outcomes, working states. GET of a working state.

Each answers with the memory: 201 new, 200 joined, updated or reinforced. At the end stand the tools that do the same.
"""

from datetime import datetime

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api.base import ApiView, WriteView
from memories.api.memory_shape import Accepted, Memory, NotChanged, WrittenMemory, memory_example
from memories.api.memory_tools import brief
from memories.api.openapi import Answers, operation
from memories.api.shapes import EXAMPLE_ID, Json
from memories.api.tool import ToolCall, tool
from memories.api.tool_reply import Reply, non_empty
from memories.intake import episodes
from memories.intake.admission import FORGOTTEN
from memories.intake.episodes import Ingested
from memories.intake.reports.events import (
    EventReport,
    ObservationReport,
    OutcomeReport,
    Report,
    ToolOutputReport,
    WorkingStateReport,
    check,
)
from memories.intake.triples import observation
from memories.values.choices import Permission, Type
from memories.values.exceptions import one_of
from memories.values.trust import Trust

WRITTEN: Answers = {201: WrittenMemory, 200: WrittenMemory, 202: NotChanged}
REFUSES = (404, 409)
EVENT: Json = {
    "source": "refund-agent",
    "event_kind": "ticket_opened",
    "ref": "ticket-812",
    "summary": "The parcel of order-7 arrived broken",
    "thread_id": "ticket-812",
    "scope": "project:shop",
    "context": {"channel": "mail"},
}
TOOL_OUTPUT: Json = {
    "source": "refund-agent",
    "tool_name": "get_order",
    "args": {"order_id": "order-7"},
    "result": {"payment_id": "pay-7", "state": "delivered"},
    "ok": True,
    "latency_ms": 41.5,
    "thread_id": "ticket-812",
    "scope": "project:shop",
}
OBSERVATION: Json = {
    "source": "refund-agent",
    "subject": "Acme",
    "predicate": "pays within",
    "object": "30 days",
    "scope": "project:shop",
    "tags": ["billing"],
}
OUTCOME: Json = {
    "source": "refund-agent",
    "target_record_id": EXAMPLE_ID,
    "outcome_status": "success",
    "latency_ms": 5300,
    "note": "refunded in full",
}
WORKING_STATE: Json = {
    "source": "refund-agent",
    "thread_id": "ticket-812",
    "state": "waiting",
    "next_actions": ["refund pay-7 when the customer agrees"],
    "open_questions": ["in full or in part?"],
    "scope": "project:shop",
}


def store(report: Report, *, trust: Trust, at: datetime) -> Ingested:
    """Store one validated report by the operation of its kind; raises its refusal."""
    if isinstance(report, EventReport | ToolOutputReport):
        [answer] = episodes.record_events([report], trust=trust, at=at)
        if isinstance(answer, Exception):
            raise answer
        return answer
    if isinstance(report, ObservationReport):
        return observation(report, trust=trust, at=at)
    if isinstance(report, OutcomeReport):
        return episodes.outcome(report, trust=trust, at=at)
    assert isinstance(report, WorkingStateReport)
    return episodes.working_state(report, trust=trust, at=at)


def answer_to(result: Ingested, *, at: datetime) -> tuple[int, Json]:
    """The status and body for a stored report, alone or as an item of a batch."""
    if result.memory is None:
        return 202, _hidden_answer(result)
    body = Memory.of(result.memory, at=at, events=result.events or None)
    body |= {"notice": result.notice} if result.notice else {}
    if result.proposal:
        return 202, {**body, "proposal": result.proposal}
    return 201 if result.created else 200, body


def _hidden_answer(result: Ingested) -> Json:
    return Accepted.answer | ({"suppressed": True, "notice": FORGOTTEN} if result.forgotten else {})


class ReportView(WriteView):
    needs = {"POST": (Permission.INGEST,)}

    def ingest(self, shape: type[Report]) -> Response:
        at = timezone.now()
        result = store(check(shape, self.request.data), trust=self.trust, at=at)
        status, body = answer_to(result, at=at)
        return Response(body, status=status)


class Events(ReportView):
    @operation("IngestEvent", "Ingestion", WRITTEN, takes=EventReport, example=EVENT, refuses=REFUSES)
    def write(self, request: Request) -> Response:
        """Report an event

        One thing that happened. Events of one `episode_id`, or of one thread while its episode is open, join one
        episode: 201 opened it, 200 joined it. `payload.timeline` holds what this call added. A closed episode is a 409.

        An event with a `context` is a run of a plugin, whose name is its `source`. Every five minutes five rules read
        what is new of each scope, and make candidates of what they find again and again; POST batch has an example for
        each. What belongs to one session: events with one `thread_id`; without it the runs of one source without a
        pause of two hours.
        """
        return self.ingest(EventReport)


class ToolOutputs(ReportView):
    @operation("IngestToolOutput", "Ingestion", WRITTEN, takes=ToolOutputReport, example=TOOL_OUTPUT, refuses=REFUSES)
    def write(self, request: Request) -> Response:
        """Report a tool call and what came back

        Joins an episode as an event does. `depends_on` lists ids of earlier nodes of the same episode, as returned by
        the server: without episode and thread the call joins this agent's open episode with the first of them (if
        several match, the one opened last, flagged `ambiguous_dependency`). Unknown ids are stored and flagged.
        `args` and `result` may be a JSON object as text: it is stored as an object, and `notice` says so.
        """
        return self.ingest(ToolOutputReport)


class Observations(ReportView):
    @operation("IngestObservation", "Ingestion", WRITTEN, takes=ObservationReport, example=OBSERVATION, refuses=REFUSES)
    def write(self, request: Request) -> Response:
        """Report an observation

        Stores a statement. Repeating it reinforces it (200). Another object for the same subject and predicate
        follows `revision_policy` (default: the one of the latest such statement) if the old one is the caller's own;
        else a revision is proposed (202).
        """
        return self.ingest(ObservationReport)


class Outcomes(ReportView):
    needs = {"POST": (Permission.REPORT,)}

    @operation("IngestOutcome", "Ingestion", WrittenMemory, takes=OutcomeReport, example=OUTCOME, refuses=REFUSES)
    def write(self, request: Request) -> Response:
        """Report how an episode ended

        Closes the episode. A later outcome replaces the first. Only the agent that opened the episode, or a caller
        with `review`, may report it. A `scope` other than the episode's is refused; a higher `sensitivity` raises
        that of the episode. `timestamp`: when the outcome was reported.
        """
        return self.ingest(OutcomeReport)


class WorkingStates(ReportView):
    @operation(
        "IngestWorkingState", "Ingestion", WRITTEN, takes=WorkingStateReport, example=WORKING_STATE, refuses=REFUSES
    )
    def write(self, request: Request) -> Response:
        """Report what an agent is doing right now

        There is one per scope and thread; a new report replaces the previous one (200).
        """
        return self.ingest(WorkingStateReport)


class WorkingState(ApiView):
    needs = {"GET": (Permission.READ,)}
    filters = frozenset({"scope"})

    @operation("GetWorkingState", "Ingestion", Memory, example=memory_example("working"), refuses=(404,))
    def get(self, request: Request, thread_id: str) -> Response:
        """What an agent is doing right now

        Returns the working state of a thread; if several scopes have one, the one that changed last. A state that
        repeats a dismissed claim is visible only to the agent that opened it.
        """
        states, trust = models.Memory.objects.unexpired(timezone.now()).live().filter(type=Type.WORKING), self.trust
        own_states = states.visible_to(trust).filter(created_by_id=trust.actor.identity)
        rows = (states.told_to(trust) | own_states).filter(thread_id=thread_id)
        if "scope" in request.query_params:
            rows = rows.filter(scope=request.query_params["scope"])
        row = one_of(rows.order_by("-updated_at"))
        return Response(Memory.of(row, at=timezone.now()))


@tool(EventReport, Permission.INGEST)
def ingest_event(call: ToolCall) -> Reply:
    """Report one thing that happened; events of one `thread_id` or `episode_id` become one episode."""
    return _ingest(call, EventReport)


@tool(ToolOutputReport, Permission.INGEST)
def ingest_tool_output(call: ToolCall) -> Reply:
    """Report a tool call with its arguments and what came back; it joins the episode of its thread."""
    return _ingest(call, ToolOutputReport)


@tool(ObservationReport, Permission.INGEST)
def ingest_observation(call: ToolCall) -> Reply:
    """Report a fact as subject, predicate and object; the same again strengthens it."""
    return _ingest(call, ObservationReport)


@tool(OutcomeReport, Permission.REPORT, idempotent=True)
def ingest_outcome(call: ToolCall) -> Reply:
    """Report how an episode ended (success, failure, partial), which closes it; `target_record_id` is the episode."""
    return _ingest(call, OutcomeReport)


@tool(WorkingStateReport, Permission.INGEST, idempotent=True)
def ingest_working_state(call: ToolCall) -> Reply:
    """Keep what is going on in a thread: state, next actions, open questions; the latest replaces the one before."""
    return _ingest(call, WorkingStateReport)


def _ingest(call: ToolCall, shape: type[Report]) -> Reply:
    result = store(check(shape, call.arguments), trust=call.trust, at=call.at)
    return ingestion_reply(result, call.trust)


def ingestion_reply(result: Ingested, trust: Trust) -> Reply:
    """The stored memory in brief, with the ids by which later calls refer to it."""
    if result.memory is None:
        return Reply(_hidden_answer(result))
    head = {"created": result.created, "memory": brief(result.memory, trust)}
    if result.memory.type == Type.EPISODIC:
        nodes = [event.node_id for event in result.events if event.kind == "tool_call"]
        head |= {"episode_id": result.memory.pk} | ({"node_ids": nodes} if nodes else {})
    return Reply({**head, **non_empty({"proposal": result.proposal, "notice": result.notice})})


INGESTION_TOOLS = (
    ingest_event,
    ingest_tool_output,
    ingest_observation,
    ingest_outcome,
    ingest_working_state,
)
