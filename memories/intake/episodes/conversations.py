"""Store whole conversations as closed episodes, many by the statements of one."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from memories.intake.admission import sensitivity_of
from memories.intake.episodes.closing import set_outcome
from memories.intake.episodes.new_rows import (
    EpisodeName,
    Ingested,
    episode_memory,
    event,
    forgotten_episodes,
    known_or_forgotten,
    may_be_known,
)
from memories.intake.episodes.sensitivity import may_continue
from memories.intake.inserting import insert_episodes
from memories.intake.reports.conversation import Draft
from memories.models import Episode, Event, Instruction, bulk_rows
from memories.values import roles
from memories.values.choices import OutcomeSource
from memories.values.exceptions import Conflict, Invalid, NotAllowed
from memories.values.trust import Actor, Trust

CONFIDENCE = 80
Refusal = Conflict | Invalid | NotAllowed
Answers = dict[int, Ingested | Refusal]


@dataclass(frozen=True)
class Placement:
    """A conversation with the scope and source that it is stored under."""

    draft: Draft
    scope: str
    source: str

    @property
    def name(self) -> EpisodeName | None:
        """The name by which a repetition is recognised; None without an id."""
        return (self.scope, self.source, self.draft.fields.id) if self.draft.fields.id is not None else None


def conversation(draft: Draft, *, trust: Trust, at: datetime) -> Ingested:
    """Store one conversation; a refusal is raised."""
    [answer] = conversations([draft], trust=trust, at=at)
    if isinstance(answer, Exception):
        raise answer
    return answer


def conversations(drafts: Sequence[Draft], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    """Store each conversation as one closed episode, all of them in one transaction; the answers in their order.

    The same id, scope and source again: skipped when the messages are the same (another outcome replaces the outcome),
    Conflict when they are others; what a person has forgotten is not stored again, and not told (`memory` None).
    NotAllowed or Invalid: a scope or source that is not the caller's.
    """
    try:
        with transaction.atomic():
            return _store_all(drafts, trust=trust, at=at)
    except IntegrityError:  # another process stored one of the ids between the look and the insert
        if len(drafts) > 1:
            return [answer for draft in drafts for answer in conversations([draft], trust=trust, at=at)]
    with transaction.atomic():
        return _store_all(drafts, trust=trust, at=at)


def _store_all(drafts: Sequence[Draft], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    answers: Answers = {}
    placements: dict[int, Placement] = {}
    for index, draft in enumerate(drafts):
        place = draft.fields.scope, draft.fields.source
        try:
            placements[index] = Placement(draft, trust.scope_to_write(place[0]), trust.source_to_write(place[1]))
        except (Invalid, NotAllowed) as refusal:
            answers[index] = refusal
    if len(drafts) == 1 and placements and (first_answer := _first_of_its_name(placements[0], trust=trust, at=at)):
        return [first_answer]
    answers |= _store_together(placements, trust=trust, at=at)
    return [answers[index] for index in range(len(drafts))]


def _first_of_its_name(placement: Placement, *, trust: Trust, at: datetime) -> Ingested | None:
    """Store a conversation by one statement that also checks that its name is unused, as most are. None: nothing was
    stored, because the name is taken or forgotten, or there is none."""
    if placement.name is None:
        return None
    episode = _episode(placement, at=at, by=trust.actor)
    unless = known_or_forgotten(placement.name)
    if not _save([episode], [placement.draft], trust=trust, at=at, unless=unless):
        return None
    return Ingested(episode.memory, created=True)


def _store_together(placements: Mapping[int, Placement], *, trust: Trust, at: datetime) -> Answers:
    known_episodes, forgotten_names = _known_and_forgotten(
        {place.name for place in placements.values() if place.name}, at=at
    )
    new_episodes: dict[int, Episode] = {}
    for index, placement in placements.items():
        if placement.name is None or not (placement.name in known_episodes or placement.name in forgotten_names):
            new_episodes[index] = _episode(placement, at=at, by=trust.actor)
            if placement.name:
                known_episodes[placement.name] = new_episodes[index]
    _save([*new_episodes.values()], [placements[index].draft for index in new_episodes], trust=trust, at=at)
    answers: Answers = {}
    for index, placement in placements.items():
        if index in new_episodes:
            answers[index] = Ingested(new_episodes[index].memory, created=True)
        elif placement.name in known_episodes:
            answers[index] = _repeat(known_episodes[placement.name], placement.draft, trust=trust, at=at)
        else:  # forgotten
            answers[index] = Ingested(None, created=False)
    return answers


def _known_and_forgotten(
    names: set[EpisodeName], *, at: datetime
) -> tuple[dict[EpisodeName, Episode], set[EpisodeName]]:
    if not may_be_known(names):
        return {}, set()
    known_episodes = _episodes_named(names)
    return known_episodes, forgotten_episodes(names - known_episodes.keys(), at=at)


def _episodes_named(names: Iterable[EpisodeName]) -> dict[EpisodeName, Episode]:
    """The episodes that are stored under these names."""
    ids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for scope, source, external_id in names:
        ids[scope, source].append(external_id)
    if not ids:
        return {}
    name_filter = Q()
    for (scope, source), external_ids in ids.items():
        name_filter |= Q(scope=scope, source=source, external_id__in=external_ids)
    episodes = Episode.objects.select_related("memory").filter(name_filter)
    return {(episode.scope, episode.source, episode.external_id or ""): episode for episode in episodes}


def _save(
    episodes: Sequence[Episode],
    drafts: Sequence[Draft],
    *,
    trust: Trust,
    at: datetime,
    unless: bulk_rows.Part | None = None,
) -> bool:
    """Insert new episodes with the events of their drafts. False: the condition `unless` holds, nothing is stored."""
    instructions = _instructions(drafts)
    events = [
        event
        for draft, episode in zip(drafts, episodes, strict=True)
        for event in _events(draft, episode, instructions, by=trust.actor)
    ]
    if not insert_episodes(episodes, events, by=trust.actor, at=at, unless=unless):
        return False
    _store_instructions(instructions)
    return True


def _episode(placement: Placement, *, at: datetime, by: Actor) -> Episode:
    draft, fields = placement.draft, placement.draft.fields
    place = {"scope": placement.scope, "source": placement.source, "thread_id": fields.thread_id}
    secret = draft.holds_secret
    last_event_at = max((event.at for event in draft.events if event.at), default=fields.timestamp or at)
    ended_at = min(last_event_at, at)  # what is imported is known as of when it happened; its id tells when it came in
    memory = episode_memory(
        draft.content(placement.source),
        "conversation",
        by=by,
        at=at,
        tags=fields.tags,
        policy=fields.deletion_policy,
        sensitivity=sensitivity_of(fields.sensitivity, secret=secret),
        secret=secret,
        confidence=CONFIDENCE,
        created_at=ended_at,
        **place,
    )
    episode_columns = {
        "title": fields.title,
        "external_id": fields.id,
        "event_count": len(draft.events),
        "last_event_at": last_event_at,
        "outcome": draft.outcome,
        "outcome_at": ended_at if draft.outcome else None,
        "outcome_by": placement.source if draft.outcome else "",
        "outcome_source": OutcomeSource.REPORTED if draft.outcome else OutcomeSource.NONE,
        "closed_at": ended_at,
        "content_sha256": draft.sha256,
        "extract": fields.extract,
        "environment": draft.environment,
    }
    memory.episode = bulk_rows.new(Episode, {"memory_id": memory.pk, **episode_columns, **place})
    return memory.episode


def _events(draft: Draft, episode: Episode, instructions: Mapping[str, bytes], *, by: Actor) -> Iterator[Event]:
    moment = draft.fields.timestamp or episode.memory.created_at
    for position, draft_event in enumerate(draft.events, start=1):
        instruction = instructions.get(draft_event.text) if roles.of(draft_event.role) == roles.SYSTEM else None
        text = "" if instruction else draft_event.text
        yield event(draft_event, episode, position, moment=moment, by=by, text=text, instruction_id=instruction)


def _instructions(drafts: Iterable[Draft]) -> dict[str, bytes]:
    """The system messages, each text with its hash."""
    events = (event for draft in drafts for event in draft.events if roles.of(event.role) == roles.SYSTEM)
    texts = {event.text for event in events if event.text}
    return {text: hashlib.sha256(text.encode()).digest() for text in texts}


def _store_instructions(instructions: Mapping[str, bytes]) -> None:
    """Store each system message once. The foreign key of the events to it is checked at COMMIT."""
    if not instructions:
        return
    stored_hashes = Instruction.objects.filter(pk__in=instructions.values()).values_list("pk", flat=True)
    missing_hashes = set(instructions.values()) - {bytes(digest) for digest in stored_hashes}
    new = [Instruction(sha256=digest, text=text) for text, digest in instructions.items() if digest in missing_hashes]
    Instruction.objects.bulk_create(sorted(new, key=lambda row: bytes(row.sha256)), ignore_conflicts=True)


def _repeat(episode: Episode, draft: Draft, *, trust: Trust, at: datetime) -> Ingested | Refusal:
    """Answer a conversation that was stored before; its outcome may be new."""
    memory = episode.memory
    visible, is_same = trust.sees(memory), _is_same(episode, draft)
    if not visible and not (is_same and may_continue(memory, trust)):
        return Ingested(None, created=False)
    if not is_same:
        return Conflict(f"the id {episode.external_id!r} was stored before with other messages")
    try:
        outcome = draft.outcome
        changed = outcome is not None and set_outcome(episode, outcome, trust=trust, source=episode.source, at=at)
    except NotAllowed as refusal:
        return refusal
    memory.episode = episode
    return Ingested(memory if visible else None, created=False, changed=changed)


def _is_same(episode: Episode, draft: Draft) -> bool:
    return bytes(episode.content_sha256 or b"") == draft.sha256
