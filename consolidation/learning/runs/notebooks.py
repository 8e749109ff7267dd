"""Calls of tools for code as the program that each runs, with what it printed: the run's one kernel keeps names.

insert_cell(cell_index=2, cell_source='r = s.post(BASE + "/orders")'), execute_cell(cell_index=2)
    -> one call of that code behind `BASE = ...; s = ...` of the cells before

Calls that only edit a notebook (insert, change, move cells) are left out where its cells are run.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from consolidation.learning.runs import harness_tools, values
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.cells import Kernel
from memories.lexicon.tool_words import without_server

_RUNNING_TOOLS = frozenset({
    "execute_cell", "execute_cell_simple_timeout", "execute_cell_streaming", "execute_cell_with_progress",
})  # fmt: skip
_EDITING_TOOLS = frozenset({
    "append_markdown_cell", "clear_cell_output", "delete_cell", "edit_cell_source", "insert_cell",
    "insert_markdown_cell", "move_cell", "overwrite_cell_source", "restart_notebook", "unuse_notebook", "use_notebook",
})  # fmt: skip
_COUNT = re.compile(r"Notebook has (\d+) cells")
# What Jupyter's server says beside the outputs of a cell, and how an exception of IPython begins.
_SERVER_LINES = re.compile(r"^\[(?:COMPLETED in [\d.]+s\]|[\d.]+s\] \d+ new output\(s\), \d+ total)$\n?", re.MULTILINE)
_EXCEPTION = re.compile(r"^-{20,}\n[\w.]+ +Traceback \(most recent call last\)$|^\[(?:TIMEOUT )?ERROR: ", re.MULTILINE)


def by_cells(calls: Iterable[Call]) -> list[Call]:
    """Return the calls in order, those that run code as one command each, without those that only edit a notebook."""
    calls = list(calls)
    if not any(_is_run(call) for call in calls):
        return calls
    notebooks = _Notebooks()
    return [command for call in calls if (command := notebooks.read(call)) is not None]


def _is_run(call: Call) -> bool:
    name = without_server(call.tool_name)
    return not (call.via or call.code) and (
        name in _RUNNING_TOOLS or bool(harness_tools.code_of(name, call.recorded_arguments))
    )


class _Notebooks:
    """The cells of each notebook of a run, None for one whose code was not seen, and the kernel of all."""

    def __init__(self) -> None:
        self._cells: dict[str, list[str | None]] = {"": []}
        self._current = ""
        self._kernel = Kernel()

    def read(self, call: Call) -> Call | None:
        """Return a call that runs code as a command; None for one that only edits a notebook."""
        if call.via or call.code:
            return call
        tool, arguments = without_server(call.tool_name), call.recorded_arguments
        if tool == "use_notebook":
            self._current = str(arguments.get("notebook_name"))
            count = _COUNT.search(values.text_of(call.result))
            cell_count = int(count[1]) if count else int(arguments.get("mode") == "create")  # a new one has a heading
            self._cells[self._current] = [None] * cell_count
        if tool == "restart_notebook":
            self._kernel = Kernel()
        cells = self._cells.setdefault(str(arguments.get("notebook_name") or self._current), [])
        code = _cell(cells, arguments) if tool in _RUNNING_TOOLS else harness_tools.code_of(tool, arguments)
        if not call.failed:
            _edit_cells(cells, tool, arguments)
        if tool in _EDITING_TOOLS:
            return None
        return _with_output(call, self._kernel.program(code)) if code else call


def _with_output(call: Call, program: str) -> Call:
    text = printed_text(call.result)
    is_error = isinstance(text, str) and bool(_EXCEPTION.search(text))
    return replace(call, code=program, result=text, ok=False if is_error else call.ok)


def printed_text(result: Any) -> Any:
    """Return the text that a cell printed and showed; a result of any other form unchanged."""
    report = values.parse_json(result)
    outputs = report.get("outputs") if isinstance(report, dict) and "kind" in report else report
    parts = [_text(part) for part in outputs] if isinstance(outputs, list) else []
    if isinstance(result, str) and not isinstance(report, dict):
        parts = [result]  # what it printed may be a list
    if not parts or None in parts:
        return result
    return _SERVER_LINES.sub("", "\n".join(part.removesuffix("\n") for part in parts if part)).rstrip("\n")


def _text(part: Any) -> str | None:
    """Return the text of a part of an MCP result, '' for a part without text; None for any other value."""
    if isinstance(part, dict) and "type" in part:
        part = part.get("text", "")
    return part if isinstance(part, str) else None


def _cell(cells: Sequence[str | None], arguments: Mapping[str, Any]) -> str:
    return (cells[at] or "") if _is_cell(at := arguments.get("cell_index"), cells) else ""


def _edit_cells(cells: list[str | None], tool: str, arguments: Mapping[str, Any]) -> None:
    """Change the cells as a call did."""
    at, source = arguments.get("cell_index"), arguments.get("cell_source")
    if tool.startswith(("insert_", "append_")):
        place = at if isinstance(at, int) and at >= 0 else len(cells)
        cells += [None] * (place - len(cells))
        cells.insert(place, str(source) if source else None)
    elif tool == "delete_cell":
        indices = arguments.get("cell_indices")
        cells[:] = [cell for n, cell in enumerate(cells) if n not in (indices if isinstance(indices, list) else [at])]
    elif tool == "move_cell" and _is_cell(start := arguments.get("source_index"), cells):
        cells.insert(int(arguments.get("target_index") or 0), cells.pop(start))
    elif _is_cell(at, cells):
        if tool == "overwrite_cell_source":
            cells[at] = str(source)
        elif tool == "edit_cell_source" and (code := cells[at]) is not None:
            times = -1 if arguments.get("replace_all") else 1
            cells[at] = code.replace(str(arguments.get("old_string")), str(arguments.get("new_string")), times)


def _is_cell(at: Any, cells: Sequence[str | None]) -> TypeGuard[int]:
    return isinstance(at, int) and 0 <= at < len(cells)
