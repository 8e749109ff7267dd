"""GET memories/{id}/history, evidence, relations: the audit trail, evidence and relations of a memory."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories import models
from memories.api import paging
from memories.api.base import ApiView
from memories.api.openapi import operation
from memories.api.paging import PAGING
from memories.api.shapes import EXAMPLE_TIME, Json, Page, Shape, Share
from memories.values.choices import ActorKind, Permission, Sensitivity
from memories.values.exceptions import NotFound
from memories.values.field_types import OutcomeName
from memories.values.trust import Trust

MOST_INCLUDED = 50
MOST_RELATIONS = 1_000
DERIVED_FROM = "derived_from"
_ID = "01a1fe2a-8871-7655-8ec1-882eaaefcc21"


class Subject(Shape):
    kind: str
    id: UUID


class HistoryEntry(Shape):
    id: UUID
    subject: Subject
    label: str
    action: str
    actor: str
    actor_kind: ActorKind
    at: datetime
    rationale: str
    before: dict[str, Any]
    """Former values of the changed fields; a text above 2,000 characters as its length and hash"""
    after: dict[str, Any]
    batch: UUID
    """The batch with which the decision can be undone"""
    undoes: UUID | None
    state: str | None
    """The address of the memory as it was before this decision; null where this decision created it, and where that
    state is gone or above the caller's clearance"""

    example = {
        "id": "01a1fe2a-8871-7655-8ec1-882eaaefcc99",
        "subject": {"kind": "memory", "id": _ID},
        "label": "Acme pays on net-30 terms",
        "action": "promote",
        "actor": "anna",
        "actor_kind": "person",
        "at": EXAMPLE_TIME,
        "rationale": "",
        "before": {"status": "candidate"},
        "after": {"status": "confirmed"},
        "batch": "01a1fe2a-8871-7655-8ec1-882eaaefcc98",
        "undoes": None,
        "state": f"https://memos.example/api/v1/memories/{_ID}?as_of=2026-03-01T11%3A59%3A59.999999Z",
    }

    @classmethod
    def of(cls, row: models.AuditEntry) -> Json:
        return cls.from_row(
            row,
            subject={"kind": row.subject_kind, "id": row.subject_id},
            rationale=row.shown_rationale,  # type: ignore[attr-defined]  # by `with_rationale`
            before=_with_names(row.before),
            after=_with_names(row.after),
            batch=row.batch_id,
            state=row.state_address,
        )


def _with_names(change: Json) -> Json:
    """The changed fields, with the name of a level."""
    level = change.get("sensitivity")
    return change if level is None else {**change, "sensitivity": Sensitivity(level).label}


class EvidenceEntry(Shape):
    id: UUID
    occasion: str
    """`episode:<id>`, `thread:<source>/<thread>:<date>` or `request:<id>`. Each occasion counts once for a memory"""
    episode_id: UUID | None
    event_id: UUID | None
    kind: Literal["created", "reinforced", "supports", "contradicts", "suppressed"]
    outcome: OutcomeName | None
    delta: float
    at: datetime
    snapshot: str

    example = {
        "id": "01a1fe2a-8871-7655-8ec1-882eaaefcc97",
        "occasion": f"episode:{_ID}",
        "episode_id": _ID,
        "event_id": None,
        "kind": "reinforced",
        "outcome": "success",
        "delta": 0.1,
        "at": EXAMPLE_TIME,
        "snapshot": "The parcel arrived broken, I want my money back.",
    }


class RelationEntry(Shape):
    source: UUID
    predicate: str
    target: UUID
    weight: Share

    example = {
        "source": _ID,
        "predicate": DERIVED_FROM,
        "target": "01a1fe2a-8871-7655-8ec1-882eaaefcc96",
        "weight": 1.0,
    }

    @classmethod
    def of(cls, row: models.Relation) -> Json:
        return cls.from_row(row, source=row.source_id, target=row.target_id)

    @classmethod
    def of_evidence(cls, row: models.Evidence) -> Json:
        """Show evidence as a `derived_from` relation to its episode."""
        return cls.from_row(row, source=row.memory_id, predicate=DERIVED_FROM, target=row.episode_id, weight=1.0)


