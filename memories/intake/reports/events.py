"""What an agent reports one by one: events, tool outputs, observations, outcomes, working states. Checked here."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, AliasChoices, BaseModel, Field

from memories.intake.reports.drafts import EventDraft
from memories.intake.reports.payloads import Object, RevisionPolicy
from memories.values import strict_json
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_types import (
    OPTIONAL_IDENTIFIERS,
    DeletionPolicyName,
    Described,
    Given,
    Identifier,
    Instant,
    NotBoolean,
    OutcomeName,
    RepositoryName,
    ScopeName,
    SensitivityName,
    Tags,
    Text,
    YesNo,
    bounded,
    read_body,
    without_absent,
)

# The texts of the published design, word for word; an empty or blank value counts as missing.
REQUIRED = {
    "source": "candidate source is required",
    "event_kind": "event kind is required for event candidates",
    "ref": "event ref is required for event candidates",
    "tool_name": "tool name is required for tool output candidates",
    "subject": "subject is required for observation candidates",
    "predicate": "predicate is required for observation candidates",
    "target_record_id": "target record ID is required for outcome candidates",
    "outcome_status": "outcome status is required for outcome candidates",
    "thread_id": "thread ID is required for working state candidates",
    "state": "task state is required for working state candidates",
    "key": "key is required for memory candidates",
    "category": "category is required for memory candidates",
    "content": "content is required for memory candidates",
}
BLANK_IS_ABSENT = {*REQUIRED, *OPTIONAL_IDENTIFIERS}


Value = Annotated[Any, AfterValidator(bounded)]
Milliseconds = Annotated[  # at most 30 years: sums of them are finite
    float, Field(ge=0, le=1e12, allow_inf_nan=False), NotBoolean
]


class Report(Described):
    """The fields of every report."""

    source: Given = Field(validation_alias=AliasChoices("source", "source_plugin"))
    scope: ScopeName | None = None
    sensitivity: SensitivityName | None = None
    tags: Tags = []
    timestamp: Instant = None
    deletion_policy: DeletionPolicyName | None = None
    """For a new memory; default: `auto_prune`"""

    @property
    def notice(self) -> str | None:
        """A sentence for the caller about how the report was read; None: as it was sent."""
        return None


def _field_schema(description: str, *types: str) -> dict[str, Any]:
    return {"type": [*types] if len(types) > 1 else types[0], "description": description}


# What the pattern rules read of a plugin's run. Anything else may stand beside it: it is kept.
CONTEXT = {
    "company": _field_schema("The company that the input came from or is about", "string"),
    "category": _field_schema("The category that the plugin chose", "string"),
    "user_edited": _field_schema("True where a person changed what the plugin wrote", "boolean"),
    "edit_description": _field_schema("What the person changed; used only with `user_edited`", "string"),
    "entity_value": _field_schema("A person or thing that the run met: a name, an address", "string"),
    "entity_type": _field_schema(
        ("The type of `entity_value`: `person` or `contact` is learned as a contact, any other as a fact"), "string"
    ),
    "run_hour": _field_schema(
        ("The hour of the run, 0-23, in the workspace's time zone; default: that of `timestamp`"), "integer"
    ),
    "input_type": _field_schema("What the plugin worked on", "string"),
    "output_type": _field_schema("What the plugin made", "string"),
    "priority": _field_schema("Stored; no rule uses it", "string", "integer"),
}


class EventReport(Report):
    confidence: ClassVar[int] = 80
    external_id: ClassVar[str | None] = None

    event_kind: Given
    """The kind. Where it names a role (`user_input`, `gen_ai.user.message`, ...) the `summary` is that role's
    message"""
    ref: Given
    summary: Text = ""
    context: Annotated[
        dict[str, Any],
        AfterValidator(bounded),
        Field(
            description="For the run of a plugin: what the pattern rules read. Other keys are stored.",
            json_schema_extra={"properties": CONTEXT},
        ),
    ] = {}
    episode_id: UUID | None = None
    thread_id: Identifier | None = None
    repository: RepositoryName | None = None
    """Where the run works: `owner/name`, or a folder; read from the first event of a run"""

    @property
    def content(self) -> str:
        return self.summary or f"{self.event_kind} {self.ref}"

    @property
    def draft(self) -> EventDraft:
        return EventDraft(
            self.event_kind,
            actor=self.source,
            ref=self.ref,
            summary=self.summary,
            context=self.context,
            at=self.timestamp,
        )


class ToolOutputReport(Report):
    confidence: ClassVar[int] = 90
    external_id: ClassVar[str | None] = None

    tool_name: Given
    args: Value = None
    """The arguments. The JSON text of an object is stored as that object, in `result` too"""
    result: Value = None
    ok: YesNo | None = None
    latency_ms: Milliseconds | None = None
    depends_on: Annotated[list[Identifier], Field(max_length=100)] = []
    episode_id: UUID | None = None
    thread_id: Identifier | None = None

    @cached_property
    def values(self) -> dict[str, Any]:
        """Its arguments and result; where they came as JSON text of an object, that object."""
        return {name: strict_json.object_of(value) for name, value in (("args", self.args), ("result", self.result))}

    @property
    def notice(self) -> str | None:
        names = [name for name, value in self.values.items() if value is not getattr(self, name)]
        return f"{' and '.join(names)}: JSON text of an object, kept as that object" if names else None

    @property
    def content(self) -> str:
        args = self.values["args"]
        return f"{self.tool_name} {json.dumps(args, ensure_ascii=False)}" if args else self.tool_name

    @property
    def draft(self) -> EventDraft:
        return EventDraft(
            "tool_call",
            actor=self.source,
            tool=self.tool_name,
            args={} if self.args is None else self.values["args"],
            result=self.values["result"],
            ok=self.ok,
            latency_ms=self.latency_ms,
            depends_on=self.depends_on,
            at=self.timestamp,
        )


@dataclass(frozen=True)
class SpanReport:
    """An event that spans of a trace tell: `thread_id` is the trace. `external_id`: of the episode that it opens."""

    draft: EventDraft
    scope: str
    source: str
    thread_id: str
    external_id: str | None

    confidence: ClassVar[int] = 80
    sensitivity: ClassVar[str | None] = None
    deletion_policy: ClassVar[str | None] = None
    notice: ClassVar[str | None] = None
    episode_id: ClassVar[UUID | None] = None
    tags: ClassVar[list[str]] = []

    @property
    def content(self) -> str:
        return self.draft.text or self.draft.tool


class ObservationReport(Report):
    subject: Given
    predicate: Given
    object: Object = None
    revision_policy: RevisionPolicy | None = None  # that of the latest statement about the same, else replace


class OutcomeReport(Report):
    target_record_id: UUID
    outcome_status: OutcomeName
    latency_ms: Milliseconds | None = None
    note: Text = ""


class WorkingStateReport(Report):
    thread_id: Given
    state: Literal["planning", "executing", "blocked", "waiting", "done"]
    next_actions: Annotated[list[Text], Field(max_length=100)] = []
    open_questions: Annotated[list[Text], Field(max_length=100)] = []
    context_summary: Text = ""
    active_constraints: Annotated[list[dict[str, Any]], Field(max_length=100), AfterValidator(bounded)] = []


STATE_FIELDS = tuple(name for name in WorkingStateReport.model_fields if name not in Report.model_fields)  # a payload's


R = TypeVar("R", bound=BaseModel)


def check(shape: type[R], raw: Any, rewording: Callable[[FieldError], FieldError] = lambda error: error) -> R:
    """`raw` as a report of that shape. Invalid names every wrong field, what is missing in the words of REQUIRED, what
    else `rewording` says otherwise in these."""
    try:
        return read_body(
            shape, without_absent(raw, BLANK_IS_ABSENT), rewording=lambda error: rewording(_in_their_words(error))
        )
    except Invalid as invalid:
        raise Invalid(*sorted(invalid.errors, key=_missing_first)) from None


def _in_their_words(error: FieldError) -> FieldError:
    text = REQUIRED.get(error.pointer.removeprefix("/"))
    if error.code == "required" and text:
        return FieldError(error.pointer, "required", text, names_field=True)
    return error


def _missing_first(error: FieldError) -> bool:
    return error.code != "required"
