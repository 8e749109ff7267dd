import pytest

from consolidation.learning.signatures import effects, exact, is_read_only, words
from tests.consolidation.recorded import run


def test_the_exact_signature_is_the_sorted_set_of_tools() -> None:
    there_and_back = run(1, ("lint", {}, "ok"), ("go_test", {}, "ok"), ("go_build", {}, ""), ("go_test", {}, "ok"))

    assert exact(there_and_back, ignored=()) == "go_build+go_test+lint"


def test_blank_names_and_ignored_tools_do_not_shape_a_signature() -> None:
    noisy = run(1, ("  ", {}, ""), ("think", {}, ""), (" lint ", {}, ""))

    assert exact(noisy, ignored={"think"}) == "lint"


def test_effects_are_the_tools_that_do_more_than_read() -> None:
    sale = run(1, ("get_order", {}, ""), ("searchItems", {}, ""), ("refund_order", {}, ""), ("send.mail", {}, ""))

    assert effects(sale, (), {}) == "refund_order+send.mail"
    assert effects(run(2, ("get_order", {}, "")), (), {}) == ""


def test_a_mark_wins_over_the_name() -> None:
    marked = {"run_report": True, "get_lock": False}
    night = run(1, ("run_report", {}, ""), ("get_lock", {}, ""))

    assert effects(night, (), marked) == "get_lock"


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
    ],
)
def test_the_first_word_tells_a_reading_tool(tool: str) -> None:
    assert is_read_only(tool, {})


@pytest.mark.parametrize(
    "tool", ["getaway_car", "lister", "mcp__files__write_file", "update_view", "Bash", "删除订单", "+"]
)
def test_every_other_tool_may_change_something(tool: str) -> None:
    assert not is_read_only(tool, {})


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
