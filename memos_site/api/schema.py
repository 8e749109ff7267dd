"""What the desk takes and answers, field by field, for the OpenAPI schema."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, RootModel

from memories.api.schema.memory import Memory, Page
from memories.api.schema.payloads import Count
from memories.api.schema.problem import Shape
from memories.api.schema.trails import HistoryEntry
from memories.values.choices import Category, RevertReason
from memories.values.field_types import SOMETHING, Instant, SensitivityName
from memos_site.api.filters import Filter
from skills.api.schema import SkillVersion

Why = Annotated[str, Field(max_length=2_000)]
Reason = Annotated[str, Field(min_length=1, max_length=2_000, pattern=SOMETHING)]


class Decided(Memory):
    """The memory as it now stands, and the batch by which the decision is undone."""

    batch: UUID


class Dismissed(Decided):
    equals: list[UUID]
    """Other memories that claim the same, dismissed along in the same batch; none when the reason is `duplicate`"""


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Promotion(Body):
    to: Literal["confirmed", "applied"] = "confirmed"
    why: Why = ""
    """Required where the scan of a skill's version found something critical"""


class Dismissal(Body):
    reason: Reason
    """wrong, stale, duplicate, sensitive, noise, other, or a sentence"""
    why: Why = ""
    """More about it; taken alone where `reason` is empty"""


class Rejection(Dismissal):
    """As of a dismissal: `reason`, and `why` when there is more to say."""


class Demotion(Body):
    to: Literal["candidate", "confirmed"] = "candidate"
    why: Why = ""


class Because(Body):
    why: Why = ""


class Pinning(Body):
    pinned: bool = True
    why: Why = ""


class Snoozing(Body):
    until: Annotated[datetime | None, Instant.__metadata__[0], Instant.__metadata__[1]]
    """In the future; null wakes it"""
    why: Why = ""


class Reversion(Body):
    keep_memory: bool = True
    """False: the memory is dismissed along"""
    why: Why = ""


class Many(Body):
    action: Literal["promote", "demote", "dismiss", "restore", "pin", "snooze"]
    why: Why = ""
    reason: Why = ""
    """A dismissal needs one, here or in `why`"""
    to: Literal["candidate", "confirmed", "applied"] = "confirmed"
    """Of a promotion or demotion"""
    pinned: bool = True
    until: Annotated[datetime | None, Instant.__metadata__[0], Instant.__metadata__[1]] = None
    """Of a snooze"""


class ManyById(Many):
    ids: Annotated[list[UUID], Field(min_length=1, max_length=5_000)]


class ManyByFilter(Many):
    filter: Filter
    as_of: Annotated[datetime, Instant.__metadata__[0], Instant.__metadata__[1]]
    """What was created or changed after this is not meant"""


class ManyDecisions(RootModel[ManyById | ManyByFilter]):
    """Which ones, and what is to be done with each."""


class Failed(Shape):
    id: UUID
    code: str
    detail: str


class DecidedMany(Shape):
    """One batch, by which all of it is undone."""

    batch: UUID
    done: list[UUID]
    failed: list[Failed]
    equals: list[UUID]
    """Of a dismissal: other memories that claim the same, dismissed along"""


class Refused(Shape):
    id: UUID
    why: str


class Undone(Shape):
    """`batch` is the undoing's own: undoing it is redoing."""

    batch: UUID
    undone: list[UUID]
    refused: list[Refused]


class Proposal(Shape):
    id: UUID
    kind: Literal["revision", "merge", "conflict", "failing"]
    memory: UUID
    others: list[UUID]
    change: dict[str, Any]
    """What accepting it does: `verb` and what that takes"""
    resembles: UUID | None
    """A tombstone that the change is like"""
    why: str
    score: float | None
    made_by: str
    evidence: list[Any]
    scope: str
    sensitivity: SensitivityName
    opened_at: datetime
    snoozed_until: datetime | None
    decided_at: datetime | None
    decided_by: str
    decision: Literal["accepted", "rejected", "withdrawn"] | None
    """null: it is open"""


class DecidedProposal(Proposal):
    batch: UUID


class ProposalPage(Page):
    results: list[Proposal]


class Tombstone(Shape):
    id: UUID
    scope: str
    key: str | None
    memory_id: UUID | None
    category: Category | None
    reason: str
    by: str
    at: datetime
    blocks: bool
    """false: a watermark only, the same may be stored again"""
    hits: Count
    last_hit_at: datetime | None
    lifted_at: datetime | None


class LiftedTombstone(Tombstone):
    batch: UUID


class TombstonePage(Page):
    results: list[Tombstone]


class Adaptation(Shape):
    id: UUID
    memory_id: UUID | None
    memory_key: str
    plugin: str
    description: str
    applied_at: datetime
    applied_by: str
    reverted_at: datetime | None
    revert_reason: RevertReason | None


class RevertedAdaptation(Adaptation):
    batch: UUID


class AdaptationPage(Page):
    results: list[Adaptation]


class AuditPage(Page):
    results: list[HistoryEntry]


class DecidedVersion(SkillVersion):
    batch: UUID


class ProposedVersion(SkillVersion):
    """And whose it is."""

    memory_id: UUID
    name: str
    scope: str


class WaitingMemory(Shape):
    kind: Literal["semantic", "competence", "plan_graph", "working", "episodic"]
    memory: Memory
    why: str
    """Why it stands before a person"""


class WaitingVersion(Shape):
    kind: Literal["version"]
    version: ProposedVersion
    why: str


class WaitingProposal(Shape):
    kind: Literal["revision", "merge", "conflict", "failing"]
    proposal: Proposal
    why: str


class InboxPage(Page):
    results: list[WaitingMemory | WaitingVersion | WaitingProposal]


class OpenApiDocument(BaseModel):
    """An OpenAPI 3.1 document."""

    model_config = ConfigDict(extra="allow")

    openapi: str
    info: dict[str, Any]
    paths: dict[str, Any]
