"""Founder OS `memory.db`: memories, the observations of plugins, adaptations. Times are unix seconds."""

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

from memories.transfer import cells, intelligence
from memories.transfer.cells import Raw
from memories.transfer.records import (
    AdaptationRecord,
    AnyRecord,
    ClaimRecord,
    LeftOut,
    LooseEvent,
    SourceRow,
)
from memories.transfer.sqlite_file import SqliteFile, Unreadable, opened

MEMORIES, OBSERVATIONS, ADAPTATIONS = "memories", "observations", "adaptations"
NEEDED = ("id", "key", "category", "content", "source_plugin", "confidence", "status")
KNOWN = (
    *("company_id", "tags", "times_used", "times_confirmed", "created_at", "updated_at", "last_used_at", "expires_at"),
    "deleted_at",  # of newer files only
)
NAMES = {"source": "source_plugin"}
STATUSES = ("candidate", "confirmed", "applied", "dismissed")
Meant = LeftOut | tuple[type[AnyRecord], dict[str, Any]]


def rows(path: Path, scope: str | None) -> Iterator[SourceRow]:
    """The rows of a `memory.db`, or of the `intelligence.db` that lies beside it. Unreadable: it is neither."""
    with opened(path) as file:
        tables = file.tables()
        if MEMORIES in tables:
            yield from _memories(file, scope)
            if OBSERVATIONS in tables:
                yield from _observations(file, scope)
            if ADAPTATIONS in tables:
                yield from _adaptations(file)
        elif {"events", "patterns"} & tables:
            yield from intelligence.rows(file, tables, scope)
        else:
            raise Unreadable("no table memories, events or patterns: it is no database of Founder OS")


def count(path: Path) -> int:
    with opened(path) as file:
        every = {MEMORIES, OBSERVATIONS, ADAPTATIONS, "events", "patterns"} & file.tables()
        return sum(file.count(table) for table in every)


def _memories(file: SqliteFile, scope: str | None) -> Iterator[SourceRow]:
    columns = file.columns(MEMORIES, needed=NEEDED, known=KNOWN)
    yield from cells.read_table(file, MEMORIES, columns, lambda raw: _memory(raw, scope), NAMES)


def _memory(raw: Raw, scope: str | None) -> Meant:
    if raw.get("deleted_at") is not None:
        return LeftOut("it was deleted in Founder OS")
    status = cells.text(raw, "status")
    if status not in STATUSES:
        raise cells.fault("status", f"must be one of {', '.join(STATUSES)}", "unknown_value")
    return ClaimRecord, {
        "key": cells.text(raw, "key").strip() or None,
        "category": cells.text(raw, "category"),
        "content": cells.prose(raw, "content"),
        "source": cells.text(raw, "source_plugin").strip() or "founder-os",
        "scope": cells.scope_of(scope, raw),
        "company_id": cells.text(raw, "company_id") or None,
        "tags": cells.texts(raw, "tags"),
        "confidence": None if raw["confidence"] is None else cells.whole(raw, "confidence", most=100),
        "status": status,
        "reason": "dismissed in Founder OS" if status == "dismissed" else "",
        "times_used": cells.whole(raw, "times_used"),
        "times_confirmed": cells.whole(raw, "times_confirmed"),
        "created_at": cells.instant(raw, "created_at"),
        "updated_at": cells.instant(raw, "updated_at"),
        "last_used_at": cells.instant(raw, "last_used_at"),
        "expires_at": cells.instant(raw, "expires_at"),
    }


def _observations(file: SqliteFile, scope: str | None) -> Iterator[SourceRow]:
    columns = file.columns(OBSERVATIONS, needed=("id", "plugin", "action", "context", "observed_at"))
    reader = lambda raw: _observation(raw, scope)  # noqa: E731
    yield from cells.read_table(file, OBSERVATIONS, columns, reader, {}, "plugin, observed_at, rowid")


def _observation(raw: Raw, scope: str | None) -> Meant:
    """A run of a plugin, as the pattern rules read it; the runs of a plugin on one day are one episode."""
    plugin, at = cells.text(raw, "plugin"), cells.instant(raw, "observed_at")
    if not plugin.strip() or at is None:
        raise cells.fault("observed_at" if plugin.strip() else "plugin", "is required", "required")
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
        "scope": cells.scope_of(scope, {**raw, "source_plugin": plugin}),
        "event": event,
    }


def _adaptations(file: SqliteFile) -> Iterator[SourceRow]:
    needed = ("id", "memory_id", "plugin", "description", "applied_at", "reverted_at")
    columns = file.columns(ADAPTATIONS, needed=needed)
    yield from cells.read_table(file, ADAPTATIONS, columns, _adaptation, {"memory": "memory_id"})


def _adaptation(raw: Raw) -> Meant:
    applied_at = cells.instant(raw, "applied_at")
    if applied_at is None:
        raise cells.fault("applied_at", "is required", "required")
    return AdaptationRecord, {
        "memory": cells.text(raw, "memory_id"),
        "plugin": cells.text(raw, "plugin"),
        "description": cells.text(raw, "description"),
        "applied_at": applied_at,
        "reverted_at": cells.instant(raw, "reverted_at"),
    }
