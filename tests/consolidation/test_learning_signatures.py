import pytest

from consolidation.learning.effects.toolnames import name_reads, words


@pytest.mark.parametrize(
    "tool",
    [
        "get_order",
        "listFiles",
        "search-issues",
        "orders.find",
        "mcp__github__search_issues",
        "Grep",
        "ls",
        "GetURLStatus",
        "kundeSuchen",
        "stock_check",
    ],
)
def test_the_verb_tells_a_reading_tool(tool: str) -> None:
    assert name_reads(tool)


@pytest.mark.parametrize(
    "tool",
    [
        *("getaway_car", "lister", "mcp__files__write_file", "update_view", "price_list", "rechnungErstellen"),
        *("Bash", "cargo check", "go get", "删除订单", "+"),
    ],
)
def test_every_other_tool_may_change_something(tool: str) -> None:
    assert not name_reads(tool)


@pytest.mark.parametrize(
    ("tool", "parts"),
    [
        ("cancel_pending_order", ["cancel", "pending", "order"]),
        ("getHTTPResponse", ["get", "http", "response"]),
        ("mcp__my_server__create-issue", ["create", "issue"]),
        ("files/read", ["read"]),
        ("_", ["_"]),
    ],
)
def test_a_name_has_words_however_it_is_written(tool: str, parts: list[str]) -> None:
    assert words(tool) == parts
