"""Events and tool outputs: each joins the open episode of its thread, or the one it names, or opens one.

Many at once cost as many statements as one: locks and looks first, then one insert a table. Whoever opens an episode of
a thread holds a lock of that thread, so that two first events at one moment find one episode.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from memories.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.ingestion.ingested import Ingested
from memories.ingestion.opening import episode_memory, event, sensitivity_of
from memories.models import AuditEntry, Episode, Event, Memory
from memories.reports import EventReport, ToolOutputReport
from memories.trust import Trust

Happening = EventReport | ToolOutputReport
Refusal = Invalid | NotAllowed | NotFound | Conflict
Thread = tuple[str, str, str]  # scope, source, thread_id
CONFIDENCE = {EventReport: 80, ToolOutputReport: 90}


@dataclass
class Place:
    """Where happenings go: an episode that is there (locked), or a new one; and which of them, in their order."""

    episode: Episode
    is_new: bool
    waiting: list[tuple[int, Happening]] = field(default_factory=list)
    events: list[tuple[int, Event]] = field(default_factory=list)
    raised_from: int | None = None  # the sensitivity it had before something more secret joined it


def happened(reports: Sequence[Happening], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    """Stores all that can be stored, in one transaction; the answer to each stands at its index.

    Refusals: NotAllowed or Invalid (scope, source), NotFound (an episode that is not there or not to be seen), Conflict
    (`episode is closed`).
    """
    answers: dict[int, Ingested | Refusal] = {}
    with transaction.atomic():
        places = _places(reports, answers, trust=trust, at=at)
        for place in places:
            _number(place, trust=trust, at=at)
        _save(places, trust=trust, at=at)
    for place in places:
        visible = trust.sees(scope=place.episode.scope, sensitivity=place.episode.memory.sensitivity) or place.is_new
        for number, (index, added) in enumerate(place.events):
            memory = place.episode.memory if visible else None
            created = place.is_new and number == 0
            answers[index] = Ingested(memory, created, events=[added] if visible else [])
    return [answers[index] for index in range(len(reports))]


def _places(
    reports: Sequence[Happening], answers: dict[int, Ingested | Refusal], *, trust: Trust, at: datetime
) -> list[Place]:
    named: dict[UUID, list[tuple[int, Happening]]] = defaultdict(list)
    threads: dict[Thread, list[tuple[int, Happening]]] = defaultdict(list)
    places = []
    for index, report in enumerate(reports):
        try:
            scope, source = trust.scope_to_write(report.scope), trust.source_to_write(report.source)
        except (Invalid, NotAllowed) as refusal:
            answers[index] = refusal
            continue
        if report.episode_id:
            named[report.episode_id].append((index, report))
        elif report.thread_id:
            threads[scope, source, report.thread_id].append((index, report))
        else:
            places.append(Place(_new((scope, source, ""), report, trust=trust, at=at), True, [(index, report)]))
    return [*_named(named, answers, trust=trust), *_threads(threads, trust=trust, at=at), *places]


def _named(
    named: dict[UUID, list[tuple[int, Happening]]], answers: dict[int, Ingested | Refusal], *, trust: Trust
) -> list[Place]:
    """The episodes that happenings name by id, locked in the order of their ids."""
    if not named:
        return []
    rows = Episode.objects.select_for_update(of=("self",)).select_related("memory").visible_to(trust)
    found = {episode.pk: episode for episode in rows.filter(pk__in=named).order_by("pk")}
    places = []
    for episode_id, waiting in named.items():
        episode = found.get(episode_id)
        refusal = _refusal(episode, trust)
        if episode is None or refusal:
            answers.update({index: refusal or NotFound("no such episode") for index, _ in waiting})
        else:
            places.append(Place(episode, False, waiting))
    return places


def _refusal(episode: Episode | None, trust: Trust) -> Refusal | None:
    if episode is None:
        return NotFound("no such episode")
    if trust.scopes is not None and episode.scope not in trust.scopes:
        return NotAllowed(f"this token may not write into the scope {episode.scope!r}")
    return Conflict("episode is closed") if episode.closed_at else None


def _threads(threads: dict[Thread, list[tuple[int, Happening]]], *, trust: Trust, at: datetime) -> list[Place]:
    """The open episode of each thread, or a new one. The lock of a thread is held until the transaction ends."""
    if not threads:
        return []
    with connection.cursor() as cursor:
        names = sorted(f"memos:thread:{'/'.join(thread)}" for thread in threads)
        lock = "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(%s::text[]) AS name ORDER BY name"
        cursor.execute(lock, [names])
    locked = Episode.objects.select_for_update(of=("self",)).select_related("memory").order_by("pk")
    found = {(row.scope, row.source, row.thread_id): row for row in locked.open_of(threads)}
    places = []
    for thread, waiting in threads.items():
        episode = found.get(thread)
        new = episode or _new(thread, waiting[0][1], trust=trust, at=at)
        places.append(Place(new, episode is None, waiting))
    return places


def _new(thread: Thread, first: Happening, *, trust: Trust, at: datetime) -> Episode:
    scope, source, thread_id = thread
    facts = {"scope": scope, "source": source, "thread_id": thread_id or None}
    memory = episode_memory(
        first.content,
        "event",
        by=trust.actor,
        at=at,
        confidence=CONFIDENCE[type(first)],
        sensitivity=sensitivity_of(first.sensitivity),
        tags=first.tags,
        **facts,
    )
    return Episode(memory=memory, last_event_at=at, **facts)


def _number(place: Place, *, trust: Trust, at: datetime) -> None:
    """Events get the next positions; what comes in above the episode's sensitivity raises it."""
    episode = place.episode
    episode, before = place.episode, place.episode.memory.sensitivity
    for index, report in place.waiting:
        episode.event_count += 1
        added = event(report.draft, episode, episode.event_count, moment=at, by=trust.actor)
        place.events.append((index, added))
        episode.memory.sensitivity = max(episode.memory.sensitivity, sensitivity_of(report.sensitivity))
    episode.last_event_at = max(at, episode.last_event_at)
    if not place.is_new and episode.memory.sensitivity > before:
        place.raised_from = before


def _save(places: Sequence[Place], *, trust: Trust, at: datetime) -> None:
    new = [place.episode for place in places if place.is_new]
    joined = [place.episode for place in places if not place.is_new]
    Memory.objects.bulk_create([episode.memory for episode in new])
    Episode.objects.bulk_create(new)
    Episode.objects.bulk_update(joined, ["event_count", "last_event_at"])
    Event.objects.bulk_create([added for place in places for _, added in place.events])
    AuditEntry.objects.bulk_create([episode.memory.audit("create", by=trust.actor, at=at) for episode in new])
    for place in places:
        if place.raised_from is not None:
            place.episode.memory.raise_sensitivity(place.raised_from, by=trust.actor, at=at)
