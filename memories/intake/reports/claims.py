"""What claims come in as: a keyed note, a whole typed memory, a person's teaching. Checked here."""

from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import BeforeValidator, Field, StringConstraints

from memories.intake.reports.events import Report, check
from memories.intake.reports.payloads import Competence, PlanGraph, Triple, check_graph
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import as_text
from memories.values.field_types import (
    LONGEST_KEY,
    SOMETHING,
    CategoryName,
    Identifier,
    Instant,
    Number,
    Tags,
    Text,
    YesNo,
)

SHORTEST_TEACHING, LONGEST_TEACHING = 5, 2_000
ELSEWHERE = {
    "working": "a working state comes in at POST working-states",
    "episodic": "an episode comes in at POST events, tool-outputs or conversations",
}

Key = Annotated[
    str,
    StringConstraints(max_length=LONGEST_KEY, strip_whitespace=True),
    BeforeValidator(as_text),
    Field(json_schema_extra={"pattern": SOMETHING}),
]
Words = Annotated[Text, Field(json_schema_extra={"pattern": SOMETHING})]


class ClaimReport(Report):
    """The fields that every stored claim may have."""

    tags: Tags = []
    company_id: Identifier | None = None
    thread_id: Identifier | None = None
    episode_id: UUID | None = None
    confidence: Number | None = None
    direct: YesNo = False
    expires_at: Instant = None


class NoteReport(ClaimReport):
    """A keyed note: one statement in plain words."""

    key: Key
    category: CategoryName
    content: Words

    @property
    def payload(self) -> None:
        return None


class TypedReport(ClaimReport):
    key: Key | None = None
    content: Words | None = None


class TripleReport(TypedReport):
    """A statement by subject, predicate and object."""

    type: Literal["semantic"]
    category: CategoryName = "fact"
    payload: Triple


class CompetenceReport(TypedReport):
    type: Literal["competence"]
    payload: Competence


class PlanReport(TypedReport):
    type: Literal["plan_graph"]
    payload: PlanGraph


SHAPES: dict[str, type[TypedReport]] = {
    "semantic": TripleReport,
    "competence": CompetenceReport,
    "plan_graph": PlanReport,
}
Statable = NoteReport | TripleReport | CompetenceReport | PlanReport


class TeachingReport(Report):
    """A statement that a person teaches. `category` is detected and `key` proposed unless they are given."""

    source: Literal["User"] = "User"
    content: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=SHORTEST_TEACHING, max_length=LONGEST_TEACHING)
    ] = Field(json_schema_extra={"pattern": r"^\S[\s\S]{3,1998}\S$"})
    category: CategoryName | None = None
    key: Key | None = None
    company_id: Identifier | None = None
    resolve: Literal["update", "separate", "restore"] | None = None
    memory_id: UUID | None = None


def read(raw: Any) -> Statable:
    """The body of POST memories: a note, or with `type` a typed memory. Invalid names every field that is wrong."""
    kind = raw.get("type") if isinstance(raw, dict) else None
    if kind is None or (kind == "semantic" and "payload" not in raw):
        fields = {name: value for name, value in raw.items() if name != "type"} if isinstance(raw, dict) else raw
        return check(NoteReport, fields, _in_our_words)
    if not isinstance(kind, str) or kind not in SHAPES:
        detail = ELSEWHERE.get(str(kind), f"must be one of {', '.join(SHAPES)}")
        raise Invalid(FieldError("/type", "unknown_value", detail))
    report = cast(Statable, check(SHAPES[kind], raw, _in_our_words))
    check_graph(report.payload)
    return report


def read_teaching(raw: Any) -> TeachingReport:
    return check(TeachingReport, raw, _in_our_words)


def _in_our_words(error: FieldError) -> FieldError:
    if error.code == "string_too_short":
        return FieldError(error.pointer, "too_short", f"needs at least {SHORTEST_TEACHING} characters")
    return error
