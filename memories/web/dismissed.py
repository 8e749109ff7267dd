"""The page of dismissed and forgotten claims: why, by whom, and how often each was reported again since."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Memory, Tombstone
from memories.people import trust_of
from memories.web.paging import LATEST, page_of


@require_safe
def dismissed(request: HttpRequest) -> HttpResponse:
    """List tombstones; one whose memory is gone, or above the reader, is shown without its content."""
    trust, lifted = trust_of(request.user), bool(request.GET.get("lifted"))
    tombstones = Tombstone.objects.visible_to(trust).filter(blocks=True)
    page = page_of(request, tombstones.lifted() if lifted else tombstones.standing(), LATEST)
    memories = Memory.objects.visible_to(trust).unexpired(timezone.now()).select_related("skill")
    by_id = memories.in_bulk([tombstone.memory_id for tombstone in page.rows if tombstone.memory_id])
    context = {
        "page": page,
        "rows": [(tombstone, by_id.get(tombstone.memory_id)) for tombstone in page.rows],
        "lifted": lifted,
        "counts": {"standing": tombstones.standing().count(), "lifted": tombstones.lifted().count()},
    }
    return render(request, "memories/dismissed.html", context)
