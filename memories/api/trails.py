"""Beside a memory: its history, which outlives it, its evidence and its relations."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import lists, operations
from memories.api.base import ApiView
from memories.api.described import described
from memories.api.lists import PAGING
from memories.models import AuditEntry, Evidence, Memory, Relation
from memories.values.choices import Permission
from memories.values.exceptions import NotFound
from memories.values.field_errors import normalize_instant
from memories.values.trust import Trust

MOST_INCLUDED = 50
DERIVED_FROM = "derived_from"
INSTANTS = ("lifted_at", "snoozed_until")


def entry(row: AuditEntry) -> dict[str, Any]:
    return {
        "id": row.pk,
        "subject": {"kind": row.subject_kind, "id": row.subject_id},
        "label": row.label,
        "action": row.action,
        "actor": row.actor,
        "actor_kind": row.actor_kind,
        "at": row.at,
        "rationale": row.shown_rationale,  # type: ignore[attr-defined]  # by `with_rationale`
        "before": _dated(row.before),
        "after": _dated(row.after),
        "batch": row.batch_id,
        "undoes": row.undoes,
    }


def _dated(values: dict[str, Any]) -> dict[str, Any]:
    """With instants as all others are written; older rows end in `+00:00`."""
    return {name: normalize_instant(value) if name in INSTANTS else value for name, value in values.items()}


def evidence(row: Evidence) -> dict[str, Any]:
    return {
        "id": row.pk,
        "occasion": row.occasion,
        "episode_id": row.episode_id,
        "event_id": row.event_id,
        "kind": row.kind,
        "outcome": row.outcome,
        "delta": row.delta,
        "at": row.at,
        "snapshot": row.snapshot,
    }


def relation(row: Relation) -> dict[str, Any]:
    return {"source": row.source_id, "predicate": row.predicate, "target": row.target_id, "weight": row.weight}


def derived(row: Evidence) -> dict[str, Any]:
    """Evidence as a relation: a memory is derived from the episodes that speak for it."""
    return {"source": row.memory_id, "predicate": DERIVED_FROM, "target": row.episode_id, "weight": 1.0}


def history_of(memory_id: UUID, trust: Trust) -> Any:
    return AuditEntry.objects.visible_to(trust).with_rationale(trust).about("memory", memory_id)


def evidence_of(memory_id: UUID, trust: Trust) -> Any:
    """Of episodes that the caller may not see nothing is shown, not even that they are there."""
    seen = Evidence.objects.visible_to(trust).filter(memory=memory_id)
    return seen.of_visible_episodes(trust)


def relations_of(memory_id: UUID, trust: Trust) -> list[dict[str, Any]]:
    """Those of which the caller may see both ends, and what it is derived from; at most 1,000 of each."""
    seen = Memory.objects.visible_to(trust).unexpired(timezone.now()).values("pk")
    rows = Relation.objects.touching(memory_id).filter(source__in=seen, target__in=seen)
    sources = evidence_of(memory_id, trust).exclude(episode=None).order_by("-at", "pk")
    return [*(relation(row) for row in rows[:1000]), *(derived(row) for row in sources[:1000])]


INCLUDED: dict[str, Callable[[UUID, Trust], list[dict[str, Any]]]] = {
    "history": lambda pk, trust: [entry(row) for row in history_of(pk, trust)[:MOST_INCLUDED]],
    "evidence": lambda pk, trust: [evidence(row) for row in evidence_of(pk, trust).order_by("-at")[:MOST_INCLUDED]],
    "relations": relations_of,
}


class Beside(ApiView):
    needs = {"GET": (Permission.READ,)}

    def require(self, memory_id: UUID) -> None:
        rows = Memory.objects.visible_to(self.trust).unexpired(timezone.now())
        if not rows.filter(pk=memory_id).exists():
            raise NotFound


@described(operations.LIST_HISTORY)
class History(Beside):
    filters = PAGING

    def get(self, request: Request, memory_id: UUID) -> Response:
        rows = history_of(memory_id, self.trust)
        if not rows.exists():
            self.require(memory_id)
        return lists.answer(request, rows, ("at", "id"), show=entry, at=timezone.now())


@described(operations.LIST_EVIDENCE)
class EvidenceList(Beside):
    filters = PAGING

    def get(self, request: Request, memory_id: UUID) -> Response:
        self.require(memory_id)
        rows = evidence_of(memory_id, self.trust)
        return lists.answer(request, rows, ("-at", "-id"), show=evidence, at=timezone.now())


@described(operations.LIST_RELATIONS)
class Relations(Beside):
    def get(self, request: Request, memory_id: UUID) -> Response:
        self.require(memory_id)
        return Response({"next": None, "previous": None, "results": relations_of(memory_id, self.trust)})
