"""What was dismissed or forgotten and does not come back: why, by whom, how often it was said again since."""

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Memory, Tombstone
from memories.people import trust_of
from memories.views.pages import LATEST, page_of


@require_safe
def dismissed(request: HttpRequest) -> HttpResponse:
    """A memory that is gone, or above the reader, is a row without its words."""
    trust, lifted = trust_of(request.user), bool(request.GET.get("lifted"))
    stones = Tombstone.objects.visible_to(trust).filter(blocks=True)
    page = page_of(request, stones.filter(lifted_at__isnull=not lifted), LATEST)
    buried = Memory.objects.visible_to(trust).unexpired(timezone.now()).select_related("skill")
    words = buried.in_bulk([stone.memory_id for stone in page.rows if stone.memory_id])
    counts = stones.aggregate(standing=Count("pk", filter=Q(lifted_at=None)), lifted=Count("lifted_at"))
    context = {
        "page": page,
        "rows": [(stone, words.get(stone.memory_id)) for stone in page.rows],
        "lifted": lifted,
        "counts": counts,
    }
    return render(request, "memories/dismissed.html", context)
