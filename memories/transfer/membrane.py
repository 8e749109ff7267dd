"""Membrane's SQLite file: typed records with their decay, provenance, relations, audit and counters."""

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from memories.intake.reports import payloads
from memories.transfer import cells
from memories.transfer.cells import ParsedRow, Raw
from memories.transfer.records import ClaimRecord, EpisodeRecord, LeftOut, RelationRecord, SourceRow
from memories.transfer.sqlite_file import SqliteFile, open_file
from memories.values.exceptions import Invalid
from memories.values.field_errors import format_instant

RECORDS, RELATIONS = "memory_records", "relations"
RECORD = ("id", "type", "sensitivity", "confidence", "salience", "scope", "created_at", "updated_at")
DECAY = (
    *("half_life_seconds", "min_salience", "max_age_seconds", "reinforcement_gain", "last_reinforced_at"),
    *("pinned", "deletion_policy"),
)
SIDE_TABLES = {  # table -> its columns
    "payloads": ("payload_json",),
    "decay_profiles": DECAY,
    "tags": ("tag",),
    "provenance_sources": ("kind", "ref", "hash", "created_by", "timestamp"),
    "audit_log": ("action", "actor", "timestamp", "rationale"),
    "competence_stats": ("success_count", "failure_count"),
}
SOURCE = "membrane"


def rows(path: Path, scope: str | None) -> Iterator[SourceRow]:
    """The records, then the relations of a file. Unreadable: it is no file of Membrane."""
    with open_file(path) as file:
        columns = file.columns(RECORDS, required=RECORD)
        tables = file.tables()
        side_columns = {
            table: file.columns(table, required=(), optional=("record_id", *names)) if table in tables else []
            for table, names in SIDE_TABLES.items()
        }
        file.columns("payloads", required=("record_id", "payload_json"))
        for rowid, raw in file.rows(RECORDS, columns):
            if isinstance(raw, Invalid):
                yield SourceRow(RECORDS, f"row {rowid}", raw)
                continue
            try:
                record = {
                    **raw,
                    **{name: _rows_of_record(file, name, names, raw["id"]) for name, names in side_columns.items()},
                }
            except Invalid as wrong:
                yield SourceRow(RECORDS, str(raw["id"])[:512], wrong)
                continue
            yield cells.row_of(RECORDS, str(raw["id"])[:512], record, _record, {}, scope)
        if RELATIONS in tables:
            yield from _relations(file)


def _rows_of_record(file: SqliteFile, table: str, columns: list[str], id: Any) -> list[Any]:
    return file.rows_of_record(table, columns, "record_id", id) if columns else []


def _record(raw: Raw) -> ParsedRow:
    kind = cells.text(raw, "type")
    if kind == "entity":
        return LeftOut("entities are not imported: claims about them are")
    readers = {"episodic": _episode, "working": _working, "semantic": _semantic}
    readers |= {"competence": partial(_typed, kind="competence"), "plan_graph": partial(_typed, kind="plan_graph")}
    if kind not in readers:
        raise cells.field_error("type", f"must be one of {', '.join(readers)}, entity", "unknown_value")
    payload_rows = raw["payloads"]
    payload = cells.json_of(payload_rows[0], "payload_json", dict, nothing={}) if payload_rows else {}
    if not payload:
        raise cells.field_error("payload_json", "is required: the record has no payload", "required")
    return readers[kind](raw, payload, _common(raw))


def _common(raw: Raw) -> dict[str, Any]:
    created_at = cells.instant(raw, "created_at")
    return {
        "source": next((s["created_by"] for s in raw["provenance_sources"] if _is_name(s.get("created_by"))), SOURCE),
        "scope": cells.text(raw, "scope").strip() or None,
        "tags": [tag["tag"] for tag in raw["tags"]],
        "sensitivity": cells.text(raw, "sensitivity").strip() or None,
        "confidence": cells.percent_of_share(raw, "confidence"),
        "created_at": created_at,
        "updated_at": cells.instant(raw, "updated_at"),
        "curve": _curve(raw, at=cells.instant(raw, "updated_at") or created_at),
    }


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and len(value) <= 512


def _curve(raw: Raw, *, at: Any) -> dict[str, Any]:
    decay = raw["decay_profiles"][0] if raw["decay_profiles"] else {}
    salience = cells.number(raw, "salience", least=0, most=math.inf)  # without a bound there
    curve = {
        "salience": None if salience is None else min(salience, 1),
        "salience_at": at,
        "half_life": cells.number(decay, "half_life_seconds", least=1e-3, most=1e10),
        "min_salience": cells.number(decay, "min_salience", least=0, most=1),
        "max_age": cells.number(decay, "max_age_seconds", least=0, most=1e10),
        "reinforcement_gain": cells.number(decay, "reinforcement_gain", least=0, most=1),
        "reinforced_at": cells.instant(decay, "last_reinforced_at"),
        "pinned": bool(cells.whole_number(decay, "pinned", most=1)),
        "deletion_policy": cells.text(decay, "deletion_policy") or None,
    }
    return {name: value for name, value in curve.items() if value is not None}


def _sources(raw: Raw) -> list[dict[str, Any]]:
    """The record's provenance sources, then its audit log, as source entries."""
    sources = [
        {name: value for name, value in source.items() if value is not None} for source in raw["provenance_sources"]
    ]
    trail = [
        {
            "kind": "audit",
            "ref": f"{entry.get('action') or ''}",
            "created_by": f"{entry.get('actor') or ''}",
            **{name: entry[name] for name in ("timestamp", "rationale") if entry.get(name)},
        }
        for entry in raw["audit_log"]
    ]
    return [_source_entry(entry) for entry in [*sources, *trail]]


