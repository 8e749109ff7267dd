"""Representations of a memory's payload by type, and of how much is known of a former state.

Track records are computed when read.
"""

from datetime import datetime
from typing import Any, Literal

from memories import models
from memories.api.shapes import EXAMPLE_TIME, Count, Json, OpenShape, Shape, Share
from memories.models.as_of import AsOf
from memories.models.former_state import made_at
from memories.values import links
from memories.values.choices import Outcome, OutcomeSource, Status, Type

TODAY = ["times_used", "last_used_at"]
OF_RUNS = {Type.COMPETENCE: ["payload.performance"], Type.PLAN_GRAPH: ["payload.metrics"]}
FIRST_VERSION = 1  # of a competence without a version of its own, until its skill is published


def is_call(event: models.Event) -> bool:
    return event.kind == "tool_call"


def ref_of(event: models.Event) -> str:
    """The id of an event in answers: the server's `node_id` for a tool call, else the caller's `ref`."""
    return event.node_id if is_call(event) else event.ref


class Entry(Shape):
    t: datetime
    event_kind: str
    ref: str
    summary: str

    @classmethod
    def of(cls, event: models.Event) -> Json:
        content = f"tool_call: {event.tool}" if is_call(event) and event.tool else event.words[:500]
        summary = event.summary or content
        return cls.from_row(event, t=event.at, event_kind=event.kind, ref=ref_of(event), summary=summary)


class Node(Shape):
    id: str
    tool: str
    args: Any
    result: Any
    timestamp: datetime
    depends_on: list[str]

    @classmethod
    def of(cls, event: models.Event) -> Json:
        return cls.from_row(event, id=event.node_id, timestamp=event.at)


class EpisodicPayload(Shape):
    """`timeline` and `tool_graph` hold what a write added, or the first 1,000 entries of a single memory; lists leave
    them out."""

    kind: Literal["episodic"]
    title: str
    external_id: str | None
    event_count: Count
    outcome: Outcome | None
    outcome_source: OutcomeSource
    """Where the outcome comes from: a `person`, the agent (`reported`), or inferred from the run's last `checks`, the
    `user`'s next words or by a language `model`. `none`: nothing is known; `person` without an outcome: a person looked
    and cannot tell"""
    outcome_counts: bool
    """False where learning ignores this outcome: COUNT_INFERRED_OUTCOMES excludes its source, or people disagree with
    that source"""
    outcome_at: datetime | None
    closed_at: datetime | None
    """When the episode ended; for a conversation the time of its last message, where messages have times"""
    recorded_at: datetime
    """When the server received it"""
    transcript_removed_at: datetime | None
    """When its events were removed: TRANSCRIPT_RETENTION_DAYS after its end, once all was learned from it"""
    verdict: Literal["", "low", "medium", "high", "unknown"]
    """How likely the run failed, as similar runs told when it was read; '' until then"""
    risk: Share | None
    """The share of similar runs that failed, calibrated on the store's own runs; null where it is not known"""
    extract: bool
    """False: the conversation is stored and indexed, but no language model reads it for skills"""
    environment: dict[str, Any]
    artifacts: list[Any]
    timeline: list[Entry] = []
    tool_graph: list[Node] = []
    truncated: bool = False

    example = {
        "kind": "episodic",
        "title": "",
        "external_id": None,
        "event_count": 1,
        "outcome": "success",
        "outcome_source": "reported",
        "outcome_counts": True,
        "outcome_at": EXAMPLE_TIME,
        "closed_at": EXAMPLE_TIME,
        "recorded_at": EXAMPLE_TIME,
        "transcript_removed_at": None,
        "verdict": "low",
        "risk": 0.12,
        "extract": True,
        "environment": {},
        "artifacts": [],
        "timeline": [
            {"t": EXAMPLE_TIME, "event_kind": "tool_call", "ref": "0198c2f0-1", "summary": "tool_call: get_order"}
        ],
        "tool_graph": [],
        "truncated": False,
    }

    @classmethod
    def of(cls, episode: models.Episode, events: list[models.Event] | None) -> Json:
        environment = {name: value for name, value in episode.environment.items() if name != "chat_history"}
        derived = {"environment": environment, "outcome_source": episode.said_by, "recorded_at": made_at(episode.pk)}
        payload = cls.from_row(episode, kind="episodic", **derived)
        if events is not None:
            payload["timeline"] = [Entry.of(event) for event in events]
            payload["tool_graph"] = [Node.of(event) for event in events if is_call(event)]
            payload["truncated"] = len(events) < episode.event_count
        return payload


