"""Memories as people read them: the list and the page of one."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories import redaction, usage
from memories.choices import Category, Status, Type
from memories.models import AuditEntry, Evidence, Memory, Tombstone
from memories.models.evidence import with_support
from memories.models.memory import MemoryQuerySet
from memories.models.passage import saying
from memories.people import trust_of
from memories.trust import Trust
from memories.views.pages import LATEST, page_of

FILTERS = ("type", "status", "category", "source", "scope", "company_id")
RARE = ("source", "scope", "company_id")  # folded away until they are asked for
CHOICES = {"types": Type.choices, "statuses": Status.choices, "categories": Category.choices}
LONGEST_QUESTION = 1_000
RUNS_ON_THE_PAGE = 12
DECISIONS_ON_THE_PAGE = 30


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
    rows = with_support(_there(trust)).select_related("performance", "skill")
    rows = rows.prefetch_related("skill__versions")
    found = get_object_or_404(rows, pk=memory_id)
    if found.type == Type.EPISODIC:
        return redirect("episode", episode_id=found.pk)
    evidence = Evidence.objects.filter(memory=found).visible_to(trust).with_runs(trust)
    history = AuditEntry.objects.visible_to(trust).with_rationale(trust).about("memory", found.pk).reverse()
    context = {
        "memory": found,
        "payload": redaction.redacted_payload(found, trust),
        "evidence": evidence.order_by("-at", "-pk")[:RUNS_ON_THE_PAGE],
        "history": history[:DECISIONS_ON_THE_PAGE],
        "used": usage.contexts_of(found, trust=trust),
        **_beside(found, trust),
    }
    return render(request, "memories/page.html", context)


def _there(trust: Trust) -> MemoryQuerySet:
    return Memory.objects.visible_to(trust).unexpired(timezone.now())


def _beside(memory: Memory, trust: Trust) -> dict[str, Any]:
    """What it changed, what would change it, and what keeps it from coming back."""
    proposals = memory.proposals.visible_to(trust).open().select_related("memory__skill").order_by("opened_at")
    adaptations = memory.adaptations.visible_to(trust).order_by("-applied_at")
    tombstones = Tombstone.objects.visible_to(trust).filter(memory_id=memory.pk)
    tombstone = tombstones.order_by("-at", "-pk").first() if memory.status == Status.DISMISSED else None
    return {"proposals": proposals[:20], "adaptations": adaptations[:10], "tombstone": tombstone}


@require_safe
def evidence(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """All of it, page by page."""
    trust = trust_of(request.user)
    found = get_object_or_404(with_support(_there(trust)).select_related("skill"), pk=memory_id)
    rows = Evidence.objects.filter(memory=found).visible_to(trust).with_runs(trust)
    page = page_of(request, rows, LATEST, limit=40)
    return render(request, "memories/evidence.html", {"memory": found, "page": page})
