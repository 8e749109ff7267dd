"""What a row of a foreign file is read as: a claim, an episode, an event, a relation or an adaptation.

A reader yields `SourceRow`s; only what is valid here reaches the gate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from memories.models.imported_row import digest_of
from memories.models.passage import LONGEST_REQUEST, MOST_REQUESTS
from memories.scanning import secret_removal
from memories.values.choices import OutcomeSource
from memories.values.exceptions import FieldError, Invalid
from memories.values.field_errors import FIRST_YEAR, LAST_YEAR
from memories.values.field_types import (
    LONGEST_KEY,
    LONGEST_TEXT,
    CategoryName,
    DeletionPolicyName,
    Identifier,
    Number,
    OutcomeName,
    ScopeName,
    SensitivityName,
    Tags,
    Text,
    bounded,
    read_body,
)

StatusName = Literal["candidate", "confirmed", "applied", "contested", "dismissed", "superseded", "retracted"]
KnowledgeType = Literal["semantic", "competence", "plan_graph", "working"]
EvidenceKind = Literal["created", "reinforced", "supports", "contradicts", "suppressed"]
MOST_EVIDENCE = 10_000


def _within_the_calendar(at: datetime) -> datetime:
    if at.tzinfo is None or not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise ValueError(f"must be a time with its zone, from {FIRST_YEAR} to {LAST_YEAR}")
    return at


Moment = Annotated[datetime, AfterValidator(_within_the_calendar)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Percent = Annotated[int, Field(ge=0, le=100)]
Count = Annotated[int, Field(ge=0, le=2_000_000_000)]
Seconds = Annotated[float, Field(ge=0, le=1e10, allow_inf_nan=False)]
Object = Annotated[dict[str, Any], AfterValidator(bounded)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_TEXT)]
Key = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_KEY)]
Name = Annotated[Identifier, Field(min_length=1)]


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, defer_build=True)


class Curve(Record):
    """How salience fades: columns of a memory."""

    salience: Share = 1.0
    salience_at: Moment | None = None
    half_life: Annotated[float, Field(gt=0, le=1e10, allow_inf_nan=False)] | None = None
    min_salience: Share = 0.0
    reinforcement_gain: Share = 0.1
    max_age: Seconds = 0.0
    reinforced_at: Moment | None = None
    pinned: bool = False
    deletion_policy: DeletionPolicyName = "auto_prune"


class TrackRecord(Record):
    successes: Count = 0
    failures: Count = 0
    partials: Count = 0
    latency_total_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    latency_count: Count = 0
    last_used_at: Moment | None = None


class EvidenceRecord(Record):
    occasion: Annotated[str, StringConstraints(min_length=1, max_length=1100)]
    kind: EvidenceKind
    outcome: OutcomeName | None = None
    latency_ms: Number | None = None
    delta: Number = 0
    at: Moment
    snapshot: Annotated[str, StringConstraints(max_length=2_000)] = ""


class RequestRecord(Record):
    """A request by which a memory is found; `position` of its event in the `episode`."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_REQUEST)]
    episode: UUID | None = None
    position: Count = 0


class ConditionRecord(Record):
    of: Literal["argument", "record"]
    field: Name
    test: Literal["is", "is_not", "above", "below"]
    values: Annotated[list[Name], Field(min_length=1, max_length=20)]


class PolicyRecord(Record):
    """The rule about calls that the words of a memory stand for, and what recorded runs said of it."""

    tool: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    conditions: Annotated[list[ConditionRecord], Field(min_length=1, max_length=20)]
    words: Words
    calling: Count
    well: Count
    ill: Count


class MemoryRecord(Record):
    """What every memory may bring along, episodes too."""

    id: UUID | None = None
    scope: ScopeName | None = None
    source: Name
    thread_id: Identifier | None = None
    tags: Tags = []
    sensitivity: SensitivityName | None = None
    confidence: Percent | None = None
    curve: Curve = Curve()
    times_used: Count = 0
    last_used_at: Moment | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    expires_at: Moment | None = None
    ttl: Seconds | None = None


