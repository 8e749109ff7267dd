"""The typed part of a memory that a caller may write, checked at the door: statements, competences, plans.

A working state has its own endpoint (reports.WorkingStateReport), an episode's payload is made from its events. What
the server counts (performance, metrics) is ignored in what callers send.
"""

import hashlib
import json
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from memories.values import strict_json
from memories.values.choices import Type
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import MOST_ERRORS
from memories.values.field_types import Described, Given, Identifier, Instant, NotBoolean, Text, bounded
from memories.values.text import as_text

LONGEST_NAME = 240  # leaves room in a key for the hash of an object
Value = Annotated[Any, AfterValidator(bounded)]
Object = Annotated[Any, BeforeValidator(strict_json.text_of), AfterValidator(bounded)]  # "\"Go\"" and "Go" are one
Record = Annotated[dict[str, Any], AfterValidator(bounded)]


class Validity(Described):
    mode: Literal["global", "conditional", "timeboxed"] = "global"
    conditions: Value = None
    start: Instant = None
    end: Instant = None

    @model_validator(mode="after")
    def _window(self) -> Self:
        if self.mode == "timeboxed" and self.start is None and self.end is None:
            raise PydanticCustomError("window", "a timeboxed fact needs a start or an end")
        if self.start and self.end and self.end <= self.start:
            raise PydanticCustomError("window", "must end after it starts")
        return self


class EvidenceSource(Described):
    source_type: Identifier
    source_id: Identifier
    timestamp: Instant = None


RevisionPolicy = Literal["replace", "fork", "contest"]


def note(**fields: Any) -> dict[str, Any]:
    """The payload of a keyed note, which is a statement of only its words, with the defaults of what is not stated."""
    defaults = {"validity": {"mode": "global"}, "evidence": [], "revision_policy": "replace"}
    return {"kind": "semantic", **defaults, **fields}


class Triple(Described):
    """Subject, predicate and object: what one statement says."""

    kind: Literal["semantic"] = "semantic"
    subject: Given
    predicate: Given
    object: Object = None
    validity: Validity = Validity()
    evidence: Annotated[list[EvidenceSource], Field(max_length=100)] = []
    revision_policy: RevisionPolicy = "replace"

    @property
    def content(self) -> str:
        return content_of(self.subject, self.predicate, self.object)

    @property
    def key(self) -> str:
        return key_of(self.subject, self.predicate, self.object)


class SkillTrigger(Described):
    signal: Text
    conditions: Value = None


class RecipeStep(Described):
    step: Text
    tool: Identifier = ""
    args_schema: Record = {}
    validation: Text = ""


class Competence(Described):
    """How something is done. `performance` is counted by the server."""

    kind: Literal["competence"] = "competence"
    skill_name: Given
    triggers: Annotated[list[SkillTrigger], Field(max_length=100)] = []
    recipe: Annotated[list[RecipeStep], Field(max_length=100)] = []
    required_tools: Annotated[list[Identifier], Field(max_length=100)] = []
    failure_modes: Annotated[list[Value], Field(max_length=100)] = []
    fallbacks: Annotated[list[Value], Field(max_length=100)] = []
    performance: Any = Field(None, exclude=True)
    version: int | Identifier | None = None

    @property
    def content(self) -> str:
        return self.skill_name

    @property
    def key(self) -> str:
        return short(self.skill_name)


class Repeat(Described):
    """How often a step was done in one run. `per`: the parameters that had another value each time."""

    least: Annotated[int, Field(ge=1), NotBoolean] = 1
    most: Annotated[int, Field(ge=1), NotBoolean]
    per: Annotated[list[Identifier], Field(max_length=100)] = []


class PlanNode(Described):
    id: Given
    op: Text = ""
    params: Record = {}
    guards: Value = None
    repeat: Repeat | None = None


class PlanEdge(Described):
    source: Identifier = Field(alias="from")
    to: Identifier
    kind: Literal["data", "control"] = "control"


class PlanGraph(Described):
    """Steps and their order: an acyclic graph whose edges join two different nodes of the plan."""

    kind: Literal["plan_graph"] = "plan_graph"
    plan_id: Given
    version: int | Identifier | None = None
    intent: Text = ""
    constraints: Value = None
    inputs_schema: Record = {}
    outputs_schema: Record = {}
    nodes: Annotated[list[PlanNode], Field(min_length=1, max_length=1_000)]
    edges: Annotated[list[PlanEdge], Field(max_length=10_000)] = []
    metrics: Any = Field(None, exclude=True)

    @property
    def content(self) -> str:
        return self.intent.strip() or self.plan_id

    @property
    def key(self) -> str:
        return short(self.plan_id)


TypedPayload = Triple | Competence | PlanGraph
SHAPES: dict[str, type[TypedPayload]] = {Type.SEMANTIC: Triple, Type.COMPETENCE: Competence, Type.PLAN_GRAPH: PlanGraph}
SERVERS = ("performance", "metrics")  # told by the caller, counted by the server


def check_graph(payload: object, at: str = "/payload") -> None:
    """Invalid: the payload is a plan that is no graph to walk; `at` points to it."""
    errors = _graph_errors(payload) if isinstance(payload, PlanGraph) else ()
    if field_errors := [FieldError(f"{at}{place}", "invalid", why) for place, why in errors]:
        raise Invalid(*field_errors[:MOST_ERRORS])


def _graph_errors(plan: PlanGraph) -> Iterable[tuple[str, str]]:
    """(pointer within the payload, reason) of each fault: double ids, unknown ends, cycles."""
    node_ids: set[str] = set()
    for place, node in enumerate(plan.nodes):
        if node.id in node_ids:
            yield f"/nodes/{place}/id", "is the id of an earlier node"
        node_ids.add(node.id)
    for place, edge in enumerate(plan.edges):
        for name, end in (("from", edge.source), ("to", edge.to)):
            if end not in node_ids:
                yield f"/edges/{place}/{name}", "is not the id of a node"
        if edge.source == edge.to:
            yield f"/edges/{place}/to", "a node cannot come after itself"
    if circle := _circle(plan):
        yield "/edges", f"go in a circle: {' -> '.join(circle)}"


def _circle(plan: PlanGraph) -> list[str]:
    predecessors: dict[str, set[str]] = {}
    for edge in plan.edges:
        if edge.source != edge.to:
            predecessors.setdefault(edge.to, set()).add(edge.source)
    try:
        TopologicalSorter(predecessors).prepare()
    except CycleError as error:
        return list(error.args[1][:20])
    return []


def short(name: str) -> str:
    """The name, shortened for a key: a long one is cut and ends in a hash of the whole."""
    return name if len(name) <= LONGEST_NAME else f"{name[:200]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def stem_of(subject: str, predicate: str) -> str:
    """What the keys of all statements about this subject and predicate begin with."""
    return short(f"{subject}.{predicate}")


def key_of(subject: str, predicate: str, object: Any) -> str:
    """`{subject}.{predicate}#{8 hex of the object}`: the same statement has the same key."""
    text = json.dumps(object, sort_keys=True, ensure_ascii=False)
    return f"{stem_of(subject, predicate)}#{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def content_of(subject: str, predicate: str, object: Any) -> str:
    return f"{subject} {predicate}" + ("" if object is None else f" {as_text(object)}")
