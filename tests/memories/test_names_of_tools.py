"""Tools of MCP are shown by their own name; that of the server stands in a title."""

import pytest
from django.template import Context, Template

from memories.web.tool_graph import Tool


@pytest.mark.parametrize(
    ("tool", "shown"),
    [
        ("mcp__playwright__browser_click", '<code title="mcp__playwright__browser_click">browser_click</code>'),
        ("mcp__my_server__get_order", '<code title="mcp__my_server__get_order">get_order</code>'),
        ("get_order", "<code>get_order</code>"),
        ("<b>", "<code>&lt;b&gt;</code>"),
    ],
)
def test_a_tool_is_shown_without_its_server(tool: str, shown: str) -> None:
    assert Template("{% load episode %}{% tool_code tool %}").render(Context({"tool": tool})) == shown


def test_the_graph_of_tools_has_room_for_the_name_without_the_server() -> None:
    assert Tool("mcp__playwright__browser_navigate", calls=1, failures=0, y=0).short == "browser_navigate"
