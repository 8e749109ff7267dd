"""What requests hold where it is more than one report: messages, batches."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memories.intake.edits import Edit
from memories.intake.reports.claims import CompetenceReport, NoteReport, PlanReport, TripleReport
from memories.intake.reports.conversation import Conversation
from memories.intake.reports.events import (
    EventReport,
    ObservationReport,
    OutcomeReport,
    ToolOutputReport,
    WorkingStateReport,
)
from memories.values.field_types import SOMETHING, Identifier, Instant, Text


class Change(Edit):
    """What is to be different."""

    why: Annotated[str, Field(max_length=2_000)] = ""


class Part(BaseModel):
    """`text`, or Anthropic's `tool_use` (id, name, input) and `tool_result` (tool_use_id, content)."""

    model_config = ConfigDict(extra="allow")

    type: str


class FunctionCall(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: Annotated[str, Field(min_length=1, max_length=512, pattern=SOMETHING)]
    arguments: str | dict[str, Any] = "{}"


class ToolCall(BaseModel):
    model_config = ConfigDict(extra="allow")

    id: Identifier | None = None
    function: FunctionCall


class Message(BaseModel):
    """A message in OpenAI's or Anthropic's form; `name` is the actor, `ref` the caller's id of it."""

    model_config = ConfigDict(extra="allow")

    role: Annotated[str, Field(min_length=1, max_length=32, pattern=SOMETHING)]
    content: Text | list[Part | Text] | None = None
    name: Identifier | None = None
    ref: Identifier | None = None
    timestamp: Instant = None
    tool_calls: list[ToolCall] = []
    tool_call_id: Identifier | None = None


class ConversationReport(Conversation):
    """A whole conversation. Fields that are not named here are kept in the episode's environment."""

    messages: list[Message] = Field(min_length=1)


class EventItem(EventReport):
    kind: Literal["event"]


class ToolOutputItem(ToolOutputReport):
    kind: Literal["tool_output"]


class ObservationItem(ObservationReport):
    kind: Literal["observation"]


class OutcomeItem(OutcomeReport):
    kind: Literal["outcome"]


class WorkingStateItem(WorkingStateReport):
    kind: Literal["working_state"]


class ConversationItem(ConversationReport):
    kind: Literal["conversation"]


class NoteItem(NoteReport):
    kind: Literal["memory"]


class TripleItem(TripleReport):
    kind: Literal["memory"]


class CompetenceItem(CompetenceReport):
    kind: Literal["memory"]


class PlanItem(PlanReport):
    kind: Literal["memory"]


Reported = Annotated[
    EventItem | ToolOutputItem | ObservationItem | OutcomeItem | WorkingStateItem | ConversationItem,
    Field(discriminator="kind"),
]
Item = Reported | NoteItem | TripleItem | CompetenceItem | PlanItem


class BatchReport(BaseModel):
    """Up to 1,000 reports. What is wrong with one of them is answered in its place; the others are stored."""

    model_config = ConfigDict(extra="forbid")

    items: list[Item] = Field(min_length=1, max_length=1_000)
