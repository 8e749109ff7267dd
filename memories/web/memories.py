"""Pages of memories: the list, one memory, and its evidence."""

from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories import redaction
from memories.intake.claims import equals_of
from memories.models import AuditEntry, Evidence, Memory, Relation, Tombstone
from memories.models.evidence import with_doubt, with_support
from memories.models.memory import MemoryQuerySet
from memories.models.passage import saying
from memories.people import trust_of
from memories.search import usage
from memories.values.choices import LIVE, Category, Status, Type
from memories.values.trust import Trust
from memories.web.paging import LATEST, page_of

FILTERS = ("type", "status", "category", "source", "scope", "company_id")
FOLDED_FILTERS = ("source", "scope", "company_id")  # collapsed by default
CHOICES = {"types": Type.choices, "statuses": Status.choices, "categories": Category.choices}
MAX_QUESTION = 1_000
RUNS_ON_THE_PAGE = 12
DECISIONS_ON_THE_PAGE = 30
CONTESTS_ON_THE_PAGE = 10
EQUALS_ON_THE_PAGE = 10


@require_safe
def memories(request: HttpRequest) -> HttpResponse:
    filters = {name: request.GET.get(name, "").strip()[:512] for name in FILTERS}
    words = request.GET.get("q", "").strip()[:MAX_QUESTION]
    rows = _visible(trust_of(request.user)).matching(**filters)
    page = page_of(request, (saying(rows, words) if words else rows).select_related("skill"))
    is_filtered = any(filters[name] for name in FOLDED_FILTERS)
    context = {"page": page, "filters": filters, "words": words, "is_filtered": is_filtered, **CHOICES}
    return render(request, "memories/memories.html", context)


@require_safe
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    rows = with_doubt(with_support(_visible(trust))).annotate(is_contest=Relation.objects.contesting(OuterRef("pk")))
    rows = rows.select_related("performance", "skill", "skill_lines", "worth")
    row = get_object_or_404(rows, pk=memory_id)
    if row.type == Type.EPISODIC:
        return redirect("episode", episode_id=row.pk)
    evidence = Evidence.objects.filter(memory=row).visible_to(trust).with_runs(trust)
    history = AuditEntry.objects.visible_to(trust).with_rationale(trust).about("memory", row.pk).reverse()
    decisions = list(history[:DECISIONS_ON_THE_PAGE])
    context = {
        "memory": row,
        "payload": redaction.redacted_payload(row, trust),
        "evidence": evidence.order_by("-at", "-pk")[:RUNS_ON_THE_PAGE],
        "history": decisions,
        "contest_entry": next((entry for entry in decisions if entry.action == "contest"), None),
        "contexts": usage.contexts_of(row, trust=trust) if row.times_used else [],
        **_related_rows(row, trust),
        **_contests(row, trust),
    }
    return render(request, "memories/memory.html", context)


def _visible(trust: Trust) -> MemoryQuerySet:
    return Memory.objects.visible_to(trust).unexpired(timezone.now())


def _related_rows(memory: Memory, trust: Trust) -> dict[str, Any]:
    """Adaptations, proposals, similar claims and tombstones of a memory."""
    proposals = memory.proposals.visible_to(trust).open().select_related("memory__skill").order_by("opened_at")
    adaptations = memory.adaptations.visible_to(trust).order_by("-applied_at")[:10] if memory.category else []
    tombstones = Tombstone.objects.visible_to(trust).filter(memory_id=memory.pk)
    tombstone = tombstones.order_by("-at", "-pk").first() if memory.status == Status.DISMISSED else None
    equals = equals_of(memory, _visible(trust).live()) if memory.status in LIVE else []
    return {
        "proposals": proposals[:20],
        "adaptations": adaptations,
        "tombstone": tombstone,
        "equal_claims": equals[:EQUALS_ON_THE_PAGE],
    }


def _contests(memory: Memory, trust: Trust) -> dict[str, Any]:
    """The memories by which it is contested, and the contested ones against which it speaks."""
    contests = Relation.objects.contests(trust, at=timezone.now()).filter(Q(source=memory) | Q(target=memory))
    rows: list[Relation] = list(contests[:CONTESTS_ON_THE_PAGE]) if getattr(memory, "is_contest", False) else []
    return {
        "opponents": [row.target for row in rows if row.source_id == memory.pk and memory.status == Status.CONTESTED],
        "contested_memories": [
            row.source for row in rows if row.target_id == memory.pk and row.source.status == Status.CONTESTED
        ],
    }


@require_safe
def evidence(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """All evidence of a memory, page by page."""
    trust = trust_of(request.user)
    row = get_object_or_404(with_support(_visible(trust)).select_related("skill"), pk=memory_id)
    rows = Evidence.objects.filter(memory=row).visible_to(trust).with_runs(trust)
    page = page_of(request, rows, LATEST, limit=40)
    return render(request, "memories/evidence.html", {"memory": row, "page": page})
