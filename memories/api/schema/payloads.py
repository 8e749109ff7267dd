"""What a memory says, by its type."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memories.api.schema.problem import Shape
from memories.values.choices import Outcome

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class Entry(Shape):
    t: datetime
    event_kind: str
    ref: str
    summary: str


class Node(Shape):
    id: str
    tool: str
    args: Any
    result: Any
    timestamp: datetime
    depends_on: list[str]


class EpisodicPayload(Shape):
    """`timeline` and `tool_graph`: of a write what it added, of a single memory the first 1,000, absent in lists."""

    kind: Literal["episodic"]
    title: str
    external_id: str | None
    event_count: Count
    outcome: Outcome | None
    outcome_at: datetime | None
    closed_at: datetime | None
    extract: bool
    """False: it is kept and indexed, and no language model reads it for skills"""
    environment: dict[str, Any]
    artifacts: list[Any]
    timeline: list[Entry] = []
    tool_graph: list[Node] = []
    truncated: bool = False


class Performance(Shape):
    success_count: Count
    failure_count: Count
    partial_count: Count
    success_rate: Share | None
    avg_latency_ms: float | None
    last_used_at: datetime | None


class CompetencePayload(BaseModel):
    """What agents do, as it was seen; `skill` is the published version of it."""

    model_config = ConfigDict(extra="allow")

    kind: Literal["competence"] = "competence"
    skill_name: str = ""
    triggers: list[dict[str, Any]] = []
    recipe: list[dict[str, Any]] = []
    required_tools: list[str] = []
    failure_modes: list[Any] = []
    fallbacks: list[Any] = []
    version: int | str
    """The one that was said, else that of the published skill; 1 until one is published"""
    performance: Performance
    skill: dict[str, Any] = {}


class WorkingPayload(Shape):
    kind: Literal["working"]
    thread_id: str
    state: Literal["planning", "executing", "blocked", "waiting", "done"]
    active_constraints: list[dict[str, Any]]
    next_actions: list[str]
    open_questions: list[str]
    context_summary: str
    revision: dict[str, Any] = {}
    """What it superseded, or what superseded it"""


class SemanticPayload(BaseModel):
    """A statement; a keyed note has only its content and category."""

    model_config = ConfigDict(extra="allow")

    kind: Literal["semantic"]
    subject: str = ""
    predicate: str = ""
    object: Any = None
    validity: dict[str, Any] = {}
    evidence: list[dict[str, Any]] = []
    revision_policy: Literal["replace", "fork", "contest"] = "replace"


class PlanMetrics(Shape):
    """Counted by the server; partial outcomes are executions, and count neither as failures nor as successes"""

    execution_count: Count
    failure_rate: Share | None
    avg_latency_ms: float | None
    last_executed_at: datetime | None


class PlanPayload(BaseModel):
    model_config = ConfigDict(extra="allow")

    kind: Literal["plan_graph"]
    metrics: PlanMetrics
