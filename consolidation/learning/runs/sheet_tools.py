"""Calls of spreadsheet tools, by the cells of a sheet that they read or write.

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

_FILE_KEYS = (
    "path",
    "filepath",
    "file_path",
    "fileAbsolutePath",
    "filename",
    "workbook",
    "spreadsheet_id",
    "spreadsheetId",
)
_SHEET_KEYS, _ROW_KEYS = ("sheet", "sheet_name", "sheetName", "worksheet"), ("rows", "data", "values")
_START_KEYS = ("at", "start_cell", "startCell", "cell", "range", "target_start")
_CONTENT_KEYS = ("value", "formula")
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
_READING = frozenset({"read", "get", "find", "search", "filter", "count"})
# Words of tools that change the format of cells or make room for rows: alone they change no value.
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
    """`action`: `read`, `write`, or `look` for what changes no cell; `cells`: those that were written or shown."""

    action: str
    path: str
    title: str
    cells: Cells

    @property
    def file(self) -> str:
        """The file's name without its folders."""
        return self.path.rsplit("/", 1)[-1]


def file_and_sheet(call: Call) -> tuple[str, str]:
    """Return (file, sheet) that a call names; '' for one that it does not name."""
    file = _first_text(call.recorded_arguments, _FILE_KEYS).replace("\\", "/").rstrip("/").removeprefix("./")
    return "" if _OTHER_FILE.search(file) else file, _first_text(call.recorded_arguments, _SHEET_KEYS)


def moves_rows(call: Call) -> bool:
    """Return whether rows may have other numbers afterwards."""
    return bool(_words(call) & _MOVING)


def _words(call: Call) -> set[str]:
    return {word.lower() for word in _WORD.findall(call.tool_name.rpartition("__")[2])}


def sheet_call(call: Call) -> SheetCall | None:
    """Return what a call reads or writes; None where its arguments name no sheet of a file."""
    arguments = call.recorded_arguments
    name, title = file_and_sheet(call)
    if not name or not title:
        return None
    words = _words(call)
    rows = next((rows for key in _ROW_KEYS if isinstance(rows := values.parse_json(arguments.get(key)), list)), None)
    content = next(
        (arguments[key] for key in _CONTENT_KEYS if key in arguments and isinstance(arguments[key], str | int | float)),
        None,
    )
    if words & _LAYOUT:
        return SheetCall("look", name, title, {})
    if rows is not None or (content is not None and not words & _READING and "query" not in arguments):
        return SheetCall("write", name, title, _grid(_start(arguments), rows if rows is not None else [[content]]))
    return (
        SheetCall("read", name, title, dict(_shown_cells(call.parsed_result, arguments))) if words & _READING else None
    )


def _first_text(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((value for key in keys if isinstance(value := arguments.get(key), str) and value), "")


def _start(arguments: Mapping[str, Any]) -> Cell:
    """Return the cell at which a call begins; (1, 1) where it does not say."""
    cells = (_CELL.search(value) for key in _START_KEYS if isinstance(value := arguments.get(key), str))
    return next((_place(cell) for cell in cells if cell), (1, 1))


def _place(cell: re.Match[str]) -> Cell:
    column = 0
    for letter in cell[1]:
        column = column * 26 + ord(letter) - 64
    return int(cell[2]), column


def _grid(start: Cell, rows: list[Any]) -> Cells:
    """Return the cells of rows that are lists, without empty ones."""
    first_row, first_column = start
    lists = [row if isinstance(row, list) else [row] for row in rows[:MOST_CELLS]]
    pairs = (((first_row + n, first_column + m), value) for n, row in enumerate(lists) for m, value in enumerate(row))
    return {cell: value for cell, value in list(pairs)[:MOST_CELLS] if value not in (None, "")}


def _shown_cells(result: Any, arguments: Mapping[str, Any]) -> Iterator[tuple[Cell, Any]]:
    """Yield the cells that an answer shows: rows of a range, cells with their addresses, or a table in HTML."""
    if isinstance(result, str):
        yield from _of_table(result)
    elif isinstance(result, dict) and isinstance(cells := result.get("cells"), list):
        for entry in cells[:MOST_CELLS]:
            address = _CELL.fullmatch(str(entry.get("address"))) if isinstance(entry, dict) else None
            if address and entry.get("value") is not None:
                yield _place(address), entry["value"]
    else:
        answer = result if isinstance(result, dict) else {"rows": result}
        rows = next((rows for key in _ROW_KEYS if isinstance(rows := answer.get(key), list)), [])
        yield from _grid(_start(answer if "range" in answer else arguments), rows).items()


def _of_table(page: str) -> Iterator[tuple[Cell, Any]]:
    head = _TABLE_HEAD.search(page)
    letters = _TABLE_CELL.findall(head[1]) if head else []
    columns = [_place(cell)[1] for letter in letters if (cell := _CELL.fullmatch(f"{letter}1"))]
    for number, row in _TABLE_ROW.findall(page) if columns else ():
        for column, text in zip(columns, _TABLE_CELL.findall(row), strict=False):
            if text:
                yield (int(number), column), html.unescape(text)
