"""Sheets of workbooks that Python code writes by openpyxl, as a command line gives it to an interpreter.

p, h = wb["Prices"], wb["History"]; h.append([...]); p["C3"] = 129; wb.save("prices.xlsx")
    -> (prices.xlsx, Prices), (prices.xlsx, History)
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from consolidation.learning.runs import cells

LONGEST = 20_000
PASSES = 3  # for names that are bound to names
_CODE = re.compile(
    r"<<-?[ \t]*\\?(['\"]?)([A-Za-z_]\w*)\1[^\n]*\n(.*?)\n[ \t]*\2(?=\n|\Z)|\s-c\s+(['\"])(.*?)\4", re.DOTALL
)
_WORKBOOK = re.compile(r"[^/\\'\"]+\.xls[xm]", re.IGNORECASE)
_CHANGES = frozenset({"append", "delete_rows", "delete_cols", "insert_rows", "move_range"})


class Sheet(NamedTuple):
    """`file`: its name without folders; `title`: '' for the one that is active."""

    file: str
    title: str


def sheets_written(line: str) -> list[Sheet]:
    """Return the sheets that code in a command line writes and saves, in the order in which it names them."""
    if "openpyxl" not in line or ".save(" not in line:
        return []
    programs = (match[3] or match[5] for match in _CODE.finditer(line[:LONGEST]))
    changes = [changes_of(code) for code in programs if ".save(" in code]
    return list(dict.fromkeys(sheet for sheets, saves in changes if saves for sheet in sheets))


def changes_of(code: str) -> tuple[list[Sheet], bool]:
    """Return the sheets that code writes, in the order in which it names them, and whether it saves a workbook."""
    tree = cells.tree_of(code) if "openpyxl" in code else None
    try:
        reading = _Reading(tree) if tree else None
    except RecursionError:  # nested too deep
        reading = None
    return (
        ([sheet for sheet in reading.sheets if sheet in reading.written_sheets], reading.saves)
        if reading
        else ([], False)
    )


class _Reading:
    """Which sheets the names of a program may stand for, and which of these it writes."""

    def __init__(self, tree: ast.Module) -> None:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        self._parameters = {node.name: [argument.arg for argument in node.args.args] for node in reversed(functions)}
        self._names: dict[str, set[Sheet]] = defaultdict(set)
        self._books: dict[str, str] = {}  # name -> file
        self._file = next((name[0] for name in map(_WORKBOOK.fullmatch, _texts(tree)) if name), "")
        self.sheets: list[Sheet] = []
        for _ in range(PASSES):
            for node in ast.walk(tree):
                self._bind(node)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self.saves = any(_function_name(call) == "save" for call in calls)
        self.written_sheets = {sheet for node in ast.walk(tree) for sheet in self._changed_sheets(node)}

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind_target(target, node.value)
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Tuple | ast.List):
            for value in node.iter.elts:
                self._bind_target(node.target, value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for name, value in zip(self._parameters.get(node.func.id, ()), node.args, strict=False):
                self._names[name] |= self._sheets(value)

    def _bind_target(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for inner_target, inner_value in zip(target.elts, value.elts, strict=False):
                self._bind_target(inner_target, inner_value)
        elif isinstance(target, ast.Name):
            if isinstance(value, ast.Call) and _function_name(value) == "load_workbook":
                self._books[target.id] = next(map(_file, value.args), "") or self._file
            self._names[target.id] |= self._sheets(value)

    def _sheets(self, node: ast.expr) -> set[Sheet]:
        """Return the sheets that an expression stands for, or whose cell it is."""
        if isinstance(node, ast.Name):
            return self._names[node.id]
        if isinstance(node, ast.Subscript):
            title = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return self._sheets(node.value) or (self._sheet_of(node.value, title) if isinstance(title, str) else set())
        if isinstance(node, ast.Attribute):
            return self._sheet_of(node.value, "") if node.attr == "active" else self._sheets(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._of_method(node.func, node.args)
        return set()

    def _of_method(self, method: ast.Attribute, arguments: list[ast.expr]) -> set[Sheet]:
        if method.attr == "create_sheet" and arguments and isinstance(arguments[0], ast.Constant):
            return self._sheet_of(method.value, str(arguments[0].value))
        return self._sheets(method.value) if method.attr == "cell" else set()

    def _sheet_of(self, book: ast.expr, title: str) -> set[Sheet]:
        """Return a sheet of what a program loads as a workbook, by a name or where it loads it."""
        is_loaded = isinstance(book, ast.Call) and _function_name(book) == "load_workbook"
        file = self._books.get(book.id) if isinstance(book, ast.Name) else None
        if not is_loaded and not file:
            return set()
        sheet = Sheet(file or self._file, title)
        if sheet not in self.sheets:
            self.sheets.append(sheet)
        return {sheet}

    def _changed_sheets(self, node: ast.AST) -> set[Sheet]:
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            cells = [cell for target in targets for cell in getattr(target, "elts", [target]) if _is_cell(cell)]
            return {sheet for cell in cells for sheet in self._sheets(cell)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            gives = len(node.args) > 2 or any(keyword.arg == "value" for keyword in node.keywords)
            if node.func.attr in _CHANGES or (node.func.attr == "cell" and gives):
                return self._sheets(node.func.value)
        return set()


def _is_cell(target: ast.expr) -> bool:
    """Return whether this is a cell or its value: not its style, nor the width of a column."""
    return isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and target.attr == "value")


def _function_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _texts(tree: ast.AST) -> Iterator[str]:
    """Yield the constant texts of code, of a path its last part."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.replace("\\", "/").rsplit("/", 1)[-1]


def _file(node: ast.expr) -> str:
    """Return the name of the workbook that an expression tells; '' for none."""
    return next((name[0] for name in map(_WORKBOOK.fullmatch, _texts(node)) if name), "")
