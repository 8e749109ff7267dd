"""What happened comes in here: exactly once, checked, traceable. One transaction each."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction

from memories.choices import Origin, Outcome, Permission, Sensitivity, Status, Type
from memories.conversation import SYSTEM_ROLES, Draft
from memories.drafts import EventDraft
from memories.exceptions import Conflict, NotAllowed
from memories.models import Episode, Event, Instruction, Memory
from memories.models.memory import DAY
from memories.trust import Actor, Trust

CONVERSATION_HALF_LIFE = 30 * DAY
CONVERSATION_CONFIDENCE = 80


@dataclass(frozen=True)
class Ingested:
    """`memory` is None when the caller may not see what its write met. `changed`: an outcome was set or replaced."""

    memory: Memory | None
    created: bool
    changed: bool = False


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
    sensitivity = draft.sensitivity
    memory = Memory(
        type=Type.EPISODIC,
        scope=scope,
        content=draft.content(source),
        source=source,
        origin=Origin.OBSERVED,
        thread_id=given.thread_id,
        tags=given.tags,
        sensitivity=Sensitivity.named(settings.DEFAULT_SENSITIVITY) if sensitivity is None else sensitivity,
        confidence=CONVERSATION_CONFIDENCE,
        status=Status.CONFIRMED,
        salience_at=at,
        half_life=CONVERSATION_HALF_LIFE,
        created_by=trust.actor.name,
        created_at=at,
        updated_at=at,
    )
    memory.save(force_insert=True)
    episode = _episode(memory, draft, moment=moment, at=at, by=trust.actor)
    episode.save(force_insert=True)
    Event.objects.bulk_create(_events(draft.events, episode, moment=moment, by=trust.actor), batch_size=1000)
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
        yield Event(
            episode=episode,
            position=position,
            at=draft.at or moment,
            kind=draft.kind,
            role=draft.role,
            actor=draft.actor,
            ref=draft.ref,
            text="" if instruction else draft.text,
            instruction_id=instruction,
            tool=draft.tool,
            args=draft.args,
            result=draft.result,
            ok=draft.ok,
            flags=draft.flags,
            made_by=by.name,
        )


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


def set_outcome(episode: Episode, outcome: Outcome, *, trust: Trust, at: datetime) -> bool:
    """Sets or replaces how it ended; a digested episode is read again, so that counts follow. False: it was so already.

    Only who opened the episode may, or a reviewer (NotAllowed).
    """
    with transaction.atomic():
        row = Episode.objects.select_for_update().get(pk=episode.pk)
        if row.outcome == outcome:
            return False
        _may_say(row, trust)
        before, after = {"outcome": row.outcome}, {"outcome": outcome.value}
        row.outcome, row.outcome_at, row.outcome_by = outcome, at, trust.actor.name
        row.digested_at, row.digest_attempts, row.closed_at = None, 0, row.closed_at or at
        row.save(update_fields=["outcome", "outcome_at", "outcome_by", "digested_at", "digest_attempts", "closed_at"])
        entry = row.memory.audit("outcome", by=trust.actor, at=at, before=before, after=after)
        entry.save(force_insert=True)
    for name in ("outcome", "outcome_at", "outcome_by", "digested_at", "closed_at"):
        setattr(episode, name, getattr(row, name))
    return True


def _may_say(episode: Episode, trust: Trust) -> None:
    if episode.memory.created_by != trust.actor.name and not trust.may(Permission.REVIEW):
        raise NotAllowed("only the agent that opened this episode, or a reviewer, may set its outcome")
