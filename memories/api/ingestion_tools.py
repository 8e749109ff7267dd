"""Tools that report what happens: events, tool outputs, observations, outcomes, working states."""

from memories.api.ingestion import store
from memories.api.memory_shape import Accepted
from memories.api.memory_tools import brief
from memories.api.tool import ToolCall, tool
from memories.api.tool_reply import Reply, filled
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
from memories.values.choices import Permission, Type
from memories.values.trust import Trust


@tool(EventReport, Permission.INGEST)
def ingest_event(call: ToolCall) -> Reply:
    """Report one thing that happened; events of one `thread_id` or `episode_id` become one episode."""
    return _stored(call, EventReport)


@tool(ToolOutputReport, Permission.INGEST)
def ingest_tool_output(call: ToolCall) -> Reply:
    """Report a tool call with its arguments and what came back; it joins the episode of its thread."""
    return _stored(call, ToolOutputReport)


@tool(ObservationReport, Permission.INGEST)
def ingest_observation(call: ToolCall) -> Reply:
    """Report a fact as subject, predicate and object; the same again strengthens it."""
    return _stored(call, ObservationReport)


@tool(OutcomeReport, Permission.REPORT, idempotent=True)
def ingest_outcome(call: ToolCall) -> Reply:
    """Report how an episode ended (success, failure, partial), which closes it; `target_record_id` is the episode."""
    return _stored(call, OutcomeReport)


@tool(WorkingStateReport, Permission.INGEST, idempotent=True)
def ingest_working_state(call: ToolCall) -> Reply:
    """Keep what is going on in a thread: state, next actions, open questions; the latest replaces the one before."""
    return _stored(call, WorkingStateReport)


def _stored(call: ToolCall, shape: type[Report]) -> Reply:
    stored = store(check(shape, call.arguments), trust=call.trust, at=call.at)
    return stored_reply(stored, call.trust)


def stored_reply(stored: Ingested, trust: Trust) -> Reply:
    """What was stored in brief, with the names by which later calls refer to it."""
    if stored.memory is None:
        return Reply(Accepted.answer | ({"suppressed": True, "notice": FORGOTTEN} if stored.forgotten else {}))
    head = {"created": stored.created, "memory": brief(stored.memory, trust)}
    if stored.memory.type == Type.EPISODIC:
        nodes = [event.node_id for event in stored.events if event.kind == "tool_call"]
        head |= {"episode_id": stored.memory.pk} | ({"node_ids": nodes} if nodes else {})
    return Reply({**head, **filled({"proposal": stored.proposal, "notice": stored.notice})})


INGESTION_TOOLS = (
    ingest_event,
    ingest_tool_output,
    ingest_observation,
    ingest_outcome,
    ingest_working_state,
)
