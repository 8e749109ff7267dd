"""Sheets, files and buttons that are named after people: one of many, and no name in a skill."""

import pytest

from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run, text
from tests.consolidation.test_learning_browser import filled, opened, pressed
from tests.consolidation.test_learning_workbooks import read, write

PEOPLE = ["Anna Müller", "Bernd Hahn", "Clara Dahl", "Dora Weiss"]
HEAD: list[list[object]] = [["Date", "Days", "Reason"], ["2027-01-04", 1, "dentist"]]


def leave(n: int, asked: str, *before: Script, sheet: str, file: str = "leave.xlsx") -> Run:
    row = write(sheet, "A3", [f"2027-03-{10 + n}", n + 2, "holiday"], file=file)
    return run(n, asked, *before, read(sheet, HEAD, file), row, thread=f"case {n}")


def test_the_sheets_of_all_people_are_one_sheet() -> None:
    runs = [
        leave(n, f"Please enter {n + 2} days of leave for {name.split()[0]}.", sheet=name.split()[0])
        for n, name in enumerate(PEOPLE)
    ]
    assert {effects(each, RULES) for each in runs} == {frozenset({"write sheet {name} of leave.xlsx"})}
    fields = learned(runs).fields
    assert fields.title == "Update a sheet of leave.xlsx"
    assert "Write to the sheet `{name} of leave.xlsx`." in fields.procedure
    assert not {name for name in " ".join(PEOPLE).split() if name in text(learned(runs))}


@pytest.mark.parametrize(
    ("asked", "before", "sheet", "file", "name"),
    [
        ("Enter 2 days in Anna's sheet.", [], "Anna", "leave.xlsx", "{name} of leave.xlsx"),
        ("Frau Müller hat zwei Tage frei.", [], "März", "mueller-2027.xlsx", "März of {name}-N.xlsx"),
        (
            "Enter two days of leave of number 101.",
            [("get_employee", {"id": 101}, '{"full_name": "Anna Müller"}')],
            "2027",
            "leave-anna-mueller.xlsx",
            "N of leave-{name}.xlsx",
        ),
        (
            "Enter two days of leave of number 101.",
            [read("Staff", [["No", "Name"], [101, "Anna Müller"]])],
            "Leave Anna",
            "leave.xlsx",
            "Leave {name} of leave.xlsx",
        ),
        ("Enter the holidays for Staff: the staff get two days.", [], "Staff", "leave.xlsx", "Staff of leave.xlsx"),
        ("Enter two days in Holidays.", [], "Holidays", "leave.xlsx", "Holidays of leave.xlsx"),
    ],
)
def test_people_are_told_by_the_request_and_by_records(
    asked: str, before: list[Script], sheet: str, file: str, name: str
) -> None:
    assert leave(0, asked, *before, sheet=sheet, file=file).steps[-1].name == f"write sheet {name}"


def test_a_button_that_names_a_person_is_the_button_of_everybody() -> None:
    def approved(n: int) -> Run:
        steps = [
            *opened("/leave", "Leave"),
            filled(Employee=PEOPLE[n]),
            *pressed(f"Approve {PEOPLE[n]}", "/leave", "Leave", "- alert [ref=e8]: Leave was approved."),
        ]
        return run(n, "Please approve the leave that waits.", *steps, thread=f"case {n}")

    assert {effects(approved(n), RULES) for n in range(4)} == {frozenset({"press Approve {name}"})}
    assert learned([approved(n) for n in range(4)]).fields.title == "Approve"


def test_what_two_runs_alone_call_by_a_name_is_not_told() -> None:
    def entered(n: int) -> Run:
        return leave(n, f"We know that Anna takes {n + 2} days off, please enter them.", sheet="Anna")

    assert learned([entered(0), entered(1)]).fields.title == "Update a sheet of leave.xlsx"
    assert "Anna" not in text(learned([entered(0), entered(1)]))


def test_a_slot_is_said_as_one_of_its_kind() -> None:
    names = [
        "write sheet Leave {name} of a.xlsx",
        "read sheet {name} of a.xlsx",
        "press {name}",
        "press Approve {name}",
    ]
    assert [phrase(name) for name in names] == ["update Leave", "look up the sheet", "press", "approve"]
