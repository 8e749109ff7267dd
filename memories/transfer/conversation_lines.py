"""Recorded conversations, one JSON object a line, as closed episodes: for the command and for the page of imports.

A line that was imported before is skipped, known by its `id`, else by what it says; another outcome replaces the first.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction

from memories.intake import episodes
from memories.intake.reports import conversation
from memories.intake.reports.conversation import Draft
from memories.scanning import secret_removal
from memories.transfer.json_files import bounded_lines
from memories.transfer.options import Options, Result, RowResult
from memories.values import strict_json
from memories.values.exceptions import Conflict, FieldError, Invalid, NotAllowed
from memories.values.trust import Trust

LONGEST_LINE = 21 * 1024 * 1024
LINES_AT_ONCE, BYTES_AT_ONCE = 50, 4 * 1024 * 1024  # of one transaction
LONGEST_SHOWN = 200
Refusal = Invalid | Conflict | NotAllowed
Line = tuple[int, Draft | Refusal]
Outcome = tuple[int, episodes.Ingested | Refusal]


def read(line: bytes, defaults: dict[str, Any]) -> Draft | Refusal:
    """Parse a line; fields that it lacks are taken from `defaults`. A refusal is returned, not raised."""
    try:
        if len(line) > LONGEST_LINE:
            raise Invalid(FieldError("", "too_large", "the line is larger than 21 MiB"))
        raw = secret_removal.at_intake(strict_json.loads(line))
        draft = conversation.parse(_with_defaults(raw, defaults) if isinstance(raw, dict) else raw)
    except Invalid as invalid:
        return invalid
    if draft.fields.id is None:
        draft.fields.id = f"sha256:{draft.sha256.hex()}"
    return draft


def _with_defaults(raw: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    names_given = {"source" if name == "source_plugin" else name for name, value in raw.items() if value is not None}
    return raw | {name: value for name, value in defaults.items() if name not in names_given}


def batches(lines: Iterable[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    """Numbered lines, as many as one transaction stores."""
    group: list[tuple[int, bytes]] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        group.append((number, line))
        size += len(line)
        if len(group) == LINES_AT_ONCE or size > BYTES_AT_ONCE:
            yield group
            group, size = [], 0
    yield group


def store(lines: Sequence[Line], *, trust: Trust, at: datetime) -> Iterator[Outcome]:
    """Store lines within the caller's transaction; yields for each its number and its result or its refusal."""
    drafts = [line for _, line in lines if isinstance(line, Draft)]
    results = iter(episodes.conversations(drafts, trust=trust, at=at))
    for number, line in lines:
        yield number, next(results) if isinstance(line, Draft) else line


def import_lines(
    path: Path, options: Options, *, at: Callable[[], datetime], keeps: bool, most: int | None
) -> Iterator[list[RowResult]]:
    """Import a file; yields the results of its lines, batch by batch. `keeps` False: every batch is rolled back."""
    defaults = {"scope": options.scope} if options.scope else {}
    with path.open("rb") as file:
        for lines in batches(islice(bounded_lines(file, LONGEST_LINE), most)):
            read_lines = [(number, read(line, defaults)) for number, line in lines if line.strip()]
            drafts = {number: draft for number, draft in read_lines if isinstance(draft, Draft)}
            with transaction.atomic():
                outcomes = list(store(read_lines, trust=options.trust, at=at()))
                if not keeps:
                    transaction.set_rollback(True)
            yield [_result(number, outcome, drafts.get(number)) for number, outcome in outcomes]


def _result(number: int, outcome: episodes.Ingested | Refusal, draft: Draft | None) -> RowResult:
    name = f"line {number}"
    if isinstance(outcome, Exception):
        return RowResult.failed(name, outcome)
    result = Result.IMPORTED if outcome.created else Result.CHANGED if outcome.changed else Result.KNOWN
    shown = draft.content(draft.fields.source or "") if draft else ""
    return RowResult(name, result, shown=shown[:LONGEST_SHOWN])