def _source_entry(source: dict[str, Any]) -> dict[str, Any]:
    """A source entry without `record_id`, its timestamp in our format."""
    at = cells.instant(source, "timestamp")
    fields = {name: value for name, value in source.items() if name not in ("record_id", "timestamp")}
    return {**fields, **({"timestamp": format_instant(at)} if at else {})}


def _semantic(raw: Raw, payload: dict[str, Any], common: dict[str, Any]) -> ParsedRow:
    revision = payload.get("revision")
    revision = revision if isinstance(revision, dict) else {}
    status = {"contested": "contested", "retracted": "retracted"}.get(str(revision.get("status")), "candidate")
    triple = payloads.Triple.model_construct(
        subject=cells.text(payload, "subject"),
        predicate=cells.text(payload, "predicate"),
        object=payload.get("object"),
    )
    return ClaimRecord, {
        **common,
        "content": triple.content,
        "key": triple.key,
        "category": "fact",
        "payload": {name: value for name, value in payload.items() if name != "revision"},
        "status": "superseded" if revision.get("superseded_by") else status,
        "sources": _sources(raw),
    }


def _typed(raw: Raw, payload: dict[str, Any], common: dict[str, Any], *, kind: str) -> ParsedRow:
    names = {"competence": ("skill_name",), "plan_graph": ("intent", "plan_id")}[kind]
    title = next((text for name in names if (text := cells.text(payload, name).strip())), "")
    key = cells.text(payload, "skill_name" if kind == "competence" else "plan_id").strip()
    stats = raw["competence_stats"][0] if raw["competence_stats"] else {}
    counts = {
        "successes": cells.whole_number(stats, "success_count"),
        "failures": cells.whole_number(stats, "failure_count"),
    }
    return ClaimRecord, {
        **common,
        "type": kind,
        "content": title,
        "key": payloads.short(key) if key else None,
        "payload": payload,
        "sources": _sources(raw),
        "track_record": counts if stats else None,
    }


def _working(raw: Raw, payload: dict[str, Any], common: dict[str, Any]) -> ParsedRow:
    thread, state = cells.text(payload, "thread_id").strip(), cells.text(payload, "state")
    if not thread:
        raise cells.field_error("payload_json", "names no thread_id", "required")
    summary = cells.text(payload, "context_summary").strip()
    content = summary or f"{thread} is {state}"
    facts = {"type": "working", "content": content, "thread_id": thread, "payload": payload, "status": "confirmed"}
    return ClaimRecord, {**common, **facts, "sources": _sources(raw)}


def _episode(raw: Raw, payload: dict[str, Any], common: dict[str, Any]) -> ParsedRow:
    at = common["created_at"]
    if at is None:
        raise cells.field_error("created_at", "is required", "required")
    timeline = cells.json_of(payload, "timeline", list, nothing=[])
    calls = cells.json_of(payload, "tool_graph", list, nothing=[])
    if not all(isinstance(entry, dict) for entry in [*timeline, *calls]):
        raise cells.field_error("payload_json", "its timeline and tool_graph must hold objects", "wrong_type")
    events = [_timeline_event(entry, at) for entry in timeline] + [_call_event(call, at) for call in calls]
    outcome = payload.get("outcome")
    return EpisodeRecord, {
        **common,
        "external_id": f"membrane:{raw['id']}"[:512],
        "outcome": outcome if outcome in ("success", "failure", "partial") else None,
        "closed_at": common["updated_at"] or at,
        "environment": cells.json_of(payload, "environment", dict, nothing={}),
        "artifacts": cells.json_of(payload, "artifacts", list, nothing=[]),
        "events": sorted(events, key=lambda event: event["at"]) or [{"kind": "record", "at": at, "ref": raw["id"]}],
    }


def _timeline_event(entry: dict[str, Any], at: Any) -> dict[str, Any]:
    return {
        "kind": cells.text(entry, "event_kind").strip() or "event",
        "at": cells.instant(entry, "t") or at,
        "ref": cells.text(entry, "ref"),
        "summary": cells.text(entry, "summary"),
    }


def _call_event(node: dict[str, Any], at: Any) -> dict[str, Any]:
    return {
        "kind": "tool_call",
        "at": cells.instant(node, "timestamp") or at,
        "ref": cells.text(node, "id"),
        "tool": cells.text(node, "tool").strip() or "unknown",
        "args": node.get("args"),
        "result": node.get("result"),
    }


def _relations(file: SqliteFile) -> Iterator[SourceRow]:
    columns = file.columns(
        RELATIONS, required=("source_id", "predicate", "target_id"), optional=("weight", "created_at")
    )
    for rowid, raw in file.rows(RELATIONS, columns):
        if isinstance(raw, Invalid):
            yield SourceRow(RELATIONS, f"row {rowid}", raw)
            continue
        ends = " ".join(str(raw[name])[:150] for name in ("source_id", "predicate", "target_id"))
        yield cells.row_of(RELATIONS, ends, raw, _relation, {"source": "source_id", "target": "target_id"})


def _relation(raw: Raw) -> ParsedRow:
    weight = cells.number(raw, "weight", least=0, most=1)
    return RelationRecord, {
        "source": cells.text(raw, "source_id"),
        "predicate": cells.text(raw, "predicate"),
        "target": cells.text(raw, "target_id"),
        "weight": weight,
        "created_at": cells.instant(raw, "created_at"),
    }
