"""Runs of agents that work on spreadsheets: by excel-mcp-server 2.2 and 0.1, by the server of negokaz 0.12, as these
answer, and by code that uses openpyxl."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from consolidation.guidance.request import check
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run, text

STAFF: list[list[object]] = [["No", "Name", "Team", "Status"], [101, "Greta Holm", "Workshop", "active"]]
HOLIDAYS: list[list[object]] = [["No", "Name", "Days 2027", "Taken", "Left"], [101, "Greta Holm", 30, 2, "=C2-D2"]]
NAMES = ["Nadia Brandt", "Owen Tully", "Marek Dvorak", "Ines Calder"]


def read(sheet: str, rows: Sequence[Sequence[object]], file: str = "people.xlsx") -> Script:
    answer = json.dumps({"range": "A1:F9", "values": rows})
    return "mcp__excel__read_range", {"path": file, "sheet": sheet, "mode": "formulas"}, answer


def write(sheet: str, at: str, *rows: Sequence[object], file: str = "people.xlsx") -> Script:
    answer = json.dumps({"sheet": sheet, "range": at, "cells_written": sum(map(len, rows))})
    return "mcp__excel__write_range", {"path": file, "sheet": sheet, "at": at, "rows": [*rows]}, answer


def started(n: int) -> Run:
    """Somebody new is entered, at first without their share of the year."""
    name, number = NAMES[n], 102 + n
    return run(
        n,
        f"Please enter {name} in people.xlsx, Workshop, from 1 March 2027.",
        read("Staff", STAFF),
        read("Holidays", HOLIDAYS),
        write("Staff", "A3", [number, name, "Workshop", "active"]),
        write("Holidays", "A3", [number, name, 30, 0, "=C3-D3"]),
        "> Done.",
        "Not the full 30 days: whoever starts in the year gets the share of the months that are left.",
        write("Holidays", "C3", [24 + n]),
        read("Holidays", [*HOLIDAYS, [number, name, 24 + n, 0, "=C3-D3"]]),
        thread=f"case {n}",
    )


def acts(*calls: Script) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in run(0, "Please do it.", *calls).steps]


def test_a_row_is_told_by_the_names_of_its_columns_and_once_as_it_was_left() -> None:
    written = [call for call in started(0).steps if call.name.startswith("write")]
    assert [(call.name, call.arguments) for call in written] == [
        (
            "write sheet Staff of people.xlsx",
            {"No": 102, "Name": "Nadia Brandt", "Team": "Workshop", "Status": "active"},
        ),
        (
            "write sheet Holidays of people.xlsx",
            {"No": 102, "Name": "Nadia Brandt", "Days 2027": 24, "Taken": 0, "Left": "=C{row}-D{row}"},
        ),
    ]
    assert effects(started(0), RULES) == {"write sheet Staff of people.xlsx", "write sheet Holidays of people.xlsx"}


def test_a_skill_says_which_rows_are_written_and_where_their_cells_come_from() -> None:
    competence = learned([started(n) for n in range(4)])
    assert competence.fields.title == "Update Staff and Holidays of people.xlsx"
    assert [line for line in competence.fields.procedure.splitlines() if "Write" in line] == [
        "3. Write to the sheet `Staff of people.xlsx`. `Name` from the user's request; `Team` from the user's request; "
        "`Status` `active`; where `No` comes from was not seen.",
        "4. Write to the sheet `Holidays of people.xlsx`. `Name` from the user's request; `Left` `=C{row}-D{row}`; "
        "where `Days 2027`, `No` and `Taken` come from was not seen.",
    ]


def test_a_source_that_few_runs_show_is_not_told_of_a_cell() -> None:
    def noted(n: int) -> Run:
        shown = read("Log", [["Date", "What"], ["2027-01-04", "Hours"]])
        date = "2027-01-04" if n == 0 else f"2027-02-{10 + n}"
        return run(n, "Please note it.", shown, write("Log", "A3", [date, f"case {n}"]), thread=f"case {n}")

    [step] = [line for line in learned([noted(n) for n in range(4)]).fields.procedure.splitlines() if "Write" in line]
    assert "`Date` from" not in step


def test_a_changed_cell_is_of_the_record_of_its_row() -> None:
    prices: list[list[object]] = [["SKU", "Article", "Net"], ["SH-80", "Oak shelf", 119], ["CH-02", "Chair", 89]]
    changed = acts(read("Prices", prices, "prices.xlsx"), write("Prices", "C3", [94.5], file="prices.xlsx"))
    assert changed[1] == ("write sheet Prices of prices.xlsx", {"SKU": "CH-02", "Net": 94.5})


def test_rows_of_a_sheet_that_was_not_read_have_no_fields_and_months_are_one_sheet() -> None:
    [(name, fields)] = acts(write("2027-01", "A9", ["x", 5], file="/home/kim/books-2027.xlsx"))
    assert (name, fields) == ("write sheet N-N of books-N.xlsx", {})


def test_how_cells_look_is_no_act_and_a_refused_call_is_a_failed_one() -> None:
    look = {"path": "people.xlsx", "sheet": "Staff", "range": "A3:F3", "style": {"bold": True}}
    room = {"path": "people.xlsx", "sheet": "Staff", "axis": "rows", "start": 2}
    refused: Script = (*write("Staff", "A3", [1])[:2], "Error: Sheet 'Staff' does not exist")
    calls: list[Script] = [("mcp__excel__format_range", look, "{}"), ("mcp__excel__insert_rows_or_columns", room, "{}")]
    steps = run(0, "Please do it.", *calls, refused).steps
    assert [(call.name, call.failed) for call in steps] == [("write sheet Staff of people.xlsx", True)]


CELLS = {
    "range": "A1:B2",
    "sheet_name": "Changes",
    "cells": [
        {"address": "A1", "value": "What", "row": 1, "column": 1, "validation": {"has_validation": False}},
        {"address": "B1", "value": "Who", "row": 1, "column": 2, "validation": {"has_validation": False}},
        {"address": "A2", "value": "Hours", "row": 2, "column": 1, "validation": {"has_validation": False}},
    ],
}
TABLE = """<h2>Read Sheet</h2>
<h2>Sheet Data</h2>
<table>
<tr><th></th><th>A</th><th>B</th></tr>
<tr><th>1</th><td>What</td><td>Who</td></tr>
<tr><th>2</th><td>Hours &amp; team</td><td></td></tr>
</table>
<h2>Metadata</h2>
<ul>
<li>backend: excelize</li>
</ul>
"""


@pytest.mark.parametrize(
    ("looked", "wrote"),
    [
        (
            ("mcp__excel__read_data_from_excel", {"filepath": "/w/t.xlsx", "sheet_name": "Changes"}, json.dumps(CELLS)),
            (
                "mcp__excel__write_data_to_excel",
                {"filepath": "/w/t.xlsx", "sheet_name": "Changes", "data": [["New", "Kim"]], "start_cell": "A3"},
                "Data written to Changes",
            ),
        ),
        (
            ("mcp__excel__excel_read_sheet", {"fileAbsolutePath": "/w/t.xlsx", "sheetName": "Changes"}, TABLE),
            (
                "mcp__excel__excel_write_to_sheet",
                {
                    "fileAbsolutePath": "/w/t.xlsx",
                    "sheetName": "Changes",
                    "newSheet": False,
                    "range": "A3:B3",
                    "values": [["New", "Kim"]],
                },
                TABLE,
            ),
        ),
    ],
)
def test_other_servers_are_read_as_well(looked: Script, wrote: Script) -> None:
    assert acts(looked, wrote)[1] == ("write sheet Changes of t.xlsx", {"What": "New", "Who": "Kim"})
    assert run(0, "Please do it.", looked).steps[0].name == "read sheet Changes of t.xlsx"


def test_the_row_that_is_about_to_be_written_is_what_is_checked() -> None:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Enter Kim."}]
    for n, call in enumerate([read("Staff", STAFF), write("Staff", "A3", [102, "Kim"])]):
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{n}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": call[2]})

    def asked(call: Script) -> str:
        about = check({"messages": messages, "about_to": {"tool": call[0], "arguments": call[1]}}).call
        assert about
        return about.name

    assert asked(write("Staff", "A4", [103, "Ada"])) == "write sheet Staff of people.xlsx"
    assert asked(write("Staff", "C3", ["Sales"])) == "write sheet Staff of people.xlsx"  # of a row that was written
    code = "import openpyxl\nwb = openpyxl.load_workbook('a.xlsx')\nwb['Log'].append([1])\nwb.save('a.xlsx')"
    assert asked(("bash", {"command": f"python3 - <<'E'\n{code}\nE"}, "")) == "bash"


def test_a_sheet_is_told_by_its_title() -> None:
    assert phrase("write sheet Staff of people.xlsx") == "update Staff"
    assert phrase("read sheet Price list of prices.xlsx") == "look up the price list"


PRICES: list[list[object]] = [["SKU", "Net"], ["SH-80", 119], ["CH-02", 89]]


def test_a_table_that_is_written_at_once_is_a_limited_number_of_rows() -> None:
    rows = [[f"SKU-{n}", n] for n in range(3_000)]
    assert len(acts(read("Prices", PRICES), write("Prices", "A4", *rows))) == 61


def test_the_names_of_columns_are_no_record() -> None:
    assert [fields for _, fields in acts(write("Changes", "A1", ["What", "Who"], ["New", "Kim"]))] == [
        {},
        {"What": "New", "Who": "Kim"},
    ]


def test_the_first_row_of_a_part_and_addresses_of_people_name_no_columns() -> None:
    part = {"range": "A5:B5", "values": [["Anna Kessler", "Workshop"]]}
    seen: Script = ("mcp__excel__read_range", {"path": "people.xlsx", "sheet": "Staff"}, json.dumps(part))
    people = read("Staff", [["Anna Kessler", "anna@firm.example"], ["Ben Ortiz", "ben@firm.example"]])
    assert [acts(look, write("Staff", "A6", ["Kim", "Sales"]))[1][1] for look in (seen, people)] == [{}, {}]


@pytest.mark.parametrize("tool", ["mcp__excel__insert_rows_or_columns", "mcp__excel__delete_rows"])
def test_rows_that_were_moved_are_not_taken_for_those_before(tool: str) -> None:
    moved: Script = (tool, {"path": "people.xlsx", "sheet": "Prices", "start": 2, "count": 1}, "{}")
    first, last = write("Prices", "B3", [95]), write("Prices", "A3", ["TB-01", 240])
    written = [fields for name, fields in acts(read("Prices", PRICES), first, moved, last) if name.startswith("write")]
    assert written == [{"SKU": "CH-02", "Net": 95}, {"SKU": "TB-01", "Net": 240}]


def test_files_of_one_name_in_two_folders_are_two_and_a_whole_path_is_the_same_file() -> None:
    def orders(file: str, at: str) -> list[Script]:
        return [read("Orders", PRICES, file), write("Orders", at, ["X", 1], file=file)]

    assert len(acts(*orders("a/orders.xlsx", "A4"), *orders("b/orders.xlsx", "A4"))) == 4
    assert len(acts(*orders("/work/a/orders.xlsx", "A4"), *orders("a/orders.xlsx", "A4"))) == 3


@pytest.mark.parametrize(
    ("tool", "file", "more", "name"),
    [
        ("mcp__x__get_rows", "p.xlsx", {"column": "A", "value": "Kim"}, "read sheet Lead of p.xlsx"),
        ("mcp__x__find_cells", "p.xlsx", {"value": "Kim"}, "read sheet Lead of p.xlsx"),
        ("mcp__music__add_notes", "song.mid", {"data": [60, 62]}, "mcp__music__add_notes"),
    ],
)
def test_a_value_that_is_looked_for_and_a_file_of_another_kind_are_not_written(
    tool: str, file: str, more: dict[str, Any], name: str
) -> None:
    assert [called for called, _ in acts((tool, {"path": file, "sheet": "Lead", **more}, "[]"))] == [name]


def test_people_who_stand_in_cells_and_columns_are_not_told() -> None:
    rota: list[list[object]] = [["Day", "Anna", "Lead", "Room"], ["Mon", 1, "Ben Ortiz", "yard"]]

    def entered(n: int) -> Run:
        row = write("Rota", "A3", ["Tue", n + 3, "Ben Ortiz", "yard"])
        return run(n, f"Please enter {n + 3} hours for Anna on Tuesday.", read("Rota", rota), row, thread=f"case {n}")

    told = text(learned([entered(n) for n in range(4)]))
    assert "`Room` `yard`" in told
    assert not {word for word in ("Anna", "Ben", "Ortiz") if word in told}
