"""Calls that work on workbooks, as operations on sheets: sheets that are read, rows that are written.

read_range(path=books.xlsx, sheet=Suppliers)                     -> `read sheet Suppliers of books.xlsx`, its records
write_range(path=books.xlsx, sheet=Payments, at=A5, rows=[[...]])
    -> `write sheet Payments of books.xlsx`, arguments {Due: 2027-02-03, Supplier: ..., Amount: ..., Purchase: ...}
python <<E ... h = wb["History"]; h.append([...]); wb.save(...)  -> `write sheet History of prices.xlsx`

Later writes into the same row are merged into its first call: a row is one call with its final values.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from consolidation.learning.runs import operations, sheet_tools, workbook_code
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.cells import python
from consolidation.learning.runs.sheet_tools import Cells, SheetCall
from consolidation.learning.runs.workbook_code import Sheet

MOST_RECORDS = 60  # of a look, and rows of one call
HEAD_ROWS = 10  # of which one names the columns
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]")
Rows = dict[int, dict[int, Any]]  # row -> column -> value


def by_sheets(calls: Iterable[Call]) -> list[Call]:
    """Return the calls in order, those of spreadsheet tools as sheets that are read and rows that are written."""
    reading = _Reading()
    for call in calls:
        reading.add(call)
    return reading.calls


class _Reading:
    """The calls of a run read so far, and the known cells of each sheet.

    `_first_writes`: (sheet, row) -> index of the call that wrote the row first. `_unsaved_sheets`: changed by the code
    of a kernel, not yet saved.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._sheets: dict[str, Rows] = {}
        self._first_writes: dict[tuple[str, int], int] = {}
        self._unsaved_sheets: list[Sheet] = []

    def add(self, call: Call) -> None:
        step = None if call.sheet or call.via else sheet_tools.sheet_call(call)
        file, title = sheet_tools.file_and_sheet(call)
        if file and title and sheet_tools.moves_rows(call):
            self._forget_rows(self._place(file, title))
        if step is None:
            self.calls.append(call)
            if not call.failed:
                self._add_code(call)
        elif call.failed:
            self.calls.append(replace(call, sheet=_operation(step.action, step.file, step.title)))
        elif step.action == "read":
            self._add_look(call, step)
        elif step.action == "write":
            self._add_rows(call, step)

    def _add_code(self, call: Call) -> None:
        for sheet in [] if call.sheet or call.via else self._saved_sheets(call):
            name = _operation("write", sheet.file, sheet.title)
            if (name, 0) not in self._first_writes:
                self._first_writes[name, 0] = len(self.calls)
                self.calls.append(replace(call, args={}, result=None, sheet=name))

    def _saved_sheets(self, call: Call) -> list[Sheet]:
        """Return the sheets that a call saves: changed by its code, in a kernel also by the code of earlier cells."""
        if not call.code:
            return workbook_code.sheets_written(call.command_line)
        changed_sheets, saves = workbook_code.changes_of(python(call.code))
        self._unsaved_sheets += changed_sheets
        sheets = list(dict.fromkeys(self._unsaved_sheets)) if saves else []
        self._unsaved_sheets = [] if saves else self._unsaved_sheets
        return sheets

    def _add_look(self, call: Call, step: SheetCall) -> None:
        name = _operation("read", step.file, step.title)
        rows, sheet_rows = _rows(step.cells), self._sheet_rows(step)
        _add(rows, sheet_rows)
        records = list(_records(rows, _fields(sheet_rows)))[:MOST_RECORDS]
        self.calls.append(replace(call, args={}, result=records, sheet=name))

    def _add_rows(self, call: Call, step: SheetCall) -> None:
        """Add a call for each row that this run writes for the first time; else extend the call that wrote it.

        The arguments of a row that was there before include its first field, by which it is identified.
        """
        name, sheet_rows = _operation("write", step.file, step.title), self._sheet_rows(step)
        known_rows, rows, place = set(sheet_rows), _rows(step.cells), self._place(step.path, step.title)
        _add(rows, sheet_rows)
        fields = _fields(sheet_rows)
        first = min(fields, default=0)
        for row, cells in list(rows.items())[:MOST_RECORDS]:
            is_head = fields == _names(cells)
            new_values = {fields[n]: _plain(value, row) for n, value in cells.items() if n in fields and not is_head}
            key = (
                {fields[first]: sheet_rows[row][first]}
                if row in known_rows and first in sheet_rows[row] and not is_head
                else {}
            )
            n = self._first_writes.setdefault((place, row), len(self.calls))
            if n == len(self.calls):
                self.calls.append(replace(call, args={}, result=None, sheet=name))
            self.calls[n] = replace(self.calls[n], args={**self.calls[n].args, **key, **new_values})

    def _sheet_rows(self, step: SheetCall) -> Rows:
        return self._sheets.setdefault(self._place(step.path, step.title), {})

    def _place(self, path: str, title: str) -> str:
        """Return the sheet as it was named first: by its whole path, or by the end of it."""
        place = f"/{path}/{title}"
        return next((name for name in self._sheets if name.endswith(place) or place.endswith(name)), place)

    def _forget_rows(self, place: str) -> None:
        """Forget all rows below the header: their numbers have changed."""
        sheet_rows = self._sheets.get(place, {})
        head = _head(sheet_rows)
        self._sheets[place] = {row: cells for row, cells in sheet_rows.items() if row <= head}
        self._first_writes = {key: n for key, n in self._first_writes.items() if key[0] != place}


def _rows(cells: Cells) -> Rows:
    rows: Rows = {}
    for (row, column), value in cells.items():
        rows.setdefault(row, {})[column] = value
    return rows


def _add(rows: Rows, sheet_rows: Rows) -> None:
    for row, cells in rows.items():
        sheet_rows.setdefault(row, {}).update(cells)


def _operation(action: str, file: str, title: str) -> str:
    """Return the operation of a sheet, with N for numbers, which differ from one month or customer to the next."""
    name = f"{title or '(active)'} of {file}"
    return f"{operations.WRITE_SHEET if action == 'write' else operations.READ_SHEET} {_DIGITS.sub('N', name)}"


def _head(sheet_rows: Rows) -> int:
    """Return the first row with several cells that are all words; 0 for none.

    0 also where row 1 was not seen: the first row of a range may be a record.
    """
    if 1 not in sheet_rows:
        return 0
    rows = ((row, sheet_rows.get(row, {}).values()) for row in range(1, HEAD_ROWS + 1))
    return next((row for row, cells in rows if len(cells) > 1 and all(map(_is_word, cells))), 0)


def _fields(sheet_rows: Rows) -> dict[int, str]:
    """Return column -> its name; {} for none."""
    return _names(sheet_rows.get(_head(sheet_rows), {}))


def _names(cells: dict[int, Any]) -> dict[int, str]:
    return {column: str(name).strip() for column, name in cells.items()}


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(_WORD.search(value)) and "@" not in value and not value.startswith("=")


def _records(rows: Rows, fields: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows below the names of the columns as records."""
    for _, cells in sorted(rows.items()):
        record = {fields[column]: value for column, value in sorted(cells.items()) if column in fields}
        if record and list(record.values()) != list(fields.values()):
            yield record


def _plain(value: Any, row: int) -> Any:
    """Return a formula without the number of its own row: `=C{row}-D{row}`."""
    is_formula = isinstance(value, str) and value.startswith("=")
    return re.sub(rf"(?<=[A-Z]){row}(?!\d)", "{row}", value) if is_formula else value
