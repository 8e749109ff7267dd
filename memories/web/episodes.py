"""Pages of episodes: the list, the events and outcome of one, and what was learned from it."""

import json
from itertools import accumulate
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Episode, Event, Evidence, Memory
from memories.models.memory import MemoryQuerySet
from memories.people import trust_of
from memories.scanning import SECRET, credentials
from memories.values.choices import Outcome, Type
from memories.web.paging import page_of

EVENTS_ON_A_PAGE = 100
MAX_PAGE = 40_000  # characters of text, arguments and results
PARTS = ("text", "args", "result")


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    filters = {name: request.GET.get(name, "") for name in ("outcome", "source", "scope")}
    rows = Memory.objects.visible_to(trust_of(request.user)).unexpired(timezone.now())
    rows = rows.filter(type=Type.EPISODIC).select_related("episode")
    if any(filters.values()):
        rows = rows.filter(episode__in=Episode.objects.matching(**filters))
    page = page_of(request, rows)
    return render(request, "memories/episodes.html", {"page": page, "filters": filters, "outcomes": Outcome.choices})


@require_safe
def episode(request: HttpRequest, episode_id: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    episodes = Episode.objects.visible_to(trust).filter(memory__in=unexpired_memories()).select_related("memory")
    row = get_object_or_404(episodes, pk=episode_id)
    after = request.GET.get("after", "")
    numbered = after.isascii() and after.isdigit()  # a superscript two is a digit, and no number
    following = row.events.beyond(int(after) if numbered else 0).for_reading()
    events = _fitting(list(following[:EVENTS_ON_A_PAGE]))
    learned = Evidence.objects.filter(episode=row).visible_to(trust).select_related("memory__skill")
    reveal = wants_secrets(request)
    context: dict[str, Any] = {
        "episode": row,
        "reveal": reveal,
        "has_secrets": SECRET in row.memory.flags or any(_holds_secret(event) for event in events),
        "events": events,
        "after": events[-1].position if events and events[-1].position < row.event_count else None,
        "tools": row.events.tools_used(),
        "learned_evidence": learned.order_by("-at", "-pk")[:50],
    }
    return render(request, "memories/episode.html", context)


def wants_secrets(request: HttpRequest) -> bool:
    return request.GET.get("reveal") == "1"


def _holds_secret(event: Any) -> bool:
    """Whether the shown part of an event holds a secret, also of events stored before scanning existed."""
    shown = (event.said, event.summary, event.args_start, event.result_start)
    return SECRET in event.flags or any(credentials.is_in(text) for text in shown if text)


def unexpired_memories() -> MemoryQuerySet:
    """Memories within their time to live."""
    return Memory.objects.unexpired(timezone.now())


def _fitting(events: list[Event]) -> list[Event]:
    """As many events as make a page of readable length, at least one."""
    sizes = accumulate(event.shown_size for event in events)
    fitting = [event for event, size in zip(events, sizes, strict=True) if size <= MAX_PAGE]
    return fitting or events[:1]


@require_safe
def part(request: HttpRequest, episode_id: UUID, position: int, name: str) -> HttpResponse:
    """One text, argument or result in full, as plain text; secrets are masked unless requested."""
    if name not in PARTS:
        raise Http404
    events = Event.objects.visible_to(trust_of(request.user)).select_related("instruction")
    event = get_object_or_404(events, episode=episode_id, position=position, episode__memory__in=unexpired_memories())
    value = event.words if name == "text" else getattr(event, name)
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    text = text if wants_secrets(request) else credentials.masked(text)
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
