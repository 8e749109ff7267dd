"""The list of memories as a file: what is shown, with its filters, words and order.

CSV for spreadsheets has the columns that are shown; JSON lines have the whole memories, for another store.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Memory
from memories.transfer import exporting
from memories.values.choices import Sensitivity
from memories.values.field_errors import format_instant
from memories.web.memory_list import MemoryList, columns_of

COLUMNS = (
    *("id", "type", "scope", "key", "category", "content", "source", "origin", "company_id", "tags", "sensitivity"),
    *("confidence", "status", "times_used", "times_confirmed", "last_used_at", "created_at", "updated_at"),
)
FORMULA = (*"=+-@\t\r\n", *"＝＋－＠")  # how a cell begins that a spreadsheet computes
SHOWN = {"type": ("type", "category"), "company": ("company_id",), "used": ("times_used",)}
SHOWN |= {"confirmed": ("times_confirmed",), "last_used": ("last_used_at",), "updated": ("updated_at",)}
SHOWN |= {"created": ("created_at",), "salience": ("salience_now",)}


@require_safe
def csv_file(request: HttpRequest) -> StreamingHttpResponse:
    listing = MemoryList.of(request, at=timezone.now())
    columns: tuple[str, ...] = COLUMNS
    if request.GET.get("column"):
        columns = ("id", "content", *(cell for name in columns_of(request) for cell in SHOWN.get(name, (name,))))
    sorted_rows = listing.rows_to_sort().with_salience(listing.moment).order_by(*listing.order)
    rows = iter(listing.hits) if listing.words else sorted_rows.iterator(500)
    return _file(_csv_lines(rows, columns), "text/csv; charset=utf-8", "memories.csv")


@require_safe
def json_lines(request: HttpRequest) -> StreamingHttpResponse:
    listing = MemoryList.of(request, at=timezone.now())
    rows = listing.rows()
    if listing.words:
        rows = rows.filter(pk__in=[row.pk for row in listing.hits])
    lines = exporting.lines(listing.trust, at=listing.at, rows=rows)
    return _file(lines, "application/x-ndjson", "memories.jsonl")


def _file(lines: Iterator[str], content_type: str, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


class _Line:
    """A file for csv.writer, whose `writerow` then returns the line."""

    def write(self, line: str) -> str:
        return line


def _csv_lines(rows: Iterable[Memory], columns: Sequence[str]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield f"\ufeff{writer.writerow(columns)}"  # by this mark spreadsheets know UTF-8
    for row in rows:
        yield str(writer.writerow([safe_cell(_cell(row, name)) for name in columns]))


def _cell(row: Memory, name: str) -> str:
    if name == "sensitivity":
        return str(Sensitivity(row.sensitivity).label)
    if name == "salience_now":
        return f"{getattr(row, name):.3f}"
    if name == "tags":
        return ", ".join(row.tags)
    value: Any = getattr(row, name)
    if isinstance(value, datetime):
        return format_instant(value)
    return "" if value is None else str(value)


def safe_cell(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet would compute it as a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
