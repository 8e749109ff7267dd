"""Record events and tool outputs: each joins an open episode, or opens one.

It joins the episode that it names, that of its thread, or that of a node it depends on.
Many at once cost as many statements as one. Of two that open an episode of a thread at one moment the database's
constraint lets one; the other begins again and finds it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.intake.admission import sensitivity_of
from memories.intake.episodes import joining, sensitivity
from memories.intake.episodes.joining import DependencyTarget, NodeReference, Thread
from memories.intake.episodes.new_rows import Ingested, episode_memory, event
from memories.intake.inserting import insert_episodes
from memories.intake.reports.drafts import AMBIGUOUS_DEPENDENCY
from memories.intake.reports.events import EventReport, SpanReport, ToolOutputReport
from memories.models import Episode, Event, Memory, bulk_rows
from memories.scanning import SECRET
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memories.values.field_types import united
from memories.values.trust import Trust

EventLike = EventReport | ToolOutputReport | SpanReport
Refusal = Invalid | NotAllowed | NotFound | Conflict
Waiting = list[tuple[int, EventLike]]
Answers = dict[int, Ingested | Refusal]
TRIES = 5
# Violated where another transaction was faster; a retry succeeds: a thread's open episode, a memory's sensitivity.
RACE_CONSTRAINTS = ("episode_has_one_open_per_thread", "passage_is_its_memorys")


@dataclass
class Place:
    """Where events go: an episode that is there (grown by as many, and locked), or a new one; in their order."""

    episode: Episode
    is_new: bool
    waiting: Waiting
    events: list[tuple[int, Event]] = field(default_factory=list)
    ambiguous: frozenset[int] = frozenset()  # those that may belong to another episode as well
    raised_to: int | None = None  # by something more secret that joined it
    secret: bool = False  # something that joined it holds one

    @property
    def tags(self) -> list[str]:
        """The tags of its events, in their order."""
        return list(chain.from_iterable(report.tags for _, report in self.waiting))


def record_events(reports: Sequence[EventLike], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    """Store all that can be stored, in one transaction; the answer to each stands at its index.

    Refusals: NotAllowed or Invalid (scope, source), NotFound (an episode that is not there or not to be seen), Conflict
    (`episode is closed`).
    """
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                return _store_all(reports, trust=trust, at=at)
        except IntegrityError as error:
            if not tries_left or _broken(error) not in RACE_CONSTRAINTS:
                raise
    raise AssertionError("the last try answers or raises")


def _broken(error: IntegrityError) -> str | None:
    """The name of the constraint that a statement broke; None where the database names none."""
    name: str | None = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
    return name


def _store_all(reports: Sequence[EventLike], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    answers: Answers = {}
    places = _places(reports, answers, trust=trust, at=at)
    for place in places:
        _number(place, trust=trust, at=at)
    _save(places, trust=trust, at=at)
    for place in places:
        visible = trust.sees(place.episode.memory) or place.is_new
        for number, (index, event_row) in enumerate(place.events):
            memory = place.episode.memory if visible else None
            created = place.is_new and number == 0
            notice = reports[index].notice if visible else None
            answers[index] = Ingested(memory, created, events=[event_row] if visible else [], notice=notice)
    return [answers[index] for index in range(len(reports))]


def _places(reports: Sequence[EventLike], answers: Answers, *, trust: Trust, at: datetime) -> list[Place]:
    targets = _targets(reports, trust)
    by_id: dict[UUID, Waiting] = defaultdict(list)
    of_nodes: dict[UUID, Waiting] = defaultdict(list)
    threads: dict[Thread, Waiting] = defaultdict(list)
    alone: Waiting = []
    for index, report in enumerate(reports):
        try:
            scope, source = trust.scope_to_write(report.scope), trust.source_to_write(report.source)
        except (Invalid, NotAllowed) as refusal:
            answers[index] = refusal
            continue
        if report.episode_id:
            by_id[report.episode_id].append((index, report))
        elif report.thread_id:
            threads[scope, source, report.thread_id].append((index, report))
        elif index in targets:
            of_nodes[targets[index].episode_id].append((index, report))
        else:
            alone.append((index, report))
    places = _places_by_id(by_id, answers, trust=trust, at=at)
    places += _of_nodes(of_nodes, targets, alone, trust=trust, at=at)
    places += _threads(threads, trust=trust, at=at)
    memories = {place.episode.pk: place.episode.memory for place in places}
    for place in places:  # one episode may be met by its id and by its thread
        place.episode.memory = memories[place.episode.pk]
    return [*places, *(_open_alone(index, reports[index], trust=trust, at=at) for index, _ in alone)]


def _open_alone(index: int, report: EventLike, *, trust: Trust, at: datetime) -> Place:
    """A new episode for one event."""
    thread = (trust.scope_to_write(report.scope), trust.source_to_write(report.source), "")
    return Place(_new(thread, report, trust=trust, at=at), True, [(index, report)])


def _targets(reports: Sequence[EventLike], trust: Trust) -> dict[int, DependencyTarget]:
    """Of those that name neither episode nor thread: to which episode the nodes that they depend on lead."""
    nodes: dict[int, NodeReference] = {}
    for index, report in enumerate(reports):
        depends_on = [] if report.episode_id or report.thread_id else getattr(report, "depends_on", [])
        if node := joining.first_named_node(depends_on, report.scope):
            nodes[index] = node
    targets = joining.follow(nodes.values(), trust)
    return {index: targets[node] for index, node in nodes.items() if node in targets}


def _of_nodes(
    waiting: Mapping[UUID, Waiting],
    targets: Mapping[int, DependencyTarget],
    alone: Waiting,
    *,
    trust: Trust,
    at: datetime,
) -> list[Place]:
    """The episodes to which dependencies lead; events whose episode was closed meanwhile are added to `alone`."""
    episodes = joining.grow_by_id({pk: len(reports) for pk, reports in waiting.items()}, trust=trust, at=at)
    for pk in waiting.keys() - episodes.keys():
        alone.extend(waiting[pk])
    ambiguous = frozenset(index for index, target in targets.items() if target.ambiguous)
    return [Place(episode, False, waiting[pk], ambiguous=ambiguous) for pk, episode in episodes.items()]


def _places_by_id(events_by_id: Mapping[UUID, Waiting], answers: Answers, *, trust: Trust, at: datetime) -> list[Place]:
    by_id = _in_their_scope(events_by_id, answers, trust)
    episodes = joining.grow_by_id({pk: len(waiting) for pk, waiting in by_id.items()}, trust=trust, at=at)
    if missing := by_id.keys() - episodes.keys():
        visible = Episode.objects.visible_to(trust).in_bulk(missing)
        for pk in missing:
            refusal = _refusal(visible.get(pk), trust)
            answers.update({index: refusal for index, _ in by_id[pk]})
    return [Place(episode, False, by_id[pk]) for pk, episode in episodes.items()]


def _in_their_scope(events_by_id: Mapping[UUID, Waiting], answers: Answers, trust: Trust) -> Mapping[UUID, Waiting]:
    """Refuse events with another scope than that of the episode that they name by its id; return the others."""
    scoped_ids = [pk for pk, waiting in events_by_id.items() if any(report.scope for _, report in waiting)]
    rows = Episode.objects.visible_to(trust).filter(pk__in=scoped_ids).values_list("pk", "scope") if scoped_ids else ()
    accepted = dict(events_by_id)
    for pk, scope in rows:
        accepted[pk] = [(index, report) for index, report in events_by_id[pk] if joining.says_scope(report, scope)]
        refused_indexes = [index for index, _ in events_by_id[pk] if index not in dict(accepted[pk])]
        answers.update(dict.fromkeys(refused_indexes, Invalid(joining.ANOTHER_SCOPE)))
    return {pk: waiting for pk, waiting in accepted.items() if waiting}


def _refusal(episode: Episode | None, trust: Trust) -> Refusal:
    """Why events that name this episode by its id were not stored. `episode` None: the caller sees none."""
    if episode is None:
        return NotFound("no such episode")
    if trust.scopes is not None and episode.scope not in trust.scopes:
        return NotAllowed(f"this token may not write into the scope {episode.scope!r}")
    return Conflict("episode is closed")


def _threads(threads: Mapping[Thread, Waiting], *, trust: Trust, at: datetime) -> list[Place]:
    """The open episode of each thread, or a new one; new ones in one order, for the constraint makes them wait."""
    open_episodes = joining.grow_threads({thread: len(waiting) for thread, waiting in threads.items()}, at=at)
    places = []
    for thread, waiting in sorted(threads.items(), key=lambda item: item[0]):
        episode = open_episodes.get(thread)
        place_episode = episode or _new(thread, waiting[0][1], trust=trust, at=at)
        places.append(Place(place_episode, episode is None, waiting))
    return places


def _new(thread: Thread, first: EventLike, *, trust: Trust, at: datetime) -> Episode:
    scope, source, thread_id = thread
    facts = {"scope": scope, "source": source, "thread_id": thread_id or None}
    memory = episode_memory(
        first.content,
        "event",
        by=trust.actor,
        at=at,
        confidence=first.confidence,
        sensitivity=sensitivity_of(first.sensitivity),  # raised by what it holds in `_number`
        policy=first.deletion_policy,
        **facts,
    )
    fields: dict[str, Any] = {"last_event_at": at, "external_id": first.external_id}
    if isinstance(first, EventReport) and first.repository:
        fields["environment"] = {"repository": first.repository}
    episode = bulk_rows.new(Episode, {"memory_id": memory.pk, **fields, **facts})
    episode.memory = memory
    return episode


def _number(place: Place, *, trust: Trust, at: datetime) -> None:
    """Events get the positions after those that were there; what is above the episode's sensitivity raises it."""
    episode, memory = place.episode, place.episode.memory
    if place.is_new:
        episode.event_count = len(place.waiting)
        memory.tags = united(place.tags)
    first = episode.event_count - len(place.waiting) + 1
    for position, (index, report) in enumerate(place.waiting, start=first):
        draft = report.draft
        draft.flags += [AMBIGUOUS_DEPENDENCY] if index in place.ambiguous else []
        place.events.append((index, event(draft, episode, position, moment=at, by=trust.actor)))
        level = sensitivity_of(report.sensitivity, secret=draft.holds_secret)
        place.secret |= draft.holds_secret
        if level > memory.sensitivity and place.is_new:
            memory.sensitivity = level
        elif level > max(memory.sensitivity, place.raised_to or 0):
            place.raised_to = level
    if place.secret and place.is_new:
        memory.flags = [SECRET]


def _save(places: Sequence[Place], *, trust: Trust, at: datetime) -> None:
    new = [place.episode for place in places if place.is_new]
    events = [event_row for place in places for _, event_row in place.events]
    joined_places = [place for place in places if not place.is_new]
    sensitivity.flag([place.episode.memory for place in joined_places if place.secret])
    new_levels = {place.episode.memory: place.raised_to for place in joined_places if place.raised_to}
    trail = sensitivity.raise_together(new_levels, by=trust.actor, at=at)
    new_tags: dict[Memory, list[str]] = defaultdict(list)
    for place in joined_places:
        new_tags[place.episode.memory] += place.tags
    joining.add_tags(new_tags, at=at)
    insert_episodes(new, events, trail, by=trust.actor, at=at)
