"""Memories as people read them: the list and the page of one."""

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
RARE = ("source", "scope", "company_id")  # folded away until they are asked for
CHOICES = {"types": Type.choices, "statuses": Status.choices, "categories": Category.choices}
LONGEST_QUESTION = 1_000
RUNS_ON_THE_PAGE = 12
DECISIONS_ON_THE_PAGE = 30
CONTESTS_ON_THE_PAGE = 10
EQUALS_ON_THE_PAGE = 10


@require_safe
def memories(request: HttpRequest) -> HttpResponse:
    asked = {name: request.GET.get(name, "").strip()[:512] for name in FILTERS}
    words = request.GET.get("q", "").strip()[:LONGEST_QUESTION]
    rows = _there(trust_of(request.user)).matching(**asked)
    page = page_of(request, (saying(rows, words) if words else rows).select_related("skill"))
    context = {"page": page, "asked": asked, "words": words, **CHOICES, "narrow": any(asked[name] for name in RARE)}
    return render(request, "memories/list.html", context)


@require_safe
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    rows = with_doubt(with_support(_there(trust))).annotate(is_contest=Relation.objects.contesting(OuterRef("pk")))
    rows = rows.select_related("performance", "skill", "skill_lines", "worth")
    found = get_object_or_404(rows, pk=memory_id)
    if found.type == Type.EPISODIC:
        return redirect("episode", episode_id=found.pk)
    evidence = Evidence.objects.filter(memory=found).visible_to(trust).with_runs(trust)
    history = AuditEntry.objects.visible_to(trust).with_rationale(trust).about("memory", found.pk).reverse()
    decisions = list(history[:DECISIONS_ON_THE_PAGE])
    context = {
        "memory": found,
        "payload": redaction.redacted_payload(found, trust),
        "evidence": evidence.order_by("-at", "-pk")[:RUNS_ON_THE_PAGE],
        "history": decisions,
        "contest": next((entry for entry in decisions if entry.action == "contest"), None),
        "used": usage.contexts_of(found, trust=trust) if found.times_used else [],
        **_beside(found, trust),
        **_contests(found, trust),
    }
    return render(request, "memories/page.html", context)


def _there(trust: Trust) -> MemoryQuerySet:
    return Memory.objects.visible_to(trust).unexpired(timezone.now())


def _beside(memory: Memory, trust: Trust) -> dict[str, Any]:
    """What it changed, what would change it, what claims the same, and what keeps it from coming back."""
    proposals = memory.proposals.visible_to(trust).open().select_related("memory__skill").order_by("opened_at")
    adaptations = memory.adaptations.visible_to(trust).order_by("-applied_at")[:10] if memory.category else []
    tombstones = Tombstone.objects.visible_to(trust).filter(memory_id=memory.pk)
    tombstone = tombstones.order_by("-at", "-pk").first() if memory.status == Status.DISMISSED else None
    equals = equals_of(memory, _there(trust).live()) if memory.status in LIVE else []
    return {
        "proposals": proposals[:20],
        "adaptations": adaptations,
        "tombstone": tombstone,
        "equals": equals[:EQUALS_ON_THE_PAGE],
    }


def _contests(memory: Memory, trust: Trust) -> dict[str, Any]:
    """The memories by which it is contested; and the contested ones against which it speaks itself."""
    found = Relation.objects.contests(trust, at=timezone.now()).filter(Q(source=memory) | Q(target=memory))
    rows: list[Relation] = list(found[:CONTESTS_ON_THE_PAGE]) if getattr(memory, "is_contest", False) else []
    return {
        "opponents": [row.target for row in rows if row.source_id == memory.pk and memory.status == Status.CONTESTED],
        "contested": [
            row.source for row in rows if row.target_id == memory.pk and row.source.status == Status.CONTESTED
        ],
    }


@require_safe
def evidence(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """All of it, page by page."""
    trust = trust_of(request.user)
    found = get_object_or_404(with_support(_there(trust)).select_related("skill"), pk=memory_id)
    rows = Evidence.objects.filter(memory=found).visible_to(trust).with_runs(trust)
    page = page_of(request, rows, LATEST, limit=40)
    return render(request, "memories/evidence.html", {"memory": found, "page": page})
