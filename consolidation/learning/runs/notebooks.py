"""Calls of tools for code as the program that each runs, with what it printed: the run's one kernel keeps names.

insert_cell(cell_index=2, cell_source='r = s.post(BASE + "/orders")'), execute_cell(cell_index=2)
    -> one call of that code behind `BASE = ...; s = ...` of the cells before

How a notebook is kept (cells that are inserted, edited, moved) is no work of its own where its cells are run.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from consolidation.learning.runs import harness_tools, values
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.cells import Kernel
from memories.lexicon.tool_words import without_server

_RUNS = frozenset({
    "execute_cell", "execute_cell_simple_timeout", "execute_cell_streaming", "execute_cell_with_progress",
})  # fmt: skip
_KEEPS = frozenset({
    "append_markdown_cell", "clear_cell_output", "delete_cell", "edit_cell_source", "insert_cell",
    "insert_markdown_cell", "move_cell", "overwrite_cell_source", "restart_notebook", "unuse_notebook", "use_notebook",
})  # fmt: skip
_COUNT = re.compile(r"Notebook has (\d+) cells")
# What Jupyter's server says beside the outputs of a cell, and how an exception of IPython begins.
_BESIDE = re.compile(r"^\[(?:COMPLETED in [\d.]+s\]|[\d.]+s\] \d+ new output\(s\), \d+ total)$\n?", re.MULTILINE)
_RAISED = re.compile(r"^-{20,}\n[\w.]+ +Traceback \(most recent call last\)$|^\[(?:TIMEOUT )?ERROR: ", re.MULTILINE)


def by_cells(calls: Iterable[Call]) -> list[Call]:
    """Return the calls in order, those that run code as one command each, without those that only keep a notebook."""
    calls = list(calls)
    if not any(_is_run(call) for call in calls):
        return calls
    notebooks = _Notebooks()
    return [read for call in calls if (read := notebooks.read(call)) is not None]


def _is_run(call: Call) -> bool:
    name = without_server(call.called)
    return not (call.via or call.code) and (name in _RUNS or bool(harness_tools.code_of(name, call.sent)))


class _Notebooks:
    """The cells of each notebook of a run, None for one whose code was not seen, and the kernel of all."""

    def __init__(self) -> None:
        self._cells: dict[str, list[str | None]] = {"": []}
        self._current = ""
        self._kernel = Kernel()

    def read(self, call: Call) -> Call | None:
        """Return a call that runs code as a command, and None for one that only keeps a notebook."""
        if call.via or call.code:
            return call
        tool, sent = without_server(call.called), call.sent
        if tool == "use_notebook":
            self._current = str(sent.get("notebook_name"))
            count = _COUNT.search(values.text_of(call.result))
            known = int(count[1]) if count else int(sent.get("mode") == "create")  # a new one has a heading
            self._cells[self._current] = [None] * known
        if tool == "restart_notebook":
            self._kernel = Kernel()
        cells = self._cells.setdefault(str(sent.get("notebook_name") or self._current), [])
        code = _cell(cells, sent) if tool in _RUNS else harness_tools.code_of(tool, sent)
        if not call.failed:
            _keep(cells, tool, sent)
        if tool in _KEEPS:
            return None
        return _ran(call, self._kernel.program(code)) if code else call


def _ran(call: Call, program: str) -> Call:
    text = printed(call.result)
    raised = isinstance(text, str) and bool(_RAISED.search(text))
    return replace(call, code=program, result=text, ok=False if raised else call.ok)


def printed(result: Any) -> Any:
    """Return the text that a cell printed and showed; a result of any other form unchanged."""
    report = values.parsed(result)
    outputs = report.get("outputs") if isinstance(report, dict) and "kind" in report else report
    parts = [_text(part) for part in outputs] if isinstance(outputs, list) else []
    if isinstance(result, str) and not isinstance(report, dict):
        parts = [result]  # what it printed may be a list
    if not parts or None in parts:
        return result
    return _BESIDE.sub("", "\n".join(part.removesuffix("\n") for part in parts if part)).rstrip("\n")


def _text(part: Any) -> str | None:
    """Return a text, also as a part of a result of MCP, '' for a part of another kind; None for what is no part."""
    if isinstance(part, dict) and "type" in part:
        part = part.get("text", "")
    return part if isinstance(part, str) else None


def _cell(cells: Sequence[str | None], sent: Mapping[str, Any]) -> str:
    return (cells[at] or "") if _is_cell(at := sent.get("cell_index"), cells) else ""


def _keep(cells: list[str | None], tool: str, sent: Mapping[str, Any]) -> None:
    """Change the cells as a call did."""
    at, source = sent.get("cell_index"), sent.get("cell_source")
    if tool.startswith(("insert_", "append_")):
        place = at if isinstance(at, int) and at >= 0 else len(cells)
        cells += [None] * (place - len(cells))
        cells.insert(place, str(source) if source else None)
    elif tool == "delete_cell":
        gone = sent.get("cell_indices")
        cells[:] = [cell for n, cell in enumerate(cells) if n not in (gone if isinstance(gone, list) else [at])]
    elif tool == "move_cell" and _is_cell(start := sent.get("source_index"), cells):
        cells.insert(int(sent.get("target_index") or 0), cells.pop(start))
    elif _is_cell(at, cells):
        if tool == "overwrite_cell_source":
            cells[at] = str(source)
        elif tool == "edit_cell_source" and (code := cells[at]) is not None:
            times = -1 if sent.get("replace_all") else 1
            cells[at] = code.replace(str(sent.get("old_string")), str(sent.get("new_string")), times)


def _is_cell(at: Any, cells: Sequence[str | None]) -> TypeGuard[int]:
    return isinstance(at, int) and 0 <= at < len(cells)
