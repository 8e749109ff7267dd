"""A whole conversation becomes one closed episode."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction

from memories import indexing
from memories.conversation import SYSTEM_ROLES, Draft
from memories.drafts import EventDraft
from memories.exceptions import Conflict
from memories.ingestion.closing import set_outcome
from memories.ingestion.ingested import Ingested
from memories.ingestion.opening import episode_memory, event, sensitivity_of
from memories.models import Episode, Event, Instruction, Memory
from memories.trust import Actor, Trust

CONFIDENCE = 80


def conversation(draft: Draft, *, trust: Trust, at: datetime) -> Ingested:
    """Stores a conversation as one closed episode.

    The same id, scope and source again: skipped when the messages are the same (another outcome replaces the outcome),
    Conflict when they are others. NotAllowed: a scope or source that is not the caller's.
    """
    scope = trust.scope_to_write(draft.given.scope)
    source = trust.source_to_write(draft.given.source)
    if draft.given.id is not None and (stored := _stored(scope, source, draft.given.id)):
        return _again(stored, draft, trust=trust, at=at)
    try:
        with transaction.atomic():
            return Ingested(_store(draft, scope, source, trust=trust, at=at), created=True)
    except IntegrityError:  # another process stored the same id between the look and the insert
        if draft.given.id is None or not (stored := _stored(scope, source, draft.given.id)):
            raise
        return _again(stored, draft, trust=trust, at=at)


def _stored(scope: str, source: str, external_id: str) -> Episode | None:
    rows = Episode.objects.select_related("memory")
    return rows.filter(scope=scope, source=source, external_id=external_id).first()


def _store(draft: Draft, scope: str, source: str, *, trust: Trust, at: datetime) -> Memory:
    given, moment = draft.given, draft.given.timestamp or at
    memory = episode_memory(
        draft.content(source),
        "conversation",
        by=trust.actor,
        at=at,
        scope=scope,
        source=source,
        thread_id=given.thread_id,
        tags=given.tags,
        sensitivity=sensitivity_of(given.sensitivity),
        confidence=CONFIDENCE,
    )
    memory.save(force_insert=True)
    episode = _episode(memory, draft, moment=moment, at=at, by=trust.actor)
    episode.save(force_insert=True)
    events = list(_events(draft.events, episode, moment=moment, by=trust.actor))
    Event.objects.bulk_create(events, batch_size=1000)
    indexing.index_events(events, titles_of=[episode])
    memory.audit("create", by=trust.actor, at=at).save(force_insert=True)
    memory.episode = episode
    return memory


def _episode(memory: Memory, draft: Draft, *, moment: datetime, at: datetime, by: Actor) -> Episode:
    return Episode(
        memory=memory,
        title=draft.given.title,
        external_id=draft.given.id,
        scope=memory.scope,
        source=memory.source,
        thread_id=memory.thread_id,
        event_count=len(draft.events),
        last_event_at=max((event.at for event in draft.events if event.at), default=moment),
        outcome=draft.outcome,
        outcome_at=at if draft.outcome else None,
        outcome_by=by.name if draft.outcome else "",
        closed_at=at,
        content_sha256=draft.sha256,
        environment=draft.environment,
    )


def _events(drafts: list[EventDraft], episode: Episode, *, moment: datetime, by: Actor) -> Iterable[Event]:
    instructions = _instructions(drafts)
    for position, draft in enumerate(drafts, start=1):
        instruction = instructions.get(draft.text) if draft.role in SYSTEM_ROLES else None
        text = "" if instruction else draft.text
        yield event(draft, episode, position, moment=moment, by=by, text=text, instruction_id=instruction)


def _instructions(drafts: list[EventDraft]) -> dict[str, bytes]:
    """Stores each system message once, whoever sends it first; text -> its hash."""
    texts = {draft.text for draft in drafts if draft.role in SYSTEM_ROLES and draft.text}
    known = {text: hashlib.sha256(text.encode()).digest() for text in texts}
    missing = set(known.values()) - {
        bytes(sha) for sha in Instruction.objects.filter(pk__in=known.values()).values_list("pk", flat=True)
    }
    rows = [Instruction(sha256=sha, text=text) for text, sha in sorted(known.items()) if sha in missing]
    Instruction.objects.bulk_create(rows, ignore_conflicts=True)
    return known


def _again(episode: Episode, draft: Draft, *, trust: Trust, at: datetime) -> Ingested:
    """The same conversation came before: nothing is stored twice; an outcome may be new."""
    memory = episode.memory
    if not trust.sees(scope=memory.scope, sensitivity=memory.sensitivity):
        return Ingested(None, created=False)
    if bytes(episode.content_sha256 or b"") != draft.sha256:
        raise Conflict(f"the id {episode.external_id!r} was stored before with other messages")
    changed = draft.outcome is not None and set_outcome(episode, draft.outcome, trust=trust, at=at)
    memory.episode = episode
    return Ingested(memory, created=False, changed=changed)
