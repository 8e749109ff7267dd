"""Everything that a caller may see as JSON lines, in a fixed order.

`memos_lines` reads them: an import into an empty store, exported again, gives the same lines, except for what no import
may set (origin, hold, and applied unless an administrator asks for it).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet

from memories import redaction
from memories.models import Episode, Event, Evidence, Memory, Performance, Relation, Tombstone
from memories.models.memory import MemoryQuerySet
from memories.scanning import masked_answers
from memories.transfer import request_lines
from memories.transfer.memos_lines import EPISODE, MEMORY, RELATION
from memories.transfer.records import Curve, EventRecord, EvidenceRecord, TrackRecord
from memories.values.choices import Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.trust import Trust

AT_ONCE = 200
Json = dict[str, Any]
# Functions of rooms above, which register them when they start: of memories, further members of their lines by id.
KEPT_ABOVE: list[Callable[[Sequence[Memory]], Mapping[UUID, Json]]] = []
COMMON = ("id", "type", "scope", "key", "category", "content", "payload", "source", "origin", "thread_id", "company_id")
MORE = ("tags", "confidence", "status", "hold", "times_used", "times_confirmed")
TIMES = ("last_used_at", "expires_at", "ttl", "created_at", "updated_at")
OF_EPISODES = (
    *("title", "external_id", "outcome", "outcome_source", "outcome_at"),
    *("closed_at", "transcript_removed_at", "extract", "environment", "artifacts"),
)


def lines(trust: Trust, *, at: datetime, rows: MemoryQuerySet | None = None) -> Iterator[str]:
    """The lines of `rows`, default all that the caller may see. Episodes come first, so that an import can link
    evidence to them, then memories, both by age, then relations between them."""
    everything = Memory.objects.told_to(trust).unexpired(at) if rows is None else rows
    for part in (everything.filter(type=Type.EPISODIC), everything.exclude(type=Type.EPISODIC)):
        last: UUID | None = None
        while memories := _next_memories(part, trust, last):
            last = memories[-1].pk
            yield from map(_line, _lines_of(memories, trust))
    yield from map(_line, _relations(everything.values("pk")))


def _line(record: Json) -> str:
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return f"{masked_answers.shown_json(line)}\n"  # an export is a file that travels: it holds no credential


def _plain(value: object) -> str:
    return format_instant(value) if isinstance(value, datetime) else str(value)


def _next_memories(rows: MemoryQuerySet, trust: Trust, last: UUID | None) -> list[Memory]:
    """The next AT_ONCE memories by id, with their evidence."""
    rows_after = rows.filter(pk__gt=last) if last else rows
    visible_evidence = Evidence.objects.of_visible_episodes(trust).order_by("at", "pk")
    rows_with_evidence = rows_after.select_related("episode", "performance").prefetch_related(
        Prefetch("evidence", visible_evidence)
    )
    return list(rows_with_evidence.order_by("pk")[:AT_ONCE])


def _lines_of(memories: Sequence[Memory], trust: Trust) -> Iterator[Json]:
    reasons = _reasons([row.pk for row in memories if row.status == Status.DISMISSED], trust)
    records = [_memory(row, reasons.get(row.pk, "")) for row in memories if row.type != Type.EPISODIC]
    redaction.redact({"results": records}, trust)
    by_id = {record["id"]: record for record in records}
    for id, requests in request_lines.requests_to_export([row for row in memories if row.pk in by_id], trust).items():
        by_id[id]["requests"] = requests
    for members_of in KEPT_ABOVE:
        for id, members in members_of(memories).items():
            by_id[id].update(members)
    knowledge = iter(records)
    for row in memories:
        yield _episode(row) if row.type == Type.EPISODIC else next(knowledge)


def _common(row: Memory) -> Json:
    times = {name: getattr(row, name) for name in TIMES}
    return {"sensitivity": Sensitivity(row.sensitivity).label, **_columns(row, Curve, "curve"), **times}


def _columns(row: object, shape: type[Any], name: str) -> Json:
    return {name: {field: getattr(row, field) for field in shape.model_fields}}


def _memory(row: Memory, reason: str) -> Json:
    performance: Performance | None = getattr(row, "performance", None)
    payload = {name: value for name, value in row.payload.items() if name != "skill"}
    record: Json = {
        "kind": MEMORY,
        **{name: getattr(row, name) for name in (*COMMON, *MORE)},
        "payload": payload,
        **_common(row),
        "sources": list(row.provenance.get("sources", [])),
        "evidence": [
            {name: getattr(evidence, name) for name in EvidenceRecord.model_fields} for evidence in row.evidence.all()
        ],
    }
    if performance:
        record |= _columns(performance, TrackRecord, "track_record")
    return {**record, "reason": reason} if row.status == Status.DISMISSED else record


def _episode(row: Memory) -> Json:
    episode: Episode = row.episode
    columns = ("id", "scope", "content", "source", "origin", "thread_id", "tags", "confidence", "times_used")
    events: QuerySet[Event] = episode.events.select_related("instruction").order_by("position")
    return {
        "kind": EPISODE,
        **{name: getattr(row, name) for name in columns},
        **_common(row),
        **{name: getattr(episode, name) for name in OF_EPISODES},
        "content_sha256": bytes(episode.content_sha256).hex() if episode.content_sha256 else None,
        "events": [_event(event) for event in events.iterator(1_000)],
    }


def _event(event: Event) -> Json:
    record = {name: getattr(event, name) for name in EventRecord.model_fields if name != "text"}
    return {**record, "text": event.words}


def _reasons(ids: Sequence[UUID], trust: Trust) -> dict[UUID, str]:
    """Why memories were dismissed."""
    stones = Tombstone.objects.visible_to(trust).standing().filter(memory_id__in=ids).order_by("at", "pk")
    return {memory_id: reason for memory_id, reason in stones.values_list("memory_id", "reason") if memory_id}


def _relations(visible: Any) -> Iterator[Json]:
    rows = Relation.objects.filter(source__in=visible, target__in=visible)
    for row in rows.order_by("source_id", "predicate", "target_id").iterator(1_000):
        yield {
            "kind": RELATION,
            "source": row.source_id,
            "predicate": row.predicate,
            "target": row.target_id,
            "weight": row.weight,
            "created_at": row.created_at,
        }
