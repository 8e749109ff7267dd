"""Founder OS `intelligence.db`: events become episodes by session, patterns candidates, rejected ones tombstones."""

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from memories.transfer import cells
from memories.transfer.cells import Raw
from memories.transfer.records import AnyRecord, ClaimRecord, LeftOut, LooseEvent, SourceRow
from memories.transfer.sqlite_file import SqliteFile

EVENTS, PATTERNS, HEALING = "events", "patterns", "healing_patterns"
EVENT_COLUMNS = ("id", "timestamp", "session_id", "plugin", "command", "event_type", "payload", "outcome")
PATTERN_COLUMNS = ("id", "pattern_type", "plugin", "instruction", "confidence", "status")
MORE_OF_PATTERNS = ("command", "description", "confirmations", "created_at", "updated_at")
KINDS = ("pre_command", "post_command", "mcp_call", "decision_point", "error")
OUTCOMES = {"success": "success", "failure": "failure", "degraded": "partial"}
CATEGORIES = {"taste": "preference", "workflow": "workflow", "autonomy": "pattern"}
PATTERN_STATUSES = ("candidate", "active", "approved", "rejected")
Meant = LeftOut | tuple[type[AnyRecord], dict[str, Any]]


def rows(file: SqliteFile, tables: set[str], scope: str | None) -> Iterator[SourceRow]:
    if PATTERNS in tables:
        columns = file.columns(PATTERNS, needed=PATTERN_COLUMNS, known=MORE_OF_PATTERNS)
        yield from cells.read_table(file, PATTERNS, columns, lambda raw: _pattern(raw, scope), {"source": "plugin"})
    if EVENTS in tables:
        columns = file.columns(EVENTS, needed=EVENT_COLUMNS, known=("duration_ms",))
        order = "session_id, timestamp, rowid"
        yield from cells.read_table(file, EVENTS, columns, lambda raw: _event(raw, scope), {}, order)
    if HEALING in tables and (there := file.count(HEALING)):
        why = "what was repaired is not imported"
        yield SourceRow(HEALING, f"({there} rows)", LeftOut(why))


def _event(raw: Raw, scope: str | None) -> Meant:
    kind, outcome, at = cells.text(raw, "event_type"), raw.get("outcome"), cells.instant(raw, "timestamp")
    if kind not in KINDS:
        raise cells.fault("event_type", f"must be one of {', '.join(KINDS)}", "unknown_value")
    if outcome is not None and outcome not in OUTCOMES:
        raise cells.fault("outcome", f"must be one of {', '.join(OUTCOMES)}", "unknown_value")
    if at is None:
        raise cells.fault("timestamp", "is required", "required")
    session, plugin = cells.text(raw, "session_id").strip(), cells.text(raw, "plugin").strip() or "founder-os"
    command = cells.text(raw, "command").strip()
    event = {
        "kind": kind,
        "actor": plugin,
        "ref": cells.text(raw, "id"),
        "at": at,
        "summary": " ".join(part for part in (plugin, command) if part),
        "tool": command if kind == "mcp_call" else "",
        "result": cells.json_of(raw, "payload", dict, nothing=None),
        "ok": None if outcome is None else outcome == "success",
        "latency_ms": cells.number(raw, "duration_ms", least=0, most=1e12),
    }
    return LooseEvent, {
        "group": (EVENTS, session or f"{plugin} {at.astimezone(UTC).date()}"),
        "source": plugin,
        "scope": cells.scope_of(scope, {**raw, "source_plugin": plugin}),
        "thread_id": session or None,
        "outcome": OUTCOMES.get(str(outcome)),
        "event": event,
    }


def _pattern(raw: Raw, scope: str | None) -> Meant:
    """What the plugins' own rules found is a candidate here, whatever it was there; people decide."""
    kind, status = cells.text(raw, "pattern_type"), cells.text(raw, "status")
    if kind not in CATEGORIES:
        raise cells.fault("pattern_type", f"must be one of {', '.join(CATEGORIES)}", "unknown_value")
    if status not in PATTERN_STATUSES:
        raise cells.fault("status", f"must be one of {', '.join(PATTERN_STATUSES)}", "unknown_value")
    plugin, command = cells.text(raw, "plugin").strip() or "founder-os", cells.text(raw, "command").strip()
    return ClaimRecord, {
        "category": CATEGORIES[kind],
        "content": cells.text(raw, "instruction").strip() or cells.text(raw, "description"),
        "source": plugin,
        "scope": cells.scope_of(scope, {**raw, "source_plugin": plugin}),
        "tags": [tag for tag in (kind, command) if tag],
        "confidence": cells.percent_of_share(raw, "confidence"),
        "status": "dismissed" if status == "rejected" else "candidate",
        "reason": "rejected in Founder OS" if status == "rejected" else "",
        "times_confirmed": cells.whole(raw, "confirmations"),
        "created_at": cells.instant(raw, "created_at"),
        "updated_at": cells.instant(raw, "updated_at"),
    }
