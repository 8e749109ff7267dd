"""Calls that work on workbooks by what they do there: sheets that are read, rows that are written.

read_range(path=books.xlsx, sheet=Suppliers)                     -> `read sheet Suppliers of books.xlsx`, its records
write_range(path=books.xlsx, sheet=Payments, at=A5, rows=[[...]])
    -> `write sheet Payments of books.xlsx`, arguments {Due: 2027-02-03, Supplier: ..., Amount: ..., Purchase: ...}
python <<E ... h = wb["History"]; h.append([...]); wb.save(...)  -> `write sheet History of prices.xlsx`

What a run writes into a row again belongs to the first time: the row is written once, as it was left.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from consolidation.learning.runs import operations, sheet_tools, workbook_code
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.sheet_tools import Cells, SheetCall

MOST_RECORDS = 60
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]")


def by_sheets(calls: Iterable[Call]) -> list[Call]:
    """Return the calls in order, those of spreadsheet tools as sheets that are read and rows that are written."""
    reading = _Reading()
    for call in calls:
        reading.add(call)
    return reading.calls


class _Reading:
    """The calls of a run as far as they are read, and what each sheet is known to hold. `_written`: the place of the
    call that wrote a row first."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._held: dict[str, Cells] = {}
        self._written: dict[tuple[str, int], int] = {}

    def add(self, call: Call) -> None:
        step = None if call.sheet or call.via else sheet_tools.read(call)
        if step is None:
            self.calls.append(call)
            if not call.failed:
                self._add_code(call)
        elif call.failed:
            self.calls.append(replace(call, sheet=_operation(step.does, step.file, step.title)))
        elif step.does == "read":
            self._add_look(call, step)
        elif step.does == "write":
            self._add_rows(call, step)

    def _add_code(self, call: Call) -> None:
        for sheet in [] if call.sheet else workbook_code.sheets_written(_line(call)):
            name = _operation("write", sheet.file, sheet.title)
            if (name, 0) not in self._written:
                self._written[name, 0] = len(self.calls)
                self.calls.append(replace(call, args={}, result=None, sheet=name))

    def _add_look(self, call: Call, step: SheetCall) -> None:
        name = _operation("read", step.file, step.title)
        held = self._held.setdefault(_place(step), {})
        held.update(step.cells)
        records = list(_records(held))[:MOST_RECORDS]
        self.calls.append(replace(call, args={}, result=records, sheet=name))

    def _add_rows(self, call: Call, step: SheetCall) -> None:
        """Add a call for each row that is new to this run, and what is written into others to the call that wrote them.

        A row is told with the first field of its record, by which it is found.
        """
        name, held = _operation("write", step.file, step.title), self._held.setdefault(_place(step), {})
        known = {row for row, _ in held}
        held.update(step.cells)
        fields = _fields(held)
        for row in dict.fromkeys(row for row, _ in step.cells):
            given = {
                fields[column]: _plain(value, row)
                for (at, column), value in step.cells.items()
                if at == row and column in fields
            }
            first = min(fields, default=0)
            key = {fields[first]: held[row, first]} if row in known and (row, first) in held else {}
            n = self._written.setdefault((name, row), len(self.calls))
            if n == len(self.calls):
                self.calls.append(replace(call, args={}, result=None, sheet=name))
            self.calls[n] = replace(self.calls[n], args={**self.calls[n].args, **key, **given})


def _line(call: Call) -> str:
    given = call.sent.get("command") or call.sent.get("cmd")
    line = given[-1] if isinstance(given, list) and given else given
    return line if isinstance(line, str) else ""


def _place(step: SheetCall) -> str:
    return f"{step.file}/{step.title}"


def _operation(does: str, file: str, title: str) -> str:
    """Return the operation of a sheet, with N for numbers, which differ from one month or customer to the next."""
    name = f"{title or '(active)'} of {file}"
    return f"{operations.WRITE_SHEET if does == 'write' else operations.READ_SHEET} {_DIGITS.sub('N', name)}"


def _fields(held: Cells) -> dict[int, str]:
    """Return column -> its name, from the first row that holds nothing but several words; {} for none."""
    rows: dict[int, dict[int, Any]] = {}
    for (row, column), value in held.items():
        rows.setdefault(row, {})[column] = value
    heads = (rows[row] for row in sorted(rows) if len(rows[row]) > 1 and all(map(_is_word, rows[row].values())))
    return {column: str(name).strip() for column, name in next(heads, {}).items()}


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(_WORD.search(value)) and not value.startswith("=")


def _records(held: Cells) -> Iterator[dict[str, Any]]:
    """Yield the rows below the names of the columns as records."""
    fields = _fields(held)
    rows: dict[int, dict[str, Any]] = {}
    for (row, column), value in sorted(held.items(), key=lambda pair: pair[0]):
        if column in fields:
            rows.setdefault(row, {})[fields[column]] = value
    yield from (record for record in rows.values() if list(record.values()) != list(fields.values()))


def _plain(value: Any, row: int) -> Any:
    """Return a formula without the number of its own row: `=C{row}-D{row}`."""
    is_formula = isinstance(value, str) and value.startswith("=")
    return re.sub(rf"(?<=[A-Z]){row}(?!\d)", "{row}", value) if is_formula else value
