"""Runs of agents that work in a notebook, as the Jupyter MCP server recorded them: one kernel that keeps its names."""

import json
from typing import Any

import pytest

from consolidation.learning.effects.effects import effects, with_single_commands
from consolidation.learning.runs.cells import line
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

OPENED = "[INFO] Successfully activate notebook 'po'.\n\nNotebook has 1 cells.\nShowing first 1 cells:\n"
RESTARTED = "Notebook 'po' kernel restarted successfully. Memory state and imported packages have been cleared."
API = "import os, requests\nBASE = os.environ['PURCHASING_URL'].rstrip('/')\ns = requests.Session()\nPO = 'PO-4417'"
HOLD = "r = s.post(f'{BASE}/api/purchases/{PO}/hold')\nprint(r.status_code, r.text)"
HELD = "POST /api/purchases/{purchase}/hold"


def tool(name: str, result: Any, **arguments: Any) -> Script:
    return f"mcp__jupyter__{name}", arguments, result


def cell(source: str, *printed: str) -> Script:
    return tool("insert_execute_code_cell", "\n".join([*printed, "[COMPLETED in 1.0s]"]), cell_source=source)


def did(*script: Script) -> frozenset[str]:
    return effects(run(0, "Please do it.", tool("use_notebook", OPENED, notebook_name="po"), *script), RULES)


def test_what_a_cell_names_is_known_in_the_next_ones_until_the_kernel_restarts() -> None:
    assert did(cell(API), cell(HOLD, "200 {}")) == {HELD}
    assert did(tool("execute_code", "", code=API), tool("execute_code", "200 {}", code=HOLD)) == {HELD}
    assert did(cell(API), tool("restart_notebook", RESTARTED, notebook_name="po"), cell(HOLD)) == {"python"}
    lines = [("bash", {"command": f"python3 - <<'E'\n{code}\nE"}, "") for code in (API, HOLD)]
    assert effects(run(0, "Do it.", *lines), RULES) == {"python"}, "one program after another shares nothing"


def test_a_name_stands_for_what_it_was_given_last_and_a_request_is_not_sent_once_more() -> None:
    def sent(*codes: str) -> list[str]:
        calls = with_single_commands(run(0, "Please do it.", *map(cell, [API, *codes])), RULES).steps
        return [f"{call.name} {call.arguments.get('purchase')}" for call in calls if "/" in call.name]

    assert sent("PO = 'PO-4434'", HOLD) == [f"{HELD} PO-4434"]
    assert sent("r = s.post(BASE + '/api/checks')", "print(r.text)", HOLD) == [
        "POST /api/checks None",
        f"{HELD} PO-4417",
    ]
    assert sent("PO = s.get(BASE + '/api/next').json()['id']", HOLD) == ["GET /api/next None", f"{HELD} None"]
    assert sent("[s for s in 'abc']\nsend = lambda end: s.post(BASE + end)", "send('/api/checks')") == [
        "POST /api/checks None"
    ]
    assert sent(
        "def send(end, **more):\n    return s.post(BASE + end, json=more or None)", "send('/api/checks', n=2)"
    ) == ["POST /api/checks None"]


def test_a_cell_is_run_by_its_place_as_it_was_written_last() -> None:
    def source(at: int, code: str) -> Script:
        return tool("insert_cell", "Cell inserted successfully", cell_index=at, cell_type="code", cell_source=code)

    def execute(at: int) -> Script:
        return tool("execute_cell", "200 {}\n[0.0s] 1 new output(s), 1 total\n[COMPLETED in 1.0s]", cell_index=at)

    note = tool("insert_cell", "", cell_index=1, cell_type="markdown", cell_source="# Hold")
    edit = tool("edit_cell_source", "", cell_index=2, old_string="hold", new_string="release")
    written = [source(-1, API), note, source(3, HOLD)]
    assert did(*written, execute(2), execute(3)) == {HELD}
    assert did(*written, edit, execute(2), execute(3)) == {HELD}, "the second cell holds no such word"
    again = tool("overwrite_cell_source", "", cell_index=3, cell_source=HOLD.replace("hold", "release"))
    assert did(*written, again, execute(2), execute(3)) == {HELD.replace("hold", "release")}
    moved = tool("move_cell", "", source_index=3, target_index=1)
    assert did(*written, moved, execute(3), execute(1)) == {HELD}
    gone = tool("delete_cell", "", cell_indices=[1])
    assert did(*written, gone, execute(1), execute(2)) == {HELD}
    created = tool("use_notebook", None, notebook_name="new", mode="create")
    assert did(created, source(-1, API), source(-1, HOLD), execute(1), execute(2)) == {HELD}, "of a long run no answers"
    assert did(tool("execute_cell", "1", cell_index=0)) == {"mcp__jupyter__execute_cell"}, "who knows what it does"


