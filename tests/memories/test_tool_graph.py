"""The graph of a run's tools, without a database."""

import re

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
