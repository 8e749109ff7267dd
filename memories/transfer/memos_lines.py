"""Our own JSON lines: what `exporting` writes, read again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from memories.transfer import cells
from memories.transfer.cells import ParsedRow, Raw
from memories.transfer.json_files import objects_of_lines
from memories.transfer.records import AnyRecord, ClaimRecord, EpisodeRecord, RelationRecord, SourceRow
from memories.values.choices import Origin
from memories.values.exceptions import Invalid

MEMORIES, RELATIONS = "memories", "relations"
MEMORY, EPISODE, RELATION = "memory", "episode", "relation"  # kinds of lines
SHAPES: dict[str, type[AnyRecord]] = {MEMORY: ClaimRecord, EPISODE: EpisodeRecord, RELATION: RelationRecord}
TOLD_ONLY = ("kind", "origin", "hold")  # how it stood there; here it is imported, and held by nobody
POLICIES = "policies"  # the source of memories that consolidation reads in instructions, each with a rule about calls
NO_RULE = "the rule that its words stand for is not in the file: calls are not checked against it here"


def rows(path: Path, scope: str | None) -> Iterator[SourceRow]:
    for number, raw in objects_of_lines(path):
        if isinstance(raw, Invalid):
            yield SourceRow("line", str(number), raw)
            continue
        table, id = _name(raw, number)
        row = cells.row_of(table, id, raw, _record, {}, scope)
        yield replace(row, notice=NO_RULE) if _lacks_its_rule(raw) else row


def _lacks_its_rule(raw: Raw) -> bool:
    return raw.get("source") == POLICIES and raw.get("origin") == Origin.CONSOLIDATED and not raw.get("policy")


def _name(raw: dict[str, Any], number: int) -> tuple[str, str]:
    if raw.get("kind") == RELATION:
        ends = [str(raw.get(name, ""))[:100] for name in ("source", "predicate", "target")]
        return RELATIONS, " ".join(ends)
    id = raw.get("id")
    return (MEMORIES, id) if isinstance(id, str) and 0 < len(id) <= 64 else ("line", str(number))


def _record(raw: Raw) -> ParsedRow:
    kind = cells.text(raw, "kind")
    if kind not in SHAPES:
        raise cells.field_error("kind", f"must be one of {', '.join(SHAPES)}", "unknown_value")
    fields = {name: value for name, value in raw.items() if name not in TOLD_ONLY}
    if kind != RELATION:
        fields["scope"] = cells.text(raw, "scope") or None
    return SHAPES[kind], fields
