"""Write imported episodes, whole ones and logs of single events: closed when stored, read by consolidation later."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memories.intake.admission import sensitivity_of
from memories.intake.episodes.new_rows import episode_memory, event, forgotten_episodes
from memories.intake.inserting import insert_episodes
from memories.intake.reports.drafts import EventDraft
from memories.models import Episode, Event, Memory
from memories.transfer.claim_rows import RowOutcome, common_columns
from memories.transfer.options import Result, RowResult, Writing
from memories.transfer.records import EpisodeRecord, EventRecord, LooseEvent
from memories.values.choices import Outcome, OutcomeSource, Status, Type

CONFIDENCE = 80
LONGEST_TEXT = 500


def write(record: EpisodeRecord, label: str, writing: Writing) -> RowOutcome:
    """Write a whole episode; one with its (scope, source, id) is known, and a forgotten one stays forgotten."""
    scope, at = writing.trust.scope_to_write(record.scope), writing.at
    if record.id and Memory.objects.filter(pk=record.id, type=Type.EPISODIC, scope=scope).exists():
        return RowResult(label, Result.KNOWN), record.id
    if record.external_id:
        name = (scope, record.source, record.external_id)
        existing_episode = Episode.objects.filter(
            scope=scope, source=record.source, external_id=record.external_id
        ).first()
        if existing_episode is not None:
            return RowResult(label, Result.KNOWN), existing_episode.pk
        if forgotten_episodes([name], at=at):
            return RowResult(label, Result.SUPPRESSED), None
    drafts = [_draft(event_record) for event_record in record.events]
    facts = {"tags": record.tags, **common_columns(record, writing)}
    episode = _episode(record, drafts, scope, writing, **facts)
    _save(episode, drafts, writing)
    memory = episode.memory
    return RowResult(label, Result.IMPORTED, status=memory.status, shown=memory.content[:200]), memory.pk


def write_together(loose: Sequence[tuple[str, LooseEvent]], writing: Writing) -> list[RowOutcome]:
    """Write events of one group and scope, each with the label of its row, as one closed episode; its outcome is the
    last that one of them states."""
    records = [record for _, record in loose]
    first = records[0]
    outcomes = [record.outcome for record in records if record.outcome]
    events = sorted((record.event for record in records), key=lambda event: event.at)
    record = EpisodeRecord(
        source=first.source,
        scope=first.scope,
        thread_id=first.thread_id,
        outcome=outcomes[-1] if outcomes else None,
        created_at=events[0].at,
        events=events,
    )
    drafts = [_draft(event_record) for event_record in events]
    scope = writing.trust.scope_to_write(record.scope)
    episode = _episode(record, drafts, scope, writing, **common_columns(record, writing))
    _save(episode, drafts, writing)
    result_fields: dict[str, Any] = {"result": Result.IMPORTED, "status": Status.CONFIRMED}
    return [
        (RowResult(label, shown=_words(event_record.event), **result_fields), episode.memory.pk)
        for label, event_record in loose
    ]


def _draft(record: EventRecord) -> EventDraft:
    fields: dict[str, Any] = record.model_dump()
    return EventDraft(fields.pop("kind"), **fields)


def _words(record: EventRecord | EventDraft) -> str:
    return (record.text or record.summary or f"{record.kind} {record.tool or record.ref}").strip()[:LONGEST_TEXT]


def _episode(
    record: EpisodeRecord, drafts: Sequence[EventDraft], scope: str, writing: Writing, **facts: Any
) -> Episode:
    secret = any(draft.holds_secret for draft in drafts)
    place = {"scope": scope, "source": record.source, "thread_id": record.thread_id}
    memory = episode_memory(
        record.content or record.title or (_words(drafts[0]) if drafts else ""),
        "conversation",
        by=writing.trust.actor,
        at=writing.at,
        secret=secret,
        sensitivity=sensitivity_of(record.sensitivity, secret=secret),
        confidence=CONFIDENCE if record.confidence is None else record.confidence,
        **place,
        **facts,
    )
    last_event_at = max((draft.at for draft in drafts if draft.at), default=memory.created_at)
    closed_at = _past(record.closed_at or last_event_at, writing.at)
    return Episode(
        memory=memory,
        title=record.title,
        external_id=record.external_id or None,
        content_sha256=bytes.fromhex(record.content_sha256) if record.content_sha256 else None,
        event_count=len(drafts),
        last_event_at=last_event_at,
        outcome=Outcome(record.outcome) if record.outcome else None,
        outcome_at=_past(record.outcome_at, closed_at) if record.outcome else None,
        outcome_by=record.source if record.outcome else "",
        outcome_source=_source(record),
        closed_at=closed_at,
        transcript_removed_at=record.transcript_removed_at and _past(record.transcript_removed_at, writing.at),
        extract=record.extract,
        environment=record.environment,
        artifacts=record.artifacts,
        **place,
    )


def _source(record: EpisodeRecord) -> OutcomeSource:
    """The source of the outcome in the file; a person's decision there counts as a report here."""
    source = OutcomeSource(record.outcome_source)
    if not record.outcome:
        return OutcomeSource.NONE
    return source if source.is_inferred else OutcomeSource.REPORTED


def _past(file_time: datetime | None, at: datetime) -> datetime:
    return min(file_time or at, at)


def _save(episode: Episode, drafts: Sequence[EventDraft], writing: Writing) -> None:
    by = writing.trust.actor
    moment = episode.memory.created_at
    events: list[Event] = [
        event(draft, episode, position, moment=moment, by=by) for position, draft in enumerate(drafts, start=1)
    ]
    for event_row in events:
        event_row.flags = list(dict.fromkeys(event_row.flags))
    insert_episodes([episode], events, by=by, at=writing.at, after={"imported_from": writing.options.format.value})
