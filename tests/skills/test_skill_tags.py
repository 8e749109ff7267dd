"""What a step of a recipe is called on a page."""

import pytest

from consolidation.templatetags.worth import telling_steps
from memories.models import Memory
from skills.models import SkillVersion
from skills.templatetags.skill import arguments, description_below_title, step_label


@pytest.mark.parametrize(
    ("step", "label"),
    [
        ({"step": "Run `sed -i`", "tool": "bash"}, "sed -i"),
        ({"step": "运行 `bin/test`", "tool": "bash"}, "bin/test"),
        ({"step": "Look around", "tool": "bash"}, "bash"),
        ({"step": "Change `a/*.py` and `b.py`", "tool": "edit"}, "a/*.py, b.py"),
        ({"step": "Edit", "tool": "edit"}, "edit"),
        ({"step": "Ask for the `order_id`", "tool": "get_order"}, "get_order"),
        ({"step": "Look up the order", "tool": "mcp__shop__get_order"}, "get_order"),
        ({"step": "Say good-bye"}, ""),
    ],
)
def test_a_step_of_a_command_line_is_told_by_its_command_and_another_by_its_tool(
    step: dict[str, str], label: str
) -> None:
    assert step_label(step) == label


def test_how_every_coding_agent_looks_at_files_and_changes_them_is_no_step_of_the_row() -> None:
    steps = [{"step": "Read", "tool": "read"}, {"step": "Edit", "tool": "edit"}, {"step": "Run `make`", "tool": "bash"}]
    assert telling_steps(steps) == steps[2:]
    assert telling_steps(steps[:2]) == steps[:2]
    assert telling_steps(None) == ()


@pytest.mark.parametrize(
    ("title", "description", "shown"),
    [
        (
            "Refund a payment",
            "Refund a payment. Use when a request mentions refund.",
            "Use when a request mentions refund.",
        ),
        ("申请退款", "申请退款。适用于：请求中提到退款。", "适用于：请求中提到退款。"),
        ("Refund a payment", "Refund a payment.", ""),
        ("Refund", "Refund a payment. Use when asked.", "Refund a payment. Use when asked."),
        ("a.c", "abc. Use when asked.", "abc. Use when asked."),
        ("", ". Use when asked.", ". Use when asked."),
    ],
)
def test_a_description_is_shown_without_the_title_that_stands_above_it(
    title: str, description: str, shown: str
) -> None:
    version = SkillVersion(fields={"title": title, "description": description})
    assert description_below_title(Memory(content="the content"), version) == shown


def test_a_skill_without_a_version_is_described_by_its_content() -> None:
    assert description_below_title(Memory(content="the content"), None) == "the content"


def test_an_argument_of_several_types_names_each() -> None:
    kinds = {"type": "object", "properties": {"days": {"type": ["integer", "number"]}, "name": {"type": "string"}}}
    told = [argument["summary"] for argument in arguments(kinds | {"required": ["days"]})]
    assert told == ["integer / number", "string, optional"]
