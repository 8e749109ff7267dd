"""This room's operations in words, with an example each."""

from typing import Any

from memories.api import examples
from memories.api.described import Operation
from memories.api.plugin_runs import PLUGIN_RUNS
from memories.api.preconditions import IF_MATCH
from memories.api.schema.answers import (
    AcceptedConversation,
    BatchResults,
    EditedMemory,
    NotChanged,
    ProposedMemory,
    StoredConversation,
    WrittenMemory,
)
from memories.api.schema.bodies import BatchReport, Change, ConversationReport
from memories.api.schema.memory import Caller, EventPage, Memory
from memories.api.schema.trails import EvidencePage, HistoryPage, MemoryPage, MemoryWithTrails, RelationPage
from memories.intake.reports.events import (
    EventReport,
    ObservationReport,
    OutcomeReport,
    Report,
    ToolOutputReport,
    WorkingStateReport,
)

INGESTION, READING = "Ingestion", "Memories"
WRITTEN: dict[int, Any] = {201: WrittenMemory, 200: WrittenMemory, 202: NotChanged}
MISSING, REFERRED = frozenset({404}), frozenset({404, 409})


def _report(
    id: str, summary: str, description: str, takes: type[Report], example: dict[str, Any], answers: Any = None
) -> Operation:
    told: dict[str, Any] = {"method": "POST", "takes": takes, "example": example, "refuses": REFERRED}
    return Operation(id, INGESTION, summary, description, answers or WRITTEN, **told)


