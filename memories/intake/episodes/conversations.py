"""Whole conversations become closed episodes, many by the statements of one."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from memories import indexing
from memories.intake.admission import EpisodeName, forgotten_episodes, sensitivity_of
from memories.intake.episodes.closing import set_outcome
from memories.intake.episodes.new_rows import episode_memory, event
from memories.intake.episodes.results import Ingested
from memories.intake.episodes.sensitivity import may_continue
from memories.intake.reports.conversation import Draft
from memories.models import Episode, Event, Instruction, bulk_rows
from memories.values.choices import SYSTEM_ROLES
from memories.values.exceptions import Conflict, Invalid, NotAllowed
from memories.values.trust import Actor, Trust

CONFIDENCE = 80
Refusal = Conflict | Invalid | NotAllowed


@dataclass(frozen=True)
class Placed:
    """A conversation and where it goes."""

    draft: Draft
    scope: str
    source: str

    @property
    def name(self) -> EpisodeName | None:
        """By which it is known again."""
        return (self.scope, self.source, self.draft.given.id) if self.draft.given.id is not None else None


def conversation(draft: Draft, *, trust: Trust, at: datetime) -> Ingested:
    """One of `conversations`; a refusal is raised."""
    [answer] = conversations([draft], trust=trust, at=at)
    if isinstance(answer, Exception):
        raise answer
    return answer


def conversations(drafts: Sequence[Draft], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    """Stores each conversation as one closed episode, all of them in one transaction; the answers in their order.

    The same id, scope and source again: skipped when the messages are the same (another outcome replaces the outcome),
    Conflict when they are others; what a person has forgotten is not stored again, and not told (`memory` None).
    NotAllowed or Invalid: a scope or source that is not the caller's.
    """
    try:
        with transaction.atomic():
            return _stored(drafts, trust=trust, at=at)
    except IntegrityError:  # another process stored one of the ids between the look and the insert
        if len(drafts) > 1:
            return [answer for draft in drafts for answer in conversations([draft], trust=trust, at=at)]
    with transaction.atomic():
        return _stored(drafts, trust=trust, at=at)


def _stored(drafts: Sequence[Draft], *, trust: Trust, at: datetime) -> list[Ingested | Refusal]:
    placed = [_place(draft, trust) for draft in drafts]
    names = {one.name for one in placed if isinstance(one, Placed) and one.name}
    known = _known(names)
    forgotten = forgotten_episodes(names - known.keys(), at=at)
    fresh: dict[int, Episode] = {}
    for index, one in enumerate(placed):
        if isinstance(one, Placed) and (one.name is None or one.name not in {*known, *forgotten}):
            fresh[index] = _episode(one, at=at, by=trust.actor)
            if one.name:
                known[one.name] = fresh[index]
    _save(fresh, placed, trust=trust, at=at)
    answers: list[Ingested | Refusal] = []
    for index, one in enumerate(placed):
        if isinstance(one, Placed) and index in fresh:
            answers.append(Ingested(fresh[index].memory, created=True))
        elif isinstance(one, Placed) and one.name in forgotten:
            answers.append(Ingested(None, created=False))
        elif isinstance(one, Placed) and one.name:
            answers.append(_again(known[one.name], one.draft, trust=trust, at=at))
        elif not isinstance(one, Placed):
            answers.append(one)
    return answers


def _place(draft: Draft, trust: Trust) -> Placed | Refusal:
    try:
        return Placed(draft, trust.scope_to_write(draft.given.scope), trust.source_to_write(draft.given.source))
    except (Invalid, NotAllowed) as refusal:
        return refusal


def _known(names: Iterable[EpisodeName]) -> dict[EpisodeName, Episode]:
    """The episodes that are stored under these names."""
    ids: dict[tuple[str, str], list[str]] = defaultdict(list)
    for scope, source, external_id in names:
        ids[scope, source].append(external_id)
    if not ids:
        return {}
    wanted = Q()
    for (scope, source), external_ids in ids.items():
        wanted |= Q(scope=scope, source=source, external_id__in=external_ids)
    found = Episode.objects.select_related("memory").filter(wanted)
    return {(episode.scope, episode.source, episode.external_id or ""): episode for episode in found}


def _save(fresh: Mapping[int, Episode], placed: Sequence[Placed | Refusal], *, trust: Trust, at: datetime) -> None:
    drafts = {index: one.draft for index, one in enumerate(placed) if isinstance(one, Placed) and index in fresh}
    instructions = _instructions(drafts.values())
    events = [
        added for index, draft in drafts.items() for added in _events(draft, fresh[index], instructions, by=trust.actor)
    ]
    episodes = list(fresh.values())
    trail = [episode.memory.audit("create", by=trust.actor, at=at) for episode in episodes]
    bulk_rows.insert([episode.memory for episode in episodes], episodes, events, trail)
    indexing.index_events(events, titles_of=episodes)


def _episode(placed: Placed, *, at: datetime, by: Actor) -> Episode:
    draft, given = placed.draft, placed.draft.given
    place = {"scope": placed.scope, "source": placed.source, "thread_id": given.thread_id}
    secret = draft.holds_secret
    memory = episode_memory(
        draft.content(placed.source),
        "conversation",
        by=by,
        at=at,
        tags=given.tags,
        policy=given.deletion_policy,
        sensitivity=sensitivity_of(given.sensitivity, secret=secret),
        secret=secret,
        confidence=CONFIDENCE,
        **place,
    )
    moment = given.timestamp or at
    memory.episode = Episode(
        memory=memory,
        title=given.title,
        external_id=given.id,
        event_count=len(draft.events),
        last_event_at=max((event.at for event in draft.events if event.at), default=moment),
        outcome=draft.outcome,
        outcome_at=at if draft.outcome else None,
        outcome_by=placed.source if draft.outcome else "",
        closed_at=at,
        content_sha256=draft.sha256,
        extract=given.extract,
        environment=draft.environment,
        **place,
    )
    return memory.episode


def _events(draft: Draft, episode: Episode, instructions: Mapping[str, bytes], *, by: Actor) -> Iterator[Event]:
    moment = draft.given.timestamp or episode.memory.created_at
    for position, told in enumerate(draft.events, start=1):
        instruction = instructions.get(told.text) if told.role in SYSTEM_ROLES else None
        text = "" if instruction else told.text
        yield event(told, episode, position, moment=moment, by=by, text=text, instruction_id=instruction)


def _instructions(drafts: Iterable[Draft]) -> dict[str, bytes]:
    """Stores each system message once, whoever sends it first; text -> its hash."""
    texts = {event.text for draft in drafts for event in draft.events if event.role in SYSTEM_ROLES and event.text}
    known = {text: hashlib.sha256(text.encode()).digest() for text in texts}
    if not known:
        return {}
    stored = Instruction.objects.filter(pk__in=known.values()).values_list("pk", flat=True)
    missing = set(known.values()) - {bytes(sha) for sha in stored}
    new = [Instruction(sha256=sha, text=text) for text, sha in known.items() if sha in missing]
    Instruction.objects.bulk_create(sorted(new, key=lambda row: bytes(row.sha256)), ignore_conflicts=True)
    return known


def _again(episode: Episode, draft: Draft, *, trust: Trust, at: datetime) -> Ingested | Refusal:
    """The same conversation came before: nothing is stored twice; an outcome may be new."""
    memory = episode.memory
    seen, same = trust.sees(scope=memory.scope, sensitivity=memory.sensitivity), _says_the_same(episode, draft)
    if not seen and not (same and may_continue(memory, trust)):
        return Ingested(None, created=False)
    if not same:
        return Conflict(f"the id {episode.external_id!r} was stored before with other messages")
    try:
        outcome = draft.outcome
        changed = outcome is not None and set_outcome(episode, outcome, trust=trust, source=episode.source, at=at)
    except NotAllowed as refusal:
        return refusal
    memory.episode = episode
    return Ingested(memory if seen else None, created=False, changed=changed)


def _says_the_same(episode: Episode, draft: Draft) -> bool:
    return bytes(episode.content_sha256 or b"") == draft.sha256
