"""A long answer of a tool or an agent is cut with a mark; it does not keep a run out."""

from memories.intake.reports.messages import Reader
from memories.values.field_types import LONGEST_TEXT


def test_a_long_tool_result_is_cut_with_a_mark() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    events = Reader().read(
        [
            {"role": "assistant", "content": "x" * (LONGEST_TEXT + 1), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "y" * 150_000},
        ]
    )
    said, called = events

    for text in (said.text, called.result):
        assert len(text) == LONGEST_TEXT
    assert called.result.endswith("\n[cut: 150,000 characters]")


def test_a_long_result_that_is_data_is_kept_whole() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "list", "arguments": "{}"}}
    text = "[" + ", ".join(["12345"] * 30_000) + "]"
    events = Reader().read(
        [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": text}]
    )

    assert len(events[0].result) == 30_000
