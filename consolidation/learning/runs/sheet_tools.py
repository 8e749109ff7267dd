"""Calls of spreadsheet tools, by the cells of a sheet that they read or write, and what sheets are known to hold.

write_range(path=prices.xlsx, sheet=Prices, at=C3, rows=[[129]])                    -> Prices of prices.xlsx, {C3: 129}
write_data_to_excel(filepath=..., sheet_name=Prices, start_cell=C3, data=[[129]])   -> the same by an older server
excel_write_to_sheet(fileAbsolutePath=..., sheetName=Prices, range=C3:C3, values=[[129]])
"""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from consolidation.learning.runs import values
from consolidation.learning.runs.call import Call

_FILES = (
    "path",
    "filepath",
    "file_path",
    "fileAbsolutePath",
    "filename",
    "workbook",
    "spreadsheet_id",
    "spreadsheetId",
)
_SHEETS, _ROWS = ("sheet", "sheet_name", "sheetName", "worksheet"), ("rows", "data", "values")
_STARTS = ("at", "start_cell", "startCell", "cell", "range", "target_start")
_CONTENTS = ("value", "formula")
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_READING = frozenset({"read", "get", "find", "search", "filter", "count"})
# How cells look, and the room for further ones: a change that leads to the next one, or to none.
_LAYOUT = frozenset(
    {"format", "layout", "style", "width", "height", "freeze", "merge", "unmerge", "insert", "validation", "comment"}
)
# After these rows have other numbers.
_MOVING = frozenset({"insert", "delete", "remove", "move", "sort"})
_OTHER_FILE = re.compile(r"\.(?!(?:xls[xmb]?|ods|csv|tsv)$)[a-z]\w{0,4}$", re.IGNORECASE)
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_TABLE_ROW = re.compile(r"<tr><th>(\d+)</th>(.*?)</tr>", re.DOTALL)
_TABLE_HEAD = re.compile(r"<tr><th></th>(.*?)</tr>", re.DOTALL)
_TABLE_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
MOST_CELLS = 4_000
Cell = tuple[int, int]  # row and column, from 1
Cells = dict[Cell, Any]


class SheetCall(NamedTuple):
    """`does`: `read`, `write`, or `look` for what changes no cell; `cells`: those that were written, or were shown."""

    does: str
    path: str
    title: str
    cells: Cells

    @property
    def file(self) -> str:
        """The file's name without its folders."""
        return self.path.rsplit("/", 1)[-1]


def place(call: Call) -> tuple[str, str]:
    """Return the file and the sheet that a call names; '' for what it does not."""
    file = _first(call.sent, _FILES).replace("\\", "/").rstrip("/").removeprefix("./")
    return "" if _OTHER_FILE.search(file) else file, _first(call.sent, _SHEETS)


def moves_rows(call: Call) -> bool:
    """Return whether rows may have other numbers afterwards."""
    return bool(_words(call) & _MOVING)


def _words(call: Call) -> set[str]:
    return {word.lower() for word in _WORD.findall(call.called.rpartition("__")[2])}


def read(call: Call) -> SheetCall | None:
    """Return what a call reads or writes; None where its arguments name no sheet of a file."""
    sent = call.sent
    name, title = place(call)
    if not name or not title:
        return None
    words = _words(call)
    rows = next((rows for key in _ROWS if isinstance(rows := values.parsed(sent.get(key)), list)), None)
    content = next((sent[key] for key in _CONTENTS if key in sent and isinstance(sent[key], str | int | float)), None)
    if words & _LAYOUT:
        return SheetCall("look", name, title, {})
    if rows is not None or (content is not None and not words & _READING and "query" not in sent):
        return SheetCall("write", name, title, _grid(_start(sent), rows if rows is not None else [[content]]))
    return SheetCall("read", name, title, dict(_shown(call.returned, sent))) if words & _READING else None


def _first(sent: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := sent.get(key), str) and value), "")


def _start(given: Mapping[str, Any]) -> Cell:
    """Return the cell at which a call begins; (1, 1) where it does not say."""
    named = (_CELL.search(value) for key in _STARTS if isinstance(value := given.get(key), str))
    return next((_place(cell) for cell in named if cell), (1, 1))


def _place(cell: re.Match[str]) -> Cell:
    column = 0
    for letter in cell[1]:
        column = column * 26 + ord(letter) - 64
    return int(cell[2]), column


def _grid(start: Cell, rows: list[Any]) -> Cells:
    """Return the cells of rows that are lists, without empty ones."""
    top, left = start
    lists = [row if isinstance(row, list) else [row] for row in rows[:MOST_CELLS]]
    placed = (((top + n, left + m), value) for n, row in enumerate(lists) for m, value in enumerate(row))
    return {cell: value for cell, value in list(placed)[:MOST_CELLS] if value not in (None, "")}


def _shown(returned: Any, sent: Mapping[str, Any]) -> Iterator[tuple[Cell, Any]]:
    """Yield the cells that an answer shows: rows of a range, cells with their addresses, or a table in HTML."""
    if isinstance(returned, str):
        yield from _of_table(returned)
    elif isinstance(returned, dict) and isinstance(cells := returned.get("cells"), list):
        for each in cells[:MOST_CELLS]:
            place = _CELL.fullmatch(str(each.get("address"))) if isinstance(each, dict) else None
            if place and each.get("value") is not None:
                yield _place(place), each["value"]
    else:
        about = returned if isinstance(returned, dict) else {"rows": returned}
        rows = next((rows for key in _ROWS if isinstance(rows := about.get(key), list)), [])
        yield from _grid(_start(about if "range" in about else sent), rows).items()


def _of_table(page: str) -> Iterator[tuple[Cell, Any]]:
    head = _TABLE_HEAD.search(page)
    letters = _TABLE_CELL.findall(head[1]) if head else []
    columns = [_place(cell)[1] for letter in letters if (cell := _CELL.fullmatch(f"{letter}1"))]
    for number, row in _TABLE_ROW.findall(page) if columns else ():
        for column, text in zip(columns, _TABLE_CELL.findall(row), strict=False):
            if text:
                yield (int(number), column), html.unescape(text)
