"""Pages of one episode: its events, its tools, what came around it, and what was learned from it."""

from itertools import accumulate
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet, Subquery, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories import scanning
from memories.intake.episodes.copies import copies, reported_by_others
from memories.models import Episode, Event, Evidence, Memory
from memories.models.episode import LONGEST_TRACE, EpisodeQuerySet, node_id
from memories.models.memory import MemoryQuerySet
from memories.people import trust_of
from memories.scanning import SECRET, credentials
from memories.values import roles
from memories.values.choices import Type
from memories.values.text import as_text
from memories.values.trust import Trust

EVENTS_ON_A_PAGE = 100
MAX_PAGE = 30_000  # characters of text, arguments and results, with their markup
SHOWN_BEFORE = 3  # events before the one that a link leads to
MARKUP = 700  # characters around an event
PARTS = ("text", "args", "result")
AROUND = 4  # events of the same source before and after a single one
OF_THE_THREAD = 8  # other episodes of its thread
MOST_COPIES = 8


@require_safe
def episode(request: HttpRequest, episode_id: UUID) -> HttpResponse:
    trust = trust_of(request.user)
    episodes = Episode.objects.visible_to(trust).filter(memory__in=unexpired_memories()).select_related("memory")
    episodes = episodes.annotate(is_copy=Exists(copies(Episode.objects.filter(pk=OuterRef("pk")))))
    row: Any = get_object_or_404(_with_times(episodes), pk=episode_id)
    events = _events(row, request)
    evidence_rows = Evidence.objects.filter(episode=row).visible_to(trust).select_related("memory__skill")
    evidence_rows = evidence_rows.annotate(position=F("event__position"))
    evidence = list(evidence_rows.order_by("-at", "-pk")[:50])
    calls = list(row.events.calls()) if row.event_count > 1 or any(event.tool for event in events) else []
    context: dict[str, Any] = {
        "episode": row,
        "has_secrets": bool(events) and (SECRET in row.memory.flags or any(map(_holds_secret, events))),
        "events": events,
        "is_later": bool(events) and events[0].position > 1,
        "after": events[-1].position if events and events[-1].position < row.event_count else None,
        "node": node_id(row.pk, 0).removesuffix("0"),
        "calls": calls,
        "most_read": LONGEST_TRACE,
        "span": row.last_event_at - row.first_at if row.first_at and row.last_event_at > row.first_at else None,
        "around": _around(row, trust) if row.event_count == 1 else [],
        "thread": _of_thread(row, trust) if row.thread_id else [],
        "same": _by_others(row, trust) if row.content_sha256 else [],
        "learned_evidence": [item for item in evidence if item.kind != Evidence.Kind.SUPPRESSED],
        "suppressed_evidence": [item for item in evidence if item.kind == Evidence.Kind.SUPPRESSED],
        "slowest": max((event.latency_ms or 0 for event in events), default=0),
    }
    return render(request, "memories/episode.html", context)


def _events(row: Episode, request: HttpRequest) -> list[Event]:
    """The events of the page: those after position `after`; else from SHOWN_BEFORE events before position `at`, if that
    is not among the first ones; else the first ones."""
    after, at = (_number(request.GET.get(name, "")) for name in ("after", "at"))
    events = _events_after(row, after)
    if at and not after and events and events[-1].position < at <= row.event_count:
        events = _events_after(row, at - 1 - SHOWN_BEFORE)
    return events


def _events_after(row: Episode, position: int) -> list[Event]:
    events = _first_fitting(list(row.events.beyond(position).for_reading()[:EVENTS_ON_A_PAGE]))
    for event in events:
        if roles.of(event.role) != roles.SYSTEM:  # its messages are orders by nature
            event.flags = scanning.as_shown(event.flags, *_shown_texts(event))
    return events


def _number(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdigit() else 0  # a superscript two is a digit, and no number


def _with_times(episodes: EpisodeQuerySet) -> EpisodeQuerySet:
    """Annotate the time of the first event, `first_at`, and the milliseconds of all calls, `called_ms`."""
    events = Event.objects.filter(episode=OuterRef("pk")).order_by("position")
    call_times = events.order_by().values("episode").annotate(total=Sum("latency_ms")).values("total")
    episodes_with_times: EpisodeQuerySet = episodes.annotate(
        first_at=Subquery(events.values("at")[:1]), called_ms=Subquery(call_times)
    )
    return episodes_with_times


def _around(episode: Episode, trust: Trust) -> QuerySet[Event]:
    """First events of the episodes before and after this one from its source, itself among them, latest first."""
    rows = Memory.objects.visible_to(trust).unexpired(timezone.now()).filter(type=Type.EPISODIC)
    rows = rows.filter(source=episode.source, scope=episode.scope)
    at = episode.memory.created_at
    before = rows.filter(created_at__lte=at).order_by("-created_at", "-pk").values("pk")[: AROUND + 1]
    later = rows.filter(created_at__gt=at).order_by("created_at", "pk").values("pk")[:AROUND]
    events = Event.objects.filter(episode__in=before.union(later, all=True), position=1).select_related("episode")
    return events.defer("text", "args", "result").order_by("-at", "-pk")


def _of_thread(episode: Episode, trust: Trust) -> QuerySet[Memory]:
    """Other episodes of its thread, latest first."""
    rows = Memory.objects.visible_to(trust).unexpired(timezone.now()).filter(type=Type.EPISODIC)
    rows = rows.filter(thread_id=episode.thread_id).exclude(pk=episode.pk).select_related("episode")
    return rows.order_by("-created_at", "-pk")[:OF_THE_THREAD]


def _by_others(episode: Episode, trust: Trust) -> EpisodeQuerySet:
    rows: EpisodeQuerySet = reported_by_others(episode).visible_to(trust).filter(memory__in=unexpired_memories())
    return rows[:MOST_COPIES]


def _holds_secret(event: Any) -> bool:
    """Whether the shown part of an event holds a secret, also of events stored before scanning existed."""
    return SECRET in event.flags or any(credentials.is_in(text) for text in _shown_texts(event) if text)


def _shown_texts(event: Any) -> tuple[str | None, ...]:
    return (event.said, event.summary, event.args_start, event.result_start)


def unexpired_memories() -> MemoryQuerySet:
    """Memories within their time to live."""
    return Memory.objects.unexpired(timezone.now())


def _first_fitting(events: list[Event]) -> list[Event]:
    """As many events as make a page of readable length, at least one."""
    sizes = accumulate(event.shown_size + MARKUP for event in events)
    fitting_events = [event for event, size in zip(events, sizes, strict=True) if size <= MAX_PAGE]
    return fitting_events or events[:1]


@require_safe
def part(request: HttpRequest, episode_id: UUID, position: int, name: str) -> HttpResponse:
    """One text, argument or result in full, as plain text; secrets are masked."""
    if name not in PARTS:
        raise Http404
    events = Event.objects.visible_to(trust_of(request.user)).select_related("instruction")
    event = get_object_or_404(events, episode=episode_id, position=position, episode__memory__in=unexpired_memories())
    value = event.words if name == "text" else getattr(event, name)
    text = credentials.masked(as_text(value, indent=2))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