class Performance(Shape):
    success_count: Count
    failure_count: Count
    partial_count: Count
    success_rate: Share | None
    avg_latency_ms: float | None
    last_used_at: datetime | None

    example = {
        "success_count": 6,
        "failure_count": 2,
        "partial_count": 0,
        "success_rate": 0.75,
        "avg_latency_ms": 5300.0,
        "last_used_at": EXAMPLE_TIME,
    }

    @classmethod
    def of(cls, row: models.Performance | None) -> Json:
        """Represent a track record; None: nothing was counted yet."""
        row = row or models.Performance()
        return cls.from_row(row, success_count=row.successes, failure_count=row.failures, partial_count=row.partials)


class CompetencePayload(OpenShape):
    """How agents do something, as observed in their runs; `skill` is its published version."""

    kind: Literal["competence"] = "competence"
    skill_name: str = ""
    triggers: list[dict[str, Any]] = []
    recipe: list[dict[str, Any]] = []
    required_tools: list[str] = []
    failure_modes: list[Any] = []
    fallbacks: list[Any] = []
    version: int | str
    """The version that was reported, else that of the published skill; 1 until a version is published"""
    performance: Performance
    skill: dict[str, Any] = {}

    example = {
        "kind": "competence",
        "skill_name": "refund-payment",
        "version": 1,
        "performance": Performance.example,
    }

    @classmethod
    def of(cls, row: models.Memory) -> Json:
        """Represent a competence, without the name of a skill that agents may not download."""
        payload = dict(row.payload)
        skill = payload.pop("skill", None) if row.status in (Status.CONFIRMED, Status.APPLIED) else None
        payload.pop("skill", None)
        if skill:
            payload["skill"] = {**skill, "url": links.skill_package(skill["name"], skill["version"], scope=row.scope)}
        version = payload.get("version")
        if version is None:
            version = (skill or {}).get("version", FIRST_VERSION)
        return payload | {"version": version, "performance": Performance.of(getattr(row, "performance", None))}


class WorkingPayload(Shape):
    kind: Literal["working"]
    thread_id: str
    state: Literal["planning", "executing", "blocked", "waiting", "done"]
    active_constraints: list[dict[str, Any]]
    next_actions: list[str]
    open_questions: list[str]
    context_summary: str
    revision: dict[str, Any] = {}
    """Which memory it superseded, or which superseded it"""

    example = {
        "kind": "working",
        "thread_id": "ticket-812",
        "state": "waiting",
        "active_constraints": [],
        "next_actions": ["refund pay-7 when the customer agrees"],
        "open_questions": ["in full or in part?"],
        "context_summary": "",
    }


class SemanticPayload(OpenShape):
    """A statement. A keyed note has no subject, predicate and object: its text is the content."""

    kind: Literal["semantic"]
    subject: str = ""
    predicate: str = ""
    object: Any = None
    validity: dict[str, Any] = {}
    evidence: list[dict[str, Any]] = []
    revision_policy: Literal["replace", "fork", "contest"] = "replace"

    example = {"kind": "semantic", "subject": "Acme", "predicate": "pays within", "object": "30 days"}


class PlanMetrics(Shape):
    """Counted by the server. A partial outcome counts as an execution, neither as success nor as failure"""

    execution_count: Count
    failure_rate: Share | None
    avg_latency_ms: float | None
    last_executed_at: datetime | None

    @classmethod
    def of(cls, row: models.Performance | None) -> Json:
        """Represent a track record in the terms of plans. `failure_rate`: of successes and failures."""
        row = row or models.Performance()
        failure_rate = None if row.success_rate is None else 1 - row.success_rate
        count = row.uses + row.partials
        return cls.from_row(row, execution_count=count, failure_rate=failure_rate, last_executed_at=row.last_used_at)


class PlanPayload(OpenShape):
    kind: Literal["plan_graph"]
    metrics: PlanMetrics


def stored_payload(row: models.Memory) -> Json:
    """The stored payload of a statement or working state."""
    return {"kind": row.type, **row.payload}


class AsItStood(Shape):
    at: datetime
    reconstructed: Literal["exact", "partial"]
    """`partial`: states were not recorded yet at that time, so this one is computed from the audit trail alone; decay,
    salience and fields that are not audited may have later values"""
    today: list[str]
    """Fields whose former values are not stored: they have their present values"""

    example = {"at": EXAMPLE_TIME, "reconstructed": "exact", "today": TODAY}

    @classmethod
    def of(cls, row: models.Memory, moment: AsOf) -> Json:
        """Represent how a row was found; its annotation `recorded` is that of `with_recorded`."""
        exact = getattr(row, "recorded", True)
        today = TODAY + OF_RUNS.get(Type(row.type), [])
        return cls.from_row(moment, reconstructed="exact" if exact else "partial", today=today)