class HistoryPage(Page):
    results: list[HistoryEntry]


class EvidencePage(Page):
    results: list[EvidenceEntry]


class RelationPage(Page):
    results: list[RelationEntry]


class TrailView(ApiView):
    needs = {"GET": (Permission.READ,)}

    def require(self, memory_id: UUID) -> None:
        """Raise NotFound unless the caller may see the memory."""
        rows = models.Memory.objects.told_to(self.trust).unexpired(timezone.now())
        if not rows.filter(pk=memory_id).exists():
            raise NotFound


class History(TrailView):
    filters = PAGING

    @operation("ListMemoryHistory", "Memories", HistoryPage, refuses=(404,))
    def get(self, request: Request, memory_id: UUID) -> Response:
        """What was done to a memory, by whom and why

        Oldest first. The history is kept after the memory is forgotten.
        """
        rows = _history(memory_id, self.trust)
        if not rows.exists():
            self.require(memory_id)
        return paging.answer(request, rows, ("at", "id"), show=HistoryEntry.of, at=timezone.now())


class EvidenceList(TrailView):
    filters = PAGING

    @operation("ListMemoryEvidence", "Memories", EvidencePage, refuses=(404,))
    def get(self, request: Request, memory_id: UUID) -> Response:
        """Evidence for and against a memory

        Newest first, each occasion once. Leaves out episodes above the caller's clearance.
        """
        self.require(memory_id)
        rows = _evidence(memory_id, self.trust)
        return paging.answer(request, rows, ("-at", "-id"), show=EvidenceEntry.from_row, at=timezone.now())


class Relations(TrailView):
    @operation("ListMemoryRelations", "Memories", RelationPage, refuses=(404,))
    def get(self, request: Request, memory_id: UUID) -> Response:
        """Relations of a memory to other memories

        Evidence is listed as `derived_from`. Only relations whose both ends the caller may see; at most 1,000 of each
        kind.
        """
        self.require(memory_id)
        return Response({"next": None, "previous": None, "results": _relations(memory_id, self.trust)})


def _history(memory_id: UUID, trust: Trust, until: datetime | None = None) -> Any:
    rows = models.AuditEntry.objects.visible_to(trust).with_rationale(trust).with_state(trust)
    return _by(rows, until, "at").about("memory", memory_id)


def _evidence(memory_id: UUID, trust: Trust, until: datetime | None = None) -> Any:
    """Evidence rows without those of episodes that the caller may not see."""
    rows = models.Evidence.objects.visible_to(trust).filter(memory=memory_id)
    return _by(rows, until, "created_at").of_visible_episodes(trust)


def _relations(memory_id: UUID, trust: Trust, until: datetime | None = None) -> list[Json]:
    """Relations whose both ends the caller may see, and derivations; at most 1,000 of each."""
    visible = models.Memory.objects.told_to(trust).unexpired(timezone.now()).values("pk")
    rows = models.Relation.objects.touching(memory_id).filter(source__in=visible, target__in=visible)
    rows = _by(rows, until, "created_at")
    sources = _evidence(memory_id, trust, until).exclude(episode=None).order_by("-at", "pk")
    return [
        *(RelationEntry.of(row) for row in rows[:MOST_RELATIONS]),
        *(RelationEntry.of_evidence(row) for row in sources[:MOST_RELATIONS]),
    ]


def _by(rows: Any, until: datetime | None, column: str) -> Any:
    """Rows that were there at that instant; None: now."""
    return rows if until is None else rows.filter(**{f"{column}__lte": until})


INCLUDED: dict[str, Callable[[UUID, Trust, datetime | None], list[Json]]] = {
    "history": lambda pk, trust, until: [HistoryEntry.of(row) for row in _history(pk, trust, until)[:MOST_INCLUDED]],
    "evidence": lambda pk, trust, until: [
        EvidenceEntry.from_row(row) for row in _evidence(pk, trust, until).order_by("-at")[:MOST_INCLUDED]
    ],
    "relations": _relations,
}
