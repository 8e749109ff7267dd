"""Revision and the figures in words, with an example each."""

from typing import Any
from uuid import UUID

from memories import metrics
from memories.api import examples
from memories.api.described import Answer, Operation
from memories.api.schema.answers import NotChanged
from memories.api.schema.memory import Memory
from memories.api.schema.metrics import Metrics
from memories.intake.reports import revisions

TAG = "Revision"
REFUSES = frozenset({404, 409})
OWN = (
    " An agent revises its own; of anything else a proposal is opened (202). Undone by its `batch`. An episode is "
    "never revised (409)."
)


class Revised(Memory):
    """The memory that came of it, as it now stands, and the batch by which it is undone."""

    batch: UUID


NEW: dict[int, Answer] = {201: Revised, 202: NotChanged}
STANDS: dict[int, Answer] = {200: Revised, 202: NotChanged}
_NEW: dict[str, Any] = {
    "content": "Acme pays on net-60 terms",
    "payload": {"evidence": [{"source_type": "mail", "source_id": "m-812", "timestamp": examples.AT}]},
}
_WHY = "the contract was renewed"


def _revision(
    id: str, summary: str, description: str, takes: type[revisions.Body], example: Any, **more: Any
) -> Operation:
    told: dict[str, Any] = {"answers": NEW, "method": "POST", "refuses": REFUSES, **more}
    return Operation(id, TAG, summary, description + OWN, takes=takes, example=example, **told)


SUPERSEDE_MEMORY = _revision(
    "SupersedeMemory",
    "Another memory takes its place",
    "The old one is kept as superseded; the new one has its key, and what was not said of it is as in the old one. "
    "What corrects a confirmed statement of the caller's own is confirmed with its confidence, unless it says another. "
    "A statement names its evidence. A claim that was dismissed is a 409 `dismissed`.",
    revisions.Supersession,
    {"memory": _NEW, "rationale": _WHY},
)
FORK_MEMORY = _revision(
    "ForkMemory",
    "Another memory beside it",
    "Both live; the new one is `derived_from` the old one, and the history of both says so.",
    revisions.Supersession,
    {"memory": _NEW, "rationale": "their subsidiary pays otherwise"},
)
CONTEST_MEMORY = _revision(
    "ContestMemory",
    "Speak against it",
    "It is contested until a person decides. `ref` is the id of the memory that speaks against it, else words, which "
    "are kept as evidence; left out or blank: nothing but the rationale speaks against it.",
    revisions.Contest,
    {"ref": "the invoice of May was paid after 58 days", "rationale": "it does not fit what was seen"},
    answers=STANDS,
)
RETRACT_MEMORY = _revision(
    "RetractMemory",
    "Take it back",
    "It is kept with its history, hidden from what is read by default, and never comes back but by undo.",
    revisions.Retraction,
    {"rationale": "it was about another company"},
    answers=STANDS,
)
MERGE_MEMORIES = _revision(
    "MergeMemories",
    "Several become one",
    "The new one has the tags, evidence and counters of all, the best confidence and the highest sensitivity. All of "
    "them are superseded, or none.",
    revisions.Merger,
    {
        "ids": [examples.ID, "0198c2f0-5f0e-7a52-9d0c-3c1f5a1b7e12"],
        "memory": {"content": "Acme pays on net-30 terms"},
        "rationale": "they say the same",
    },
)
GET_METRICS = Operation(
    "GetMetrics",
    "Caller",
    "Figures of what is remembered",
    "Counted within what the caller may see. Each figure says what it counts. Reads every visible memory once: for a "
    "dashboard, not for every call.",
    {200: Metrics},
    example={
        "collected_at": examples.AT,
        "total_records": 120,
        "records_by_type": {"episodic": 80, "semantic": 35, "working": 1, "competence": 4, "plan_graph": 0},
        "records_by_status": {"candidate": 12, "confirmed": 100, "applied": 5, "superseded": 3},
        "records_by_category": {"fact": 30, "preference": 5},
        "records_by_sensitivity": {"public": 0, "low": 110, "medium": 10},
        "active_records": 115,
        "pinned_records": 2,
        "avg_salience": 0.62,
        "avg_confidence": 71.5,
        "salience_distribution": dict(zip(metrics.TENTHS, [5, 10, 10, 10, 10, 10, 15, 15, 15, 17], strict=True)),
        "confidence_distribution": dict(zip(metrics.TENS, [0, 0, 12, 0, 5, 0, 20, 20, 50, 10], strict=True)),
        "created": {"last_24_hours": 6, "last_7_days": 30, "last_30_days": 100},
        "memory_growth_rate": 0.05,
        "total_audit_entries": 410,
        "audit_last_30_days": {"entries": 160, "reinforcements": 22, "losses": 3},
        "revision_rate": 0.04,
        "retrievals": 240,
        "retrieval_hit_rate": 0.8,
        "retrieval_usefulness": 0.4,
        "competence_success_rate": 0.75,
        "plan_reuse_frequency": None,
        "inbox": {"waiting": 13, "oldest_at": examples.AT},
        "tombstones": {"standing": 2, "hits": 7},
        "active_adaptations": 5,
    },
)
