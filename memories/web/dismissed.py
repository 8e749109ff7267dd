"""What was dismissed or forgotten and does not come back: why, by whom, how often it was said again since."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Memory, Tombstone
from memories.people import trust_of
from memories.web.paging import LATEST, page_of


@require_safe
def dismissed(request: HttpRequest) -> HttpResponse:
    """A memory that is gone, or above the reader, is a row without its words."""
    trust, lifted = trust_of(request.user), bool(request.GET.get("lifted"))
    stones = Tombstone.objects.visible_to(trust).filter(blocks=True)
    page = page_of(request, stones.lifted() if lifted else stones.standing(), LATEST)
    buried = Memory.objects.visible_to(trust).unexpired(timezone.now()).select_related("skill")
    words = buried.in_bulk([stone.memory_id for stone in page.rows if stone.memory_id])
    context = {
        "page": page,
        "rows": [(stone, words.get(stone.memory_id)) for stone in page.rows],
        "lifted": lifted,
        "counts": {"standing": stones.standing().count(), "lifted": stones.lifted().count()},
    }
    return render(request, "memories/dismissed.html", context)
