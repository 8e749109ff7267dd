"""The graph of a run's tools, without a database.

A chart says the same as picture data, as table and as CSV.
"""

import csv
import json
import re
from io import StringIO

from django.template.loader import render_to_string

from memories.web.charts import Chart, Form, Series, Tone, csv_response
from memories.web.tool_graph import MOST_TOOLS, WIDTH, Call, graph

LANE = re.compile(r"Q(\d+) \d+ \1 \d+V")  # where an arc goes up or down


def called(*tools: str) -> list[Call]:
    """Calls in their order; a `!` behind a name: it failed."""
    return [Call(tool.rstrip("!"), tool.endswith("!")) for tool in tools]


def test_a_run_without_calls_has_no_graph() -> None:
    assert graph([]) is None


def test_tools_stand_in_the_order_of_their_first_calls_with_counts_and_failures() -> None:
    drawn = graph(called("find", "open!", "open", "find", "save"))
    assert drawn
    assert [(tool.name, tool.calls, tool.failures) for tool in drawn.tools] == [
        ("find", 2, 0),
        ("open", 2, 1),
        ("save", 1, 0),
    ]
    assert drawn.failures == 1
    assert sorted(tool.y for tool in drawn.tools) == [tool.y for tool in drawn.tools]


def test_each_step_is_counted_and_a_repetition_has_no_line() -> None:
    drawn = graph(called("find", "open", "open", "find", "open", "save"))
    assert drawn
    steps = {(step.before, step.after): step.times for step in drawn.steps}
    assert steps == {("find", "open"): 2, ("open", "open"): 1, ("open", "find"): 1, ("open", "save"): 1}
    assert ("open", "open") not in {(step.before, step.after) for step in drawn.drawn}


def test_arcs_go_right_when_they_skip_and_left_when_they_return_and_stay_in_the_drawing() -> None:
    names = [f"tool_{number}" for number in range(MOST_TOOLS)]
    drawn = graph(called(*names, names[0], names[-1]))
    assert drawn
    by_pair = {(step.before, step.after): step for step in drawn.drawn}
    back, skip = by_pair[names[-1], names[0]], by_pair[names[0], names[-1]]
    assert back.x < WIDTH // 2 < skip.x
    assert all(0 <= step.x <= WIDTH and 0 <= step.y <= drawn.height for step in drawn.drawn)


def test_arcs_that_pass_the_same_tools_do_not_touch_and_those_without_room_stand_in_the_table_alone() -> None:
    names = [f"tool_{number}" for number in range(10)]
    skips = [(names[start], names[end]) for start in range(10) for end in range(start + 2, 10)]
    drawn = graph(called(*names, *("".join(name) for skip in skips for name in skip), *names[:1], names[9], names[0]))
    assert drawn and drawn.undrawn
    arcs = [step for step in drawn.drawn if step.path.count("Q")]
    places: dict[str, list[tuple[int, int]]] = {}
    for step in arcs:
        (start, end), (far,) = sorted(names.index(one) for one in (step.before, step.after)), LANE.findall(step.path)
        assert all(end <= other[0] or other[1] <= start for other in places.get(far, []))
        places.setdefault(far, []).append((start, end))
    assert (names[9], names[0]) in {(step.before, step.after) for step in arcs}  # the only one that came twice
    assert len(drawn.drawn) + drawn.undrawn == len({step for step in drawn.steps if step.before != step.after})


def test_many_tools_are_cut_and_said_to_be() -> None:
    drawn = graph(called(*(f"tool_{number}" for number in range(MOST_TOOLS + 3))))
    assert drawn
    assert (len(drawn.tools), drawn.others) == (MOST_TOOLS, 3)
    assert {step.after for step in drawn.steps} <= {tool.name for tool in drawn.tools}


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
