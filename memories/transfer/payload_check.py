"""Validation of payloads in foreign rows: members that our pages and searches read must have the right type.

More lenient than for agents: unknown members are kept, since consolidation writes members of its own.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memories.intake.reports.payloads import EvidenceSource, PlanGraph, Validity, check_graph
from memories.transfer.records import ClaimRecord
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import Identifier, Text, read_body

COUNTED_HERE = ("performance", "metrics", "skill")  # by the server, from its own rows
MOST = 1_000
Objects = Annotated[list[dict[str, Any]], Field(max_length=MOST)]
Texts = Annotated[list[Text], Field(max_length=MOST)]


class Stored(BaseModel):
    model_config = ConfigDict(extra="allow", defer_build=True)


class StoredSource(EvidenceSource):
    model_config = ConfigDict(extra="allow", defer_build=True)


class Semantic(Stored):
    subject: Text = ""
    predicate: Text = ""
    validity: Validity = Validity()
    evidence: Annotated[list[StoredSource], Field(max_length=MOST)] = []
    revision_policy: Literal["replace", "fork", "contest"] = "replace"
    revision: dict[str, Any] = {}


class Competence(Stored):
    skill_name: Annotated[Text, Field(min_length=1)]
    triggers: Objects = []
    recipe: Objects = []
    required_tools: Annotated[list[Identifier], Field(max_length=MOST)] = []
    failure_modes: Annotated[list[Any], Field(max_length=MOST)] = []
    fallbacks: Annotated[list[Any], Field(max_length=MOST)] = []
    version: int | Identifier | None = None


class Working(Stored):
    thread_id: Identifier
    state: Literal["planning", "executing", "blocked", "waiting", "done"]
    active_constraints: Objects = []
    next_actions: Texts = []
    open_questions: Texts = []
    context_summary: Text = ""


class Plan(PlanGraph):
    model_config = ConfigDict(extra="allow", populate_by_name=True, defer_build=True)


SHAPES: dict[str, type[BaseModel]] = {
    "semantic": Semantic,
    "competence": Competence,
    "plan_graph": Plan,
    "working": Working,
}


def checked_payload(record: ClaimRecord) -> dict[str, Any]:
    """The payload to store; {} for a statement of words only. Invalid names what is wrong in it."""
    raw = {name: value for name, value in record.payload.items() if value is not None and name not in COUNTED_HERE}
    if record.type == "semantic" and not raw:
        return {}
    if raw.get("kind", record.type) != record.type:
        raise Invalid(FieldError("/payload/kind", "unknown_value", f"must be {record.type}"))
    check_graph(read_body(SHAPES[record.type], raw, at="/payload"))
    return {"kind": record.type, **raw}
