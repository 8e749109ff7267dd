"""A workbook in the hands of a real MCP server for Excel, and of openpyxl: what a run with their calls has done."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.hand import Hand, played
from tests.consolidation.recorded import RULES, Script, run

pytestmark = pytest.mark.agents
SERVER = [str(Path(sys.executable).parent / "excel-mcp-server"), "stdio"]
CODE = """python - <<'E'
import openpyxl
book = openpyxl.load_workbook("people.xlsx")
staff, changes = book["Staff"], book["Changes"]
staff.append([102, "Nadia Brandt", "active"])
changes["A2"], changes["B2"] = "New", "Nadia Brandt"
book.save("people.xlsx")
E"""


NEW = """import openpyxl
book = openpyxl.Workbook()
book.active.title = "Staff"
book.active.append(["No", "Name", "Status"])
book.active.append([101, "Greta Holm", "active"])
book.create_sheet("Changes").append(["What", "Who"])
book.save("people.xlsx")"""


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """A folder with a workbook."""
    subprocess.run([sys.executable, "-c", NEW], cwd=tmp_path, check=True, timeout=60)
    return tmp_path


async def by_tools(hand: Hand) -> None:
    staff, changes = ({"path": "people.xlsx", "sheet": sheet} for sheet in ("Staff", "Changes"))
    await hand("describe_workbook", path="people.xlsx")
    await hand("read_range", **staff)
    await hand("read_range", **changes)
    await hand("write_range", **staff, at="A3", rows=[[102, "Nadia Brandt", "new"]])
    await hand("write_range", **staff, at="C3", rows=[["active"]])
    await hand("format_range", **staff, range="A3:C3", style={"bold": False})
    await hand("write_range", **changes, at="A2", rows=[["New", "Nadia Brandt"]])


def test_rows_written_by_tools_are_told_by_their_columns(office: Path) -> None:
    recorded = asyncio.run(played([*SERVER, "--allow-dir", str(office)], "mcp__excel__", by_tools, office))
    steps = [call for call in run(0, "Please enter Nadia Brandt.", *recorded).steps if not RULES.reads(call.name)]
    assert [(call.name, call.arguments, call.failed) for call in steps] == [
        ("write sheet Staff of people.xlsx", {"No": 102, "Name": "Nadia Brandt", "Status": "active"}, False),
        ("write sheet Changes of people.xlsx", {"What": "New", "Who": "Nadia Brandt"}, False),
    ]


def test_rows_written_by_code_are_of_the_same_sheets(office: Path) -> None:
    code = CODE.split("\n", 1)[1].removesuffix("\nE")
    subprocess.run([sys.executable, "-c", code], cwd=office, check=True, timeout=60)
    shown = 'import openpyxl; print(openpyxl.load_workbook("people.xlsx")["Changes"]["A2"].value)'
    printed = subprocess.run([sys.executable, "-c", shown], cwd=office, check=True, timeout=60, capture_output=True)
    assert printed.stdout == b"New\n"
    line: Script = ("Bash", {"command": CODE}, {"stdout": "", "exit_code": 0})
    steps = run(0, "Please enter Nadia Brandt.", line).steps
    assert [call.name for call in steps[1:]] == [
        "write sheet Staff of people.xlsx",
        "write sheet Changes of people.xlsx",
    ]