class ClaimRecord(MemoryRecord):
    """A claim, a skill, a plan, a working state. `sources`: its provenance; `reason`: why it was dismissed."""

    type: KnowledgeType = "semantic"
    key: Key | None = None
    category: CategoryName | None = None
    content: Words
    payload: Object = {}
    company_id: Identifier | None = None
    status: StatusName = "candidate"
    reason: Annotated[str, StringConstraints(max_length=2_000)] = ""
    times_confirmed: Count = 0
    sources: Annotated[list[Object], Field(max_length=1_000)] = []
    track_record: TrackRecord | None = None
    policy: PolicyRecord | None = None
    requests: Annotated[list[RequestRecord], Field(max_length=MOST_REQUESTS)] = []
    evidence: Annotated[list[EvidenceRecord], Field(max_length=MOST_EVIDENCE)] | None = None


class EventRecord(Record):
    kind: Name
    at: Moment
    role: Annotated[str, StringConstraints(max_length=32)] = ""
    actor: Identifier = ""
    ref: Identifier = ""
    text: Text = ""
    summary: Text = ""
    tool: Identifier = ""
    args: Annotated[Any, AfterValidator(bounded)] = None
    result: Annotated[Any, AfterValidator(bounded)] = None
    ok: bool | None = None
    latency_ms: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    depends_on: Annotated[list[Identifier], Field(max_length=100)] = []
    context: Object = {}
    flags: Annotated[list[Identifier], Field(max_length=20)] = []


class EpisodeRecord(MemoryRecord):
    """A whole episode. `content` '': the beginning of what was done; `content_sha256`: by which the same conversation
    is known when it is posted again."""

    content: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = ""
    title: Annotated[str, StringConstraints(max_length=500)] = ""
    external_id: Identifier | None = None
    content_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = None
    outcome: OutcomeName | None = None
    outcome_source: OutcomeSource = OutcomeSource.NONE
    outcome_at: Moment | None = None
    closed_at: Moment | None = None
    transcript_removed_at: Moment | None = None
    extract: bool = True
    environment: Object = {}
    artifacts: Annotated[list[Any], AfterValidator(bounded)] = []
    events: Annotated[list[EventRecord], Field(max_length=50_000)]


class LooseEvent(Record):
    """One event of a log: those with one `group` that come together become one episode."""

    group: tuple[str, ...]
    scope: ScopeName | None = None
    source: Name
    thread_id: Identifier | None = None
    outcome: OutcomeName | None = None
    event: EventRecord


class RelationRecord(Record):
    """A link between rows of this file, by their ids there."""

    source: Name
    predicate: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    target: Name
    weight: Share = 1.0
    created_at: Moment | None = None


class AdaptationRecord(Record):
    memory: Name
    plugin: Name
    description: Words
    applied_at: Moment
    reverted_at: Moment | None = None


AnyRecord = ClaimRecord | EpisodeRecord | LooseEvent | RelationRecord | AdaptationRecord


@dataclass(frozen=True)
class LeftOut:
    """A row that is not imported on purpose, and why."""

    why: str


@dataclass(frozen=True)
class SourceRow:
    """One row of a file: what it is read as, or what is wrong with it.

    `table` and `id` name it for people and for a second import; `sha256` is of all that was read of it. `notice`: what
    of it does not come along, told where it is imported.
    """

    table: str
    id: str
    record: AnyRecord | LeftOut | Invalid
    sha256: bytes = b""
    notice: str = ""

    @property
    def label(self) -> str:
        return f"{self.table} {self.id}".strip()

    @property
    def has_id(self) -> bool:
        """Whether its name is more than its place in the file, which is another row in another file."""
        return self.table not in ("line", "entry") and not self.id.startswith("row ")

    def name(self, system: str) -> bytes:
        return name_of(system, self.table, self.id)


def name_of(system: str, table: str, id: str) -> bytes:
    """By what a second import recognises the row."""
    return digest_of(system, table, id)


def check(shape: type[AnyRecord], raw: dict[str, Any], names: Mapping[str, str]) -> AnyRecord:
    """The record with these values. Invalid names the fields as the file does: `names` are its names of ours."""

    def named(error: FieldError) -> FieldError:
        first, slash, rest = error.pointer.removeprefix("/").partition("/")
        return replace(error, pointer=f"/{names.get(first, first)}{slash}{rest}")

    values = secret_removal.at_intake({name: value for name, value in raw.items() if value is not None})
    return read_body(shape, values, rewording=named)