INGEST_EVENT = _report(
    "IngestEvent",
    "Report an event",
    "One thing that happened. Events of one `episode_id`, or of one thread while its episode is open, join one "
    "episode: 201 opened it, 200 joined it. `payload.timeline` holds what this call added. A closed episode is a "
    "409.\n\n"
    "An event with a `context` is a run of a plugin, whose name is its `source`. Every five minutes five rules read "
    "what is new of each scope, and make candidates of what they find again and again; POST batch has an example for "
    "each. What belongs to one session: events with one `thread_id`; without it the runs of one source without a pause "
    "of two hours.",
    EventReport,
    examples.EVENT,
)
INGEST_TOOL_OUTPUT = _report(
    "IngestToolOutput",
    "Report a tool call and what came back",
    "Joins an episode as an event does. `depends_on` names earlier nodes of the same episode as they were answered: "
    "without episode and thread the call joins the open episode of this agent that the first of them belongs to (of "
    "several that have a node of that name the one opened last, flagged `ambiguous_dependency`). Unknown ones are kept "
    "and flagged. `args` and `result` may be JSON text of an object: they are kept as that object, and `notice` says "
    "so.",
    ToolOutputReport,
    examples.TOOL_OUTPUT,
)
INGEST_OBSERVATION = _report(
    "IngestObservation",
    "Report an observation",
    "A statement. The same again reinforces (200). Another object for the same subject and predicate follows "
    "`revision_policy` where the old one is the caller's own; else a revision is proposed (202).",
    ObservationReport,
    examples.OBSERVATION,
)
INGEST_OUTCOME = _report(
    "IngestOutcome",
    "Report how an episode ended",
    "Closes the episode. A later outcome replaces the first. Only who opened it, or review, may say it.",
    OutcomeReport,
    examples.OUTCOME,
    {200: WrittenMemory},
)
INGEST_WORKING_STATE = _report(
    "IngestWorkingState",
    "Report what an agent is doing right now",
    "One for each scope and thread; the latest replaces the one before (200).",
    WorkingStateReport,
    examples.WORKING_STATE,
)
INGEST_CONVERSATION = Operation(
    "IngestConversation",
    INGESTION,
    "Report a whole conversation",
    "Messages in OpenAI's or Anthropic's form, with tool calls and their results, become one closed episode. The same "
    "`id` again with the same messages is a 200, with others a 409.",
    {201: StoredConversation, 200: StoredConversation, 202: AcceptedConversation},
    method="POST",
    takes=ConversationReport,
    example=examples.CONVERSATION,
)
INGEST_BATCH = Operation(
    "IngestBatch",
    INGESTION,
    "Report up to 1,000 things at once",
    "Valid items are stored in one transaction, each bad one is answered in its place with the problem it would have "
    "had alone. `ingest` opens this door, outcomes need `report`. There is an example for each of the pattern rules.",
    {200: BatchResults},
    method="POST",
    takes=BatchReport,
    example=examples.BATCH,
    more_examples={name: (one.summary, one.body) for name, one in PLUGIN_RUNS.items()},
)
GET_WORKING_STATE = Operation(
    "GetWorkingState",
    INGESTION,
    "What an agent is doing right now",
    "The working state of a thread; of several scopes the one that changed last.",
    {200: Memory},
    example=examples.memory("working"),
    refuses=MISSING,
)
LIST_MEMORIES = Operation(
    "ListMemories",
    READING,
    "Memories, filtered and ordered",
    "What is confirmed or applied and holds now, unless `status` says otherwise; episodes only where `type` names "
    "them, and without their timeline. By `source` or `company_id`: the most certain first, 10 a page, and counted as "
    "used when an agent asks; else newest first, 50 a page.",
    {200: MemoryPage},
    example={"next": None, "previous": None, "results": [examples.memory("semantic")]},
)
GET_MEMORY = Operation(
    "GetMemory",
    READING,
    "One memory, whatever its status",
    "Counts as a use when an agent asks. The ETag is its version. `include` adds its trails, the first 50 of each.",
    {200: MemoryWithTrails},
    example=examples.memory("episodic"),
    refuses=MISSING,
)
EDIT_MEMORY = Operation(
    "EditMemory",
    READING,
    "Change what a memory says",
    "Fields that are not named stay. An agent changes its own; what is not its own, or would bring back what a person "
    "dismissed, becomes a proposal (202). A reviewer's words are held: no rule replaces them. Of a closed memory "
    "only sensitivity and deletion policy change. `batch` is null when nothing is different.",
    {200: EditedMemory, 202: ProposedMemory},
    method="PATCH",
    takes=Change,
    example={"content": "Acme pays within 60 days", "why": "new contract"},
    parameters=(IF_MATCH,),
    refuses=frozenset({404, 412}),
)
LIST_HISTORY = Operation(
    "ListMemoryHistory",
    READING,
    "What was done to a memory, by whom and why",
    "In its order. It outlives the memory.",
    {200: HistoryPage},
    example={"next": None, "previous": None, "results": [examples.HISTORY_ENTRY]},
    refuses=MISSING,
)
LIST_EVIDENCE = Operation(
    "ListMemoryEvidence",
    READING,
    "What speaks for and against a memory",
    "Latest first, each occasion once. Episodes above the caller are left out.",
    {200: EvidencePage},
    example={"next": None, "previous": None, "results": [examples.EVIDENCE_ENTRY]},
    refuses=MISSING,
)
LIST_RELATIONS = Operation(
    "ListMemoryRelations",
    READING,
    "How a memory stands to others",
    "Evidence stands here as `derived_from`. Both ends are within what the caller may see; at most 1,000 of each kind.",
    {200: RelationPage},
    example={"next": None, "previous": None, "results": [examples.RELATION]},
    refuses=MISSING,
)
LIST_EPISODE_EVENTS = Operation(
    "ListEpisodeEvents",
    READING,
    "Everything that happened in an episode",
    "In its order. An episode's id is its memory's.",
    {200: EventPage},
    example={"next": None, "previous": None, "results": [examples.EPISODE_EVENT]},
    refuses=MISSING,
)
GET_ME = Operation(
    "GetMe",
    "Caller",
    "Who is calling",
    "The name, clearance, scopes and permissions that the token or the session gives.",
    {200: Caller},
    example=examples.CALLER,
)
