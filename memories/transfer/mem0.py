"""mem0: JSON of the API or of get_all, the plugin's Markdown. OpenMemory: JSON lines."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memories.intake.claims import category_of
from memories.transfer import cells
from memories.transfer.cells import ParsedRow, Raw
from memories.transfer.json_files import bounded_lines, objects_of_lines, objects_of_list
from memories.transfer.records import ClaimRecord, LeftOut, SourceRow
from memories.values.choices import Category
from memories.values.exceptions import Invalid
from memories.values.field_errors import format_instant
from memories.values.field_types import LONGEST_TEXT

TABLE = "memory"
FENCE = "---"
FIELD = re.compile(r"([a-z_]{1,40}):(?:\s+(.*))?")
LISTS = ("files", "categories")
NAMES = {"content": "memory", "tags": "categories"}


def rows(path: Path, scope: str | None) -> Iterator[SourceRow]:
    """The memories of an export. Unreadable: it is neither JSON nor Markdown of mem0, or not whole."""
    if _is_markdown(path):
        yield from _markdown(path, scope)
        return
    for number, raw in objects_of_list(path):
        yield _row(number, raw, _memory, NAMES, scope)


def openmemory_rows(path: Path, scope: str | None) -> Iterator[SourceRow]:
    for number, raw in objects_of_lines(path):
        yield _row(number, raw, _open_memory, {"tags": "categories"}, scope)


def _row(
    number: int, raw: dict[str, Any] | Invalid, reader: cells.Reader, names: dict[str, str], scope: str | None
) -> SourceRow:
    """A row named by its id, else by its place in the file."""
    id = None if isinstance(raw, Invalid) else raw.get("id")
    has_id = isinstance(id, int | str) and 0 < len(str(id)) <= 512
    table, name = (TABLE, str(id)) if has_id else ("entry", str(number))
    return cells.row_of(table, name, raw, reader, names, scope, ignored_field="score")


def _memory(raw: Raw) -> ParsedRow:
    words = cells.prose(raw, "memory")
    if not words:
        raise cells.field_error("memory", "is required", "required")
    agent, app = cells.text(raw, "agent_id").strip(), cells.text(raw, "app_id").strip()
    origin = {name: raw[name] for name in ("user_id", "agent_id", "run_id", "app_id") if raw.get(name) is not None}
    metadata = cells.json_of(raw, "metadata", dict, nothing={})
    return ClaimRecord, {
        **_common(raw, words),
        "source": agent or app or "mem0",
        "thread_id": cells.text(raw, "run_id") or None,
        "updated_at": cells.instant(raw, "updated_at"),
        "sources": [_source("mem0", raw, **origin, **({"metadata": metadata} if metadata else {}))],
    }


def _open_memory(raw: Raw) -> ParsedRow:
    state = cells.text(raw, "state") or "active"
    if state == "deleted":
        return LeftOut("it was deleted in OpenMemory")
    if state not in ("active", "paused", "archived"):
        raise cells.field_error("state", "must be one of active, paused, archived, deleted", "unknown_value")
    words = cells.prose(raw, "content") or cells.prose(raw, "text")
    if not words:
        raise cells.field_error("content", "is required", "required")
    app, metadata = cells.text(raw, "app").strip(), cells.json_of(raw, "metadata", dict, nothing={})
    return ClaimRecord, {
        **_common(raw, words),
        "source": app or "openmemory",
        "sources": [_source("openmemory", raw, state=state, **({"metadata": metadata} if metadata else {}))],
    }


def _common(raw: Raw, words: str) -> dict[str, Any]:
    return {
        "content": words,
        "category": category_of(words),
        "tags": cells.texts(raw, "categories"),
        "created_at": cells.instant(raw, "created_at"),
    }


def _source(kind: str, raw: Raw, **more: Any) -> dict[str, Any]:
    at = cells.instant(raw, "created_at")
    return {"kind": kind, "ref": cells.text(raw, "id"), **({"timestamp": format_instant(at)} if at else {}), **more}


def _is_markdown(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(FENCE.encode())


def _markdown(path: Path, scope: str | None) -> Iterator[SourceRow]:
    """Blocks of front matter between `---` and a text; a `---` within a text is followed by no `id:`."""
    for number, raw in enumerate(_blocks(path), start=1):
        yield _row(number, raw, _block, {"content": "text"}, scope)


def _blocks(path: Path) -> Iterator[dict[str, Any]]:
    """Blocks with their `text`; one longer than LONGEST_TEXT is cut after the line that exceeds it."""
    block: dict[str, Any] = {}
    text: list[str] = []
    size, is_front_matter, is_after_fence = 0, False, False
    for line in _lines(path):
        if is_front_matter:
            is_front_matter = line.strip() != FENCE
            _take_field(block, line)
            continue
        if is_after_fence and line.startswith("id:"):
            if block or any(text):
                yield {**block, "text": "\n".join(text)}
            block, text, size, is_front_matter, is_after_fence = {}, [], 0, True, False
            _take_field(block, line)
            continue
        if is_after_fence:
            text.append(FENCE)
        is_after_fence = line.strip() == FENCE
        if not is_after_fence and size <= LONGEST_TEXT:
            text.append(line)
            size += len(line) + 1
    if block or any(text):
        yield {**block, "text": "\n".join(text)}


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in bounded_lines(file, 4 * LONGEST_TEXT):
            yield line.decode("utf-8-sig", "surrogateescape").rstrip("\r\n")


def _take_field(block: dict[str, Any], line: str) -> None:
    if match := FIELD.fullmatch(line.strip()):
        name, value = match[1], (match[2] or "").strip().strip('"')
        block[name] = [part.strip() for part in value.split(",") if part.strip()] if name in LISTS else value


def _block(raw: Raw) -> ParsedRow:
    words = cells.text(raw, "text").strip()
    if not words:
        raise cells.field_error("text", "is required", "required")
    kind = cells.text(raw, "type").strip()
    category = kind if kind in Category.values else category_of(words)
    more = {name: raw[name] for name in ("branch", "files") if raw.get(name)}
    return ClaimRecord, {
        **_common(raw, words),
        "category": category,
        "tags": [*cells.texts(raw, "categories"), *([kind] if kind and kind != category else [])],
        "confidence": _confidence(raw),
        "source": "mem0",
        "sources": [_source("mem0", raw, **more)],
    }


def _confidence(raw: Raw) -> int | None:
    """The confidence as 0 to 100; 0.9 and 90 are the same."""
    text = cells.text(raw, "confidence").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise cells.field_error("confidence", "must be a number", "not_a_number") from None
    return cells.percent_of_share({"confidence": value if value <= 1 else value / 100}, "confidence")