@pytest.mark.parametrize("form", ["text", "parts", "structured"])
def test_what_a_cell_printed_is_its_answer_in_each_form_in_which_a_client_keeps_it(form: str) -> None:
    outputs = [
        'POST /api/holds -> 409 {"error": "closed"}\n',
        "({'id': 'PO-1',\n  'lines': [1]},\n [2])",
        "[COMPLETED in 1.0s]",
    ]
    result: Any = "\n".join(outputs)
    if form == "parts":
        result = [{"type": "text", "text": text} for text in outputs]
    if form == "structured":
        result = json.dumps({"kind": "cell.insert_execute", "result": outputs, "outputs": outputs, "images": 0})
    pair = "s.get(BASE + '/api/purchases/PO-1').json(), s.get(BASE + '/api/lines')"
    code = f"{API}\nr = s.post(BASE + '/api/holds')\n{pair}"
    asked = run(0, "Please hold it.", tool("execute_code", result, code=code))
    assert [(call.name, call.failed, call.parsed_result) for call in with_single_commands(asked, RULES).steps] == [
        ("POST /api/holds", True, {"error": "closed"}),
        ("GET /api/purchases/{purchase}", False, {"id": "PO-1", "lines": [1]}),
        ("GET /api/lines", False, [2]),
    ]


def test_a_cell_that_raised_has_failed_though_its_call_went_well() -> None:
    head = "HTTPError                    Traceback (most recent call last)"
    raised = "\n".join(["-" * 75, head, "Cell In[3], line 1", "", "HTTPError: 409 Conflict"])
    asked = run(0, "Please hold it.", cell(API), cell(HOLD, raised), cell(HOLD, "200 {}"), ok=True)
    assert [call.failed for call in asked.steps] == [False, True, False]


def test_magics_are_commands_of_the_shell_and_break_no_code() -> None:
    assert line("%pip install x\n!git status\nif a:\n    !ls") == (
        "python - <<'CODE'\npass\npass\nif a:\n    pass\nCODE\npip install x\ngit status\nls"
    )
    assert line("%%bash\ngit push") == "git push"
    assert line("%%writefile -a a.py\nprint(1)") == "cat > a.py <<'CODE'\nprint(1)\nCODE"
    assert line('x = """\n!a\n"""') == 'python - <<\'CODE\'\nx = """\n!a\n"""\nCODE'
    assert did(cell(API), cell(f"%%time\n!ls\n{HOLD}", "200 {}")) == {HELD}


def test_a_sheet_is_written_where_the_kernel_saves_it() -> None:
    opened = "from openpyxl import load_workbook\nFILE = 'report.xlsx'\nwb = load_workbook(FILE)"
    append, save = "wb['Towns'].append(['Gent', 3])", "wb.save(FILE)"
    written = {"write sheet Towns of report.xlsx"}
    assert did(cell(opened), cell(append), cell(save)) == did(cell(opened), cell(f"{append}\n{save}")) == written
    assert did(cell(opened), cell(append)) == {"python"}
    assert [
        call.name for call in with_single_commands(run(0, "x", cell(opened), cell(append), cell(save)), RULES).steps
    ] == [
        "python",
        "python",
        "python",
        "write sheet Towns of report.xlsx",
    ]


def corrected(n: int) -> Run:
    purchase, quantity = f"PO-44{17 * n + 10}", 31 + 9 * n
    row = {"id": purchase, "lines": [{"line": 1, "quantity": quantity + 3}], "total": 224.9 + n}
    reopen = "for end in ['reopen']:\n    send('POST', f'/api/purchases/{PO}/{end}', {'reason': 'QTY'})"
    return run(
        n,
        f"Only {quantity} came with {purchase}. Please correct the purchase and approve it again.",
        tool("use_notebook", OPENED, notebook_name="po", mode="create"),
        cell(f"{API.replace('PO-4417', purchase)}\npo = s.get(f'{{BASE}}/api/purchases/{{PO}}').json()\npo", str(row)),
        cell(
            "def send(m, p, body):\n    r = s.request(m, BASE + p, json=body)\n    print(m, p, r.status_code, r.text)"
        ),
        cell(reopen, f"POST /api/purchases/{purchase}/reopen 200 {json.dumps(row)}"),
        cell(f"send('PATCH', f'/api/purchases/{{PO}}/lines/1', {{'quantity': {quantity}}})", "PATCH /x 200 {}"),
        cell("send('POST', f'/api/purchases/{PO}/approve', {'checked_total': po['total']})", "POST /x 200 {}"),
        thread=f"case {n}",
    )


def test_a_skill_comes_of_the_requests_of_a_notebook_and_not_of_how_it_was_kept() -> None:
    fields = learned([corrected(n) for n in range(4)]).fields
    assert fields.title == "Reopen a purchase, update a line and approve a purchase"
    assert "notebook" not in fields.model_dump_json()
    assert 'POST /api/purchases/{purchase}/approve {"checked_total": {checked_total}}' in fields.procedure
