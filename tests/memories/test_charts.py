"""A chart says the same as picture data, as table and as CSV."""

import csv
import json
import re
from io import StringIO

from django.template.loader import render_to_string

from memories.web.charts import Chart, Form, Series, Tone, csv_response

USES = Chart(
    "uses",
    "Uses",
    "Day",
    labels=["2 Mar", "3 Mar", "4 Mar"],
    series=[Series("worked", Tone.GOOD, [3, 0, 5]), Series("failed", Tone.BAD, [1, 0, None])],
    form=Form.STACK,
    newest_first=True,
    csv_address="/uses.csv",
)


def cells(chart: Chart) -> list[list[str]]:
    text = csv_response(chart).content.decode()
    assert text.startswith("\ufeff"), "spreadsheets know UTF-8 by this mark"
    return list(csv.reader(StringIO(text.removeprefix("\ufeff"))))


def test_the_page_holds_the_numbers_as_data_for_the_picture_and_as_a_table_without_it() -> None:
    page = render_to_string("components/_chart.html", {"chart": USES})
    drawn = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[0])
    assert drawn["series"][0] == {"name": "worked", "tone": "good", "values": [3, 0, 5]}
    assert re.findall(r'<th scope="row">(.*?)</th>', page) == ["4 Mar", "2 Mar"], "newest first, without empty days"
    assert re.findall(r"<td class=\"number\">\s*(\S+)\s*</td>", page) == ["5", "–", "3", "1"]
    assert "<details" in page and "open" in page, "without scripts the table is in sight"
    assert "style=" not in page and "onclick" not in page, "the content security policy allows neither"


def test_a_file_for_spreadsheets_holds_every_day_and_no_formula() -> None:
    hostile = Chart(
        "models",
        "Models",
        "=1+1",
        labels=["=cmd()", "+1", "-2", "@x"],
        series=[Series("@sum", Tone.ACCENT, [1, 2, 3, -4])],
    )
    assert cells(USES) == [["Day", "worked", "failed"], ["2 Mar", "3", "1"], ["3 Mar", "0", "0"], ["4 Mar", "5", ""]]
    assert cells(hostile)[0] == ["'=1+1", "'@sum"]
    assert [row[0] for row in cells(hostile)[1:]] == ["'=cmd()", "'+1", "'-2", "'@x"]
    assert cells(hostile)[4][1] == "-4", "a number is no formula"


def test_a_chart_without_numbers_says_so_and_draws_nothing() -> None:
    page = render_to_string("components/_chart.html", {"chart": Chart("none", "None", "Day", ["2 Mar"], [])})
    assert "Nothing to count yet." in page and "<canvas" not in page
