"""Founder OS `memory.db`: memories, the observations of plugins, adaptations. Times are unix seconds."""

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from memories.transfer import cells
from memories.transfer.cells import ParsedRow, Raw
from memories.transfer.records import AdaptationRecord, ClaimRecord, LeftOut, LooseEvent, SourceRow
from memories.transfer.sqlite_file import SqliteFile, Unreadable, open_file

MEMORIES, OBSERVATIONS, ADAPTATIONS = "memories", "observations", "adaptations"
NEEDED = ("id", "key", "category", "content", "source_plugin", "confidence", "status")
KNOWN = (
    *("company_id", "tags", "times_used", "times_confirmed", "created_at", "updated_at", "last_used_at", "expires_at"),
    "deleted_at",  # of newer files only
)
NAMES = {"source": "source_plugin"}
STATUSES = ("candidate", "confirmed", "applied", "dismissed")


def rows(path: Path, scope: str | None) -> Iterator[SourceRow]:
    """The rows of a `memory.db`, or of the `intelligence.db` that lies beside it. Unreadable: it is neither."""
    with open_file(path) as file:
        tables = file.tables()
        if MEMORIES in tables:
            yield from _memories(file, scope)
            if OBSERVATIONS in tables:
                yield from _observations(file, scope)
            if ADAPTATIONS in tables:
                yield from _adaptations(file)
        elif {"events", "patterns"} & tables:
            yield from _intelligence(file, tables, scope)
        else:
            raise Unreadable("no table memories, events or patterns: it is no database of Founder OS")


def _memories(file: SqliteFile, scope: str | None) -> Iterator[SourceRow]:
    columns = file.columns(MEMORIES, required=NEEDED, optional=KNOWN)
    yield from cells.read_table(file, MEMORIES, columns, _memory, NAMES, scope)


def _memory(raw: Raw) -> ParsedRow:
    if raw.get("deleted_at") is not None:
        return LeftOut("it was deleted in Founder OS")
    status = cells.text(raw, "status")
    if status not in STATUSES:
        raise cells.field_error("status", f"must be one of {', '.join(STATUSES)}", "unknown_value")
    return ClaimRecord, {
        "key": cells.text(raw, "key").strip() or None,
        "category": cells.text(raw, "category"),
        "content": cells.prose(raw, "content"),
        "source": cells.text(raw, "source_plugin").strip() or "founder-os",
        "company_id": cells.text(raw, "company_id") or None,
        "tags": cells.texts(raw, "tags"),
        "confidence": None if raw["confidence"] is None else cells.whole_number(raw, "confidence", most=100),
        "status": status,
        "reason": "dismissed in Founder OS" if status == "dismissed" else "",
        "times_used": cells.whole_number(raw, "times_used"),
        "times_confirmed": cells.whole_number(raw, "times_confirmed"),
        "created_at": cells.instant(raw, "created_at"),
        "updated_at": cells.instant(raw, "updated_at"),
        "last_used_at": cells.instant(raw, "last_used_at"),
        "expires_at": cells.instant(raw, "expires_at"),
    }


def _observations(file: SqliteFile, scope: str | None) -> Iterator[SourceRow]:
    columns = file.columns(OBSERVATIONS, required=("id", "plugin", "action", "context", "observed_at"))
    order = "plugin, observed_at, rowid"
    yield from cells.read_table(file, OBSERVATIONS, columns, _observation, {}, scope, order=order)


def _observation(raw: Raw) -> ParsedRow:
    """A run of a plugin, as the pattern rules read it; the runs of a plugin on one day are one episode."""
    plugin, at = cells.text(raw, "plugin"), cells.instant(raw, "observed_at")
    if not plugin.strip() or at is None:
        raise cells.field_error("observed_at" if plugin.strip() else "plugin", "is required", "required")
    context = cells.json_of(raw, "context", dict, nothing={})
    event = {
        "kind": cells.text(raw, "action").strip() or "observation",
        "actor": plugin,
        "ref": cells.text(raw, "id"),
        "at": at,
        "context": context,
    }
    day = at.astimezone(UTC).date().isoformat()
    return LooseEvent, {
        "group": (OBSERVATIONS, plugin, day),
        "source": plugin,
        "event": event,
    }


