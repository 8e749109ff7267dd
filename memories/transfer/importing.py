"""Import a file of another store, or preview what would come in. A second import goes on where the first one ended."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from memories.transfer import conversation_lines, founder_os, mem0, membrane, memos_lines, row_batches
from memories.transfer.options import Format, Options, Result, RowResult
from memories.transfer.records import SourceRow
from memories.transfer.sqlite_file import Unreadable

Reader = Callable[[Path, str | None], Iterator[SourceRow]]
READERS: dict[Format, Reader] = {
    Format.FOUNDER_OS: founder_os.rows,
    Format.MEMBRANE: membrane.rows,
    Format.MEM0: mem0.rows,
    Format.OPEN_MEMORY: mem0.openmemory_rows,
    Format.MEMOS: memos_lines.rows,
    Format.PACK: memos_lines.rows,
}
MOST_TOLD = 50  # rows that a summary keeps of each kind


@dataclass
class Summary:
    """Results so far. `statuses`: of the new memories, counted; `first`, `problems`: up to MOST_TOLD rows each."""

    rows: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    first: list[RowResult] = field(default_factory=list)
    problems: list[RowResult] = field(default_factory=list)

    def add(self, result: RowResult) -> None:
        self.rows += 1
        self.counts[result.result.value] += 1
        if result.status:
            self.statuses[result.status] += 1
        if result.errors and len(self.problems) < MOST_TOLD:
            self.problems.append(result)
        if result.shown and len(self.first) < MOST_TOLD:
            self.first.append(result)

    @property
    def as_json(self) -> dict[str, Any]:
        """As a row of the database keeps it."""
        rows = {name: [asdict(row) for row in getattr(self, name)] for name in ("first", "problems")}
        counts = [[result.value.replace("_", " "), self.counts[result]] for result in Result if self.counts[result]]
        return {"rows": self.rows, "counts": counts, "statuses": dict(self.statuses), **rows}

    @property
    def failed(self) -> int:
        return self.counts[Result.FAILED]


def import_file(
    path: Path,
    options: Options,
    *,
    at: Callable[[], datetime],
    keeps: bool = True,
    most: int | None = None,
) -> Iterator[list[RowResult]]:
    """Write the rows of a file batch by batch, each in a transaction of its own, and yield the results.

    `keeps` False: a preview, every batch is rolled back. `most`: the greatest number of rows to read. Unreadable: the
    file is not of its format, or incomplete; nothing of it was imported.
    """
    try:
        if options.format == Format.CONVERSATIONS:
            yield from conversation_lines.import_lines(path, options, at=at, keeps=keeps, most=most)
            return
        rows, statuses = READERS[options.format](path, options.scope), dict[bytes, str]()
        for batch in row_batches.batches(islice(rows, most)):
            yield row_batches.write(batch, options, at=at(), keeps=keeps, statuses=statuses)
    except OSError as error:
        raise Unreadable(f"{path.name}: {error.strerror}") from None
