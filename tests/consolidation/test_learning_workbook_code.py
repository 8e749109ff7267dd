"""Runs of agents that write sheets of workbooks by Python code with openpyxl, as they wrote it."""

import pytest

from consolidation.learning.effects.effects import effects
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.workbook_code import sheets_written
from tests.consolidation.recorded import RULES, learned, run
from tests.consolidation.test_learning_workbooks import write

CODE = """python3 - <<'E'
import openpyxl, datetime as d
from copy import copy
wb = openpyxl.load_workbook('data/people.xlsx')
s, h = wb['Staff'], wb['Holidays']
def add(ws, vals):
    r = ws.max_row + 1
    for i, v in enumerate(vals, 1):
        x = ws.cell(r, i, v); x._style = copy(ws.cell(r - 1, i)._style)
{lines}
wb.save('data/people.xlsx')
E"""


@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        ("add(s, [105, 'Nadia'])\nadd(wb['Changes'], ['New', 'Nadia'])", ["Staff", "Changes"]),
        ("s.append([105, 'Nadia'])\nprint(h['C6'].value)", ["Staff"]),
        ("h['C6'] = 27.5\ns['B2'].value = 'Kim'", ["Staff", "Holidays"]),
        ("for ws, row in ((s, [1]), (h, [2])):\n    ws.append(row)", ["Staff", "Holidays"]),
        ("wb.active['A1'] = 'Staff'\nwb.create_sheet('Log').append(['x'])", ["", "Log"]),
        ("s.column_dimensions['A'].width = 20\nassert s.max_row == 5", []),
    ],
)
def test_code_writes_the_sheets_that_its_names_stand_for(lines: str, titles: list[str]) -> None:
    written = sheets_written(CODE.replace("{lines}", lines))
    assert sorted(sheet.title for sheet in written) == sorted(titles)
    assert {sheet.file for sheet in written} <= {"people.xlsx"}


def test_code_that_saves_nothing_or_cannot_be_parsed_writes_nothing() -> None:
    assert sheets_written(CODE.replace("{lines}", "s.append([1])").replace("wb.save('data/people.xlsx')", "")) == []
    assert sheets_written(CODE.replace("{lines}", "s.append([")) == []


def test_code_and_tools_are_one_way_and_what_lines_do_beside_stands_behind_the_rows() -> None:
    def booked(n: int) -> Run:
        code = CODE.replace("{lines}", "s.append([1])").replace("data/people.xlsx", "books.xlsx")
        lines = [code, "cat books.txt", f"mkdir -p inbox/done && mv -n inbox/invoice-{n}.txt inbox/done/"]
        calls = [("bash", {"command": line}, "") for line in lines]
        return run(n, f"Please book the invoice {n}.", *calls, thread=f"case {n}")

    by_tool = run(9, "Please book it.", write("Staff", "A3", [1], file="books.xlsx"))
    assert effects(booked(0), RULES) == effects(by_tool, RULES) == {"write sheet Staff of books.xlsx"}
    assert learned([booked(n) for n in range(3)]).fields.procedure.splitlines()[:2] == [
        "1. Write to the sheet `Staff of books.xlsx`.",
        "2. Move files; of 3 runs: to `inbox/done` (3).",
    ]


def test_a_file_that_code_reads_and_writes_is_told_beside_the_rows() -> None:
    def changed(n: int) -> Run:
        more = f"b = open('export/a.csv', 'rb').read()\nopen('export/a.csv', 'wb').write(b + b'{n}')"
        call = ("bash", {"command": CODE.replace("{lines}", f"s.append([{n}])\n{more}")}, "")
        return run(n, f"Please enter {n}.", call, thread=f"case {n}")

    assert "Write the files; of 3 runs: `export/a.csv` (3)." in learned([changed(n) for n in range(3)]).fields.procedure


@pytest.mark.parametrize(
    "line", ["x = wb" + ".a" * 9_000, "wb['Staff']" + ".a" * 2_000 + "[1] = 3", "x = " + "-" * 15_000 + "1"]
)
def test_code_that_is_nested_too_deep_writes_nothing(line: str) -> None:
    assert sheets_written(CODE.replace("{lines}", f"s.append([1])\n{line}")) == []


def test_code_whose_saving_is_a_comment_writes_nothing() -> None:
    assert sheets_written(CODE.replace("{lines}", "s.append([1])").replace("wb.save", "# wb.save")) == []