def _adaptations(file: SqliteFile) -> Iterator[SourceRow]:
    required_columns = ("id", "memory_id", "plugin", "description", "applied_at", "reverted_at")
    columns = file.columns(ADAPTATIONS, required=required_columns)
    yield from cells.read_table(file, ADAPTATIONS, columns, _adaptation, {"memory": "memory_id"})


def _adaptation(raw: Raw) -> ParsedRow:
    applied_at = cells.instant(raw, "applied_at")
    if applied_at is None:
        raise cells.field_error("applied_at", "is required", "required")
    return AdaptationRecord, {
        "memory": cells.text(raw, "memory_id"),
        "plugin": cells.text(raw, "plugin"),
        "description": cells.text(raw, "description"),
        "applied_at": applied_at,
        "reverted_at": cells.instant(raw, "reverted_at"),
    }


EVENTS, PATTERNS, HEALING = "events", "patterns", "healing_patterns"
EVENT_COLUMNS = ("id", "timestamp", "session_id", "plugin", "command", "event_type", "payload", "outcome")
PATTERN_COLUMNS = ("id", "pattern_type", "plugin", "instruction", "confidence", "status")
MORE_OF_PATTERNS = ("command", "description", "confirmations", "created_at", "updated_at")
KINDS = ("pre_command", "post_command", "mcp_call", "decision_point", "error")
OUTCOMES = {"success": "success", "failure": "failure", "degraded": "partial"}
CATEGORIES = {"taste": "preference", "workflow": "workflow", "autonomy": "pattern"}
PATTERN_STATUSES = ("candidate", "active", "approved", "rejected")


def _intelligence(file: SqliteFile, tables: set[str], scope: str | None) -> Iterator[SourceRow]:
    if PATTERNS in tables:
        columns = file.columns(PATTERNS, required=PATTERN_COLUMNS, optional=MORE_OF_PATTERNS)
        yield from cells.read_table(file, PATTERNS, columns, _pattern, {"source": "plugin"}, scope)
    if EVENTS in tables:
        columns = file.columns(EVENTS, required=EVENT_COLUMNS, optional=("duration_ms",))
        order = "session_id, timestamp, rowid"
        yield from cells.read_table(file, EVENTS, columns, _event, {}, scope, order=order)
    if HEALING in tables and (there := file.count(HEALING)):
        why = "what was repaired is not imported"
        yield SourceRow(HEALING, f"({there} rows)", LeftOut(why))


def _event(raw: Raw) -> ParsedRow:
    kind, outcome, at = cells.text(raw, "event_type"), raw.get("outcome"), cells.instant(raw, "timestamp")
    if kind not in KINDS:
        raise cells.field_error("event_type", f"must be one of {', '.join(KINDS)}", "unknown_value")
    if outcome is not None and outcome not in OUTCOMES:
        raise cells.field_error("outcome", f"must be one of {', '.join(OUTCOMES)}", "unknown_value")
    if at is None:
        raise cells.field_error("timestamp", "is required", "required")
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
        "thread_id": session or None,
        "outcome": OUTCOMES.get(str(outcome)),
        "event": event,
    }


def _pattern(raw: Raw) -> ParsedRow:
    """What the plugins' own rules found is a candidate here, whatever it was there; people decide."""
    kind, status = cells.text(raw, "pattern_type"), cells.text(raw, "status")
    if kind not in CATEGORIES:
        raise cells.field_error("pattern_type", f"must be one of {', '.join(CATEGORIES)}", "unknown_value")
    if status not in PATTERN_STATUSES:
        raise cells.field_error("status", f"must be one of {', '.join(PATTERN_STATUSES)}", "unknown_value")
    plugin, command = cells.text(raw, "plugin").strip() or "founder-os", cells.text(raw, "command").strip()
    return ClaimRecord, {
        "category": CATEGORIES[kind],
        "content": cells.text(raw, "instruction").strip() or cells.text(raw, "description"),
        "source": plugin,
        "tags": [tag for tag in (kind, command) if tag],
        "confidence": cells.percent_of_share(raw, "confidence"),
        "status": "dismissed" if status == "rejected" else "candidate",
        "reason": "rejected in Founder OS" if status == "rejected" else "",
        "times_confirmed": cells.whole_number(raw, "confirmations"),
        "created_at": cells.instant(raw, "created_at"),
        "updated_at": cells.instant(raw, "updated_at"),
    }
