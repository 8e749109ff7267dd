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
    """The calls of a run as far as they are read, and what each sheet is known to hold. `_written`: the place of the
    call that wrote a row first. `_unsaved`: the sheets that a kernel holds changed."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._held: dict[str, Rows] = {}
        self._written: dict[tuple[str, int], int] = {}
        self._unsaved: list[Sheet] = []

    def add(self, call: Call) -> None:
        step = None if call.sheet or call.via else sheet_tools.read(call)
        file, title = sheet_tools.place(call)
        if file and title and sheet_tools.moves_rows(call):
            self._forget_rows(self._place(file, title))
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
        for sheet in [] if call.sheet or call.via else self._saved(call):
            name = _operation("write", sheet.file, sheet.title)
            if (name, 0) not in self._written:
                self._written[name, 0] = len(self.calls)
                self.calls.append(replace(call, args={}, result=None, sheet=name))

    def _saved(self, call: Call) -> list[Sheet]:
        """Return the sheets that a call saves as changed by its code, of a kernel also by that of the cells before."""
        if not call.code:
            return workbook_code.sheets_written(call.command_line)
        changed, saves = workbook_code.changes_of(python(call.code))
        self._unsaved += changed
        saved = list(dict.fromkeys(self._unsaved)) if saves else []
        self._unsaved = [] if saves else self._unsaved
        return saved

    def _add_look(self, call: Call, step: SheetCall) -> None:
        name = _operation("read", step.file, step.title)
        rows, held = _rows(step.cells), self._held_of(step)
        _add(rows, held)
        records = list(_records(rows, _fields(held)))[:MOST_RECORDS]
        self.calls.append(replace(call, args={}, result=records, sheet=name))

    def _add_rows(self, call: Call, step: SheetCall) -> None:
        """Add a call for each row that is new to this run, and what is written into others to the call that wrote them.

        A row is told with the first field of its record, by which it is found.
        """
        name, held = _operation("write", step.file, step.title), self._held_of(step)
        known, rows, place = set(held), _rows(step.cells), self._place(step.path, step.title)
        _add(rows, held)
        fields = _fields(held)
        first = min(fields, default=0)
        for row, cells in list(rows.items())[:MOST_RECORDS]:
            is_head = fields == _names(cells)
            given = {fields[n]: _plain(value, row) for n, value in cells.items() if n in fields and not is_head}
            key = {fields[first]: held[row][first]} if row in known and first in held[row] and not is_head else {}
            n = self._written.setdefault((place, row), len(self.calls))
            if n == len(self.calls):
                self.calls.append(replace(call, args={}, result=None, sheet=name))
            self.calls[n] = replace(self.calls[n], args={**self.calls[n].args, **key, **given})

    def _held_of(self, step: SheetCall) -> Rows:
        return self._held.setdefault(self._place(step.path, step.title), {})

    def _place(self, path: str, title: str) -> str:
        """Return the sheet as it was named first: by its whole path, or by the end of it."""
        place = f"/{path}/{title}"
        return next((known for known in self._held if known.endswith(place) or place.endswith(known)), place)

    def _forget_rows(self, place: str) -> None:
        """Keep no more than the first rows, whose numbers the others have no longer."""
        held = self._held.get(place, {})
        head = _head(held)
        self._held[place] = {row: cells for row, cells in held.items() if row <= head}
        self._written = {key: n for key, n in self._written.items() if key[0] != place}


def _rows(cells: Cells) -> Rows:
    rows: Rows = {}
    for (row, column), value in cells.items():
        rows.setdefault(row, {})[column] = value
    return rows


def _add(rows: Rows, held: Rows) -> None:
    for row, cells in rows.items():
        held.setdefault(row, {}).update(cells)


def _operation(does: str, file: str, title: str) -> str:
    """Return the operation of a sheet, with N for numbers, which differ from one month or customer to the next."""
    name = f"{title or '(active)'} of {file}"
    return f"{operations.WRITE_SHEET if does == 'write' else operations.READ_SHEET} {_DIGITS.sub('N', name)}"


def _head(held: Rows) -> int:
    """Return the first row that holds nothing but several words; 0 for none.

    Of a sheet whose top was not seen, too: the first row of a part may be a person's.
    """
    if 1 not in held:
        return 0
    rows = ((row, held.get(row, {}).values()) for row in range(1, HEAD_ROWS + 1))
    return next((row for row, cells in rows if len(cells) > 1 and all(map(_is_word, cells))), 0)


def _fields(held: Rows) -> dict[int, str]:
    """Return column -> its name; {} for none."""
    return _names(held.get(_head(held), {}))


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
