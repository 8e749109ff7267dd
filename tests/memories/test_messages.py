"""Messages become events: calls carry their results, what does not fit is named or kept and flagged."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.intake.reports.drafts import BAD_ARGUMENTS, ORPHAN_RESULT, UNANSWERED_CALL, EventDraft
from memories.intake.reports.messages import MOST_EVENTS, Reader
from memories.values.exceptions import Invalid
from tests.make import Json, answer, call, user


def read(*messages: Any) -> list[EventDraft]:
    return Reader().read(list(messages))


def wrong(*messages: Any) -> list[str]:
    with pytest.raises(Invalid) as caught:
        read(*messages)
    return [str(error) for error in caught.value.errors]


@given(
    st.sampled_from(["user", "assistant", "system", "tool", "", " ", "r" * 33, 7, None]),
    st.sampled_from(["", " ", "hi", "x" * 100_000, "y" * 100_001, None, ["a", "b"], {"a": 1}, 7]) | st.text(),
)
def test_a_message_of_role_and_content_is_read_as_one_with_more_fields(role: object, content: object) -> None:
    def outcome(message: Json) -> object:
        try:
            return [vars(event) for event in read(message)]
        except Invalid as invalid:
            return [str(error) for error in invalid.errors]

    said = {"role": role, "content": content}
    assert outcome(said) == outcome({**said, "name": None})


def test_each_call_carries_its_result_in_order() -> None:
    events = read(user("hi"), call("a", "1", x=1), call("b", "2"), answer("second", "2"), answer("first", "1"))
    assert [(e.kind, e.tool, e.args, e.result) for e in events] == [
        ("message", "", None, None),
        ("tool_call", "a", {"x": 1}, "first"),
        ("tool_call", "b", {}, "second"),
    ]
    assert all(not event.flags for event in events)


def test_items_of_the_responses_api_are_read_as_their_own_types_write_them() -> None:
    """`openai` writes them; a later call's summary is what a model tells of its reasoning."""
    from openai.types.responses import (
        ResponseCustomToolCall,
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
        ResponseReasoningItem,
    )
    from openai.types.responses.response_output_item import McpCall
    from openai.types.responses.response_reasoning_item import Summary

    def item(made: Any) -> Json:
        return dict(made.model_dump(exclude_unset=True))

    text = ResponseOutputText(text="Done.", type="output_text", annotations=[])
    events = read(
        {"role": "user", "content": [{"type": "input_text", "text": "Refund order-7"}]},
        item(
            ResponseReasoningItem(id="r", type="reasoning", summary=[Summary(text="Look first", type="summary_text")])
        ),
        item(ResponseFunctionToolCall(call_id="c1", id="f", name="get", arguments='{"x": 1}', type="function_call")),
        item(ResponseCustomToolCall(call_id="c2", name="note", input="lost", type="custom_tool_call")),
        {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "kept"}]},
        {"type": "function_call_output", "call_id": "c1", "output": '{"pay": 7}'},
        item(McpCall(id="m", name="list", arguments="{}", server_label="s", output="[1]", type="mcp_call")),
        item(ResponseOutputMessage(id="o", role="assistant", type="message", status="completed", content=[text])),
    )
    assert [(e.kind, e.role, e.text or e.tool, e.args, e.result) for e in events] == [
        ("message", "user", "Refund order-7", None, None),
        ("message", "assistant", "Look first", None, None),
        ("tool_call", "assistant", "get", {"x": 1}, {"pay": 7}),
        ("tool_call", "assistant", "note", "lost", "kept"),
        ("tool_call", "assistant", "list", {}, [1]),
        ("message", "assistant", "Done.", None, None),
    ]


def test_an_item_says_that_its_call_failed_and_one_of_a_tool_that_is_not_ours_is_kept_in_brackets() -> None:
    broken = {"type": "mcp_call", "id": "m", "name": "list", "arguments": "{}", "output": None, "error": "no access"}
    call, search = read(broken, {"type": "web_search_call", "id": "w", "status": "completed"})
    assert (call.tool, call.result, call.ok) == ("list", "no access", False)
    assert (search.kind, search.role, search.text) == ("message", "assistant", "[web_search_call]")


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({"type": "function_call", "call_id": "c"}, "messages[0].name"),
        ({"type": "function_call_output", "call_id": "c", "output": "x" * 10_485_761}, "messages[0].output"),
        ({"type": "reasoning", "summary": 7}, "messages[0].summary"),
        ({"type": "message", "content": "hi"}, "messages[0].role"),
        ({"type": ["function_call"]}, "messages[0].role"),
    ],
)
def test_what_is_wrong_in_an_item_is_named(item: Json, error: str) -> None:
    assert wrong(item)[0].startswith(error)


def test_a_repeated_id_answers_the_latest_call_that_still_waits() -> None:
    events = read(call("a"), answer("one"), call("b"), call("c"), answer("three"), answer("two"))
    assert [(e.tool, e.result) for e in events] == [("a", "one"), ("b", "two"), ("c", "three")]


def test_of_two_calls_that_say_the_same_each_gets_its_own_result() -> None:
    events = read(call("a"), call("a"), answer(None), answer("first"))
    assert [(e.result, e.flags) for e in events] == [("first", []), (None, [])]


def test_a_call_without_a_result_is_kept_and_flagged() -> None:
    assert [event.flags for event in read(call("a", "1"), call("b", "2"), answer("x", "1"))] == [[], [UNANSWERED_CALL]]


@pytest.mark.parametrize("id", ["other", None, 7, ["list"], {"a": 1}])
def test_a_result_without_its_call_is_kept_and_flagged(id: Any) -> None:
    [_, orphan] = read(call("a"), answer("lost", id))
    assert (orphan.kind, orphan.result, orphan.flags) == ("tool_result", "lost", [ORPHAN_RESULT])


def test_a_result_without_an_id_belongs_to_the_latest_call_of_its_tool() -> None:
    events = read(call("a", None), call("b", None), {"role": "function", "name": "a", "content": "x"})
    assert [(e.tool, e.result) for e in events] == [("a", "x"), ("b", None)]


def test_results_without_ids_belong_to_the_calls_of_one_message_in_their_order() -> None:
    asked = {"role": "assistant", "tool_calls": [call("a", None, x=x)["tool_calls"][0] for x in (1, 2)]}
    results = [{"role": "tool", "name": "a", "content": text} for text in ("one", "two")]
    events = read(call("a", None, x=0), asked, *results, asked, *results)
    assert [(e.args["x"], e.result) for e in events] == [(0, None), *[(1, "one"), (2, "two")] * 2]


def test_ids_may_be_numbers() -> None:
    [event] = read(call("a", 7), answer("x", 7))  # type: ignore[arg-type]
    assert (event.ref, event.result) == ("7", "x")


def test_the_only_call_of_old_messages_is_a_call() -> None:
    message = {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": '{"x": 1}'}}
    [event] = read(message, {"role": "function", "name": "a", "content": "done"})
    assert (event.tool, event.args, event.result) == ("a", {"x": 1}, "done")


@pytest.mark.parametrize(
    ("arguments", "args", "flags"),
    [
        ('{"x": 1}', {"x": 1}, []),
        ({"x": 1}, {"x": 1}, []),
        ("", {}, []),
        (None, {}, []),
        ("{x: 1}", "{x: 1}", [BAD_ARGUMENTS]),
        ('{"x": NaN}', '{"x": NaN}', [BAD_ARGUMENTS]),
        ('{"x": "\\u0000"}', '{"x": "\\u0000"}', [BAD_ARGUMENTS]),
        ("[" * 5000, "[" * 5000, [BAD_ARGUMENTS]),
    ],
)
def test_arguments_that_are_no_json_are_kept_as_they_came(arguments: Any, args: Any, flags: list[str]) -> None:
    function = {"name": "a", "arguments": arguments}
    [event] = read({"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}, answer("x", "1"))
    assert (event.args, event.flags) == (args, flags)


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ('{"a": [1]}', {"a": [1]}),
        ("[1e999]", "[1e999]"),
        ("{broken", "{broken"),
        ("5", "5"),
        ([{"type": "text", "text": "a"}, {"type": "image_url"}], "a\n[image_url]"),
        ({"a": 1}, {"a": 1}),
        (None, None),
    ],
)
def test_a_result_is_data_where_it_is_json_and_text_otherwise(content: Any, result: Any) -> None:
    [event] = read(call("a"), answer(content))
    assert event.result == result


def test_what_is_no_text_leaves_its_kind_in_brackets() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "x"}}, "plain"]
    assert read({"role": "user", "content": parts})[0].text == "look\n[image_url]\nplain"


def test_a_text_within_an_object_is_read_and_what_is_no_text_is_named_and_not_lost() -> None:
    within = {"type": "text", "text": {"value": "where is my parcel", "annotations": []}}
    assert [event.text for event in read({"role": "user", "content": [within]})] == ["where is my parcel"]
    assert wrong({"role": "user", "content": [{"type": "text", "text": 5}]}) == [
        "messages[0].content[0].text: must be a text"
    ]


def test_a_refusal_is_something_said() -> None:
    assert read({"role": "assistant", "content": None, "refusal": "I cannot"})[0].text == "I cannot"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"content": "x"}, "messages[0].role: is required"),
        ({"role": ""}, "messages[0].role: is required"),
        ({"role": " "}, "messages[0].role: is required"),
        ({"role": 5}, "messages[0].role: must be a text"),
        ({"role": "r" * 33}, "messages[0].role: is longer than 32 characters"),
        ("text", "messages[0]: must be an object with role and content"),
        ({"role": "user", "content": 5}, "messages[0].content: must be a text or a list of parts"),
        ({"role": "user", "content": {"a": 1}}, "messages[0].content: must be a text or a list of parts"),
        ({"role": "user", "content": [5]}, "messages[0].content[0]: must be a text or an object with a type"),
        ({"role": "user", "content": "x" * 100_001}, "messages[0].content: is longer than 100,000 characters"),
        ({"role": "user", "name": ["x"]}, "messages[0].name: must be a text"),
        ({"role": "a", "tool_calls": {"a": 1}}, "messages[0].tool_calls: must be a list of calls"),
        ({"role": "a", "tool_calls": ["x"]}, "messages[0].tool_calls[0].function: is required"),
        ({"role": "a", "tool_calls": [{"function": {}}]}, "messages[0].tool_calls[0].function.name: is required"),
        (
            {"role": "a", "tool_calls": [{"id": [1], "function": {"name": "a"}}]},
            "messages[0].tool_calls[0].id: must be a text",
        ),
        ({"role": "a", "content": [{"type": "tool_use", "id": "1"}]}, "messages[0].content[0].name: is required"),
        ({"role": "user", "content": "x", "ref": "r" * 513}, "messages[0].ref: is longer than 512 characters"),
        (answer("x" * (10 * 1024 * 1024 + 1)), "messages[0].content: is larger than 10 MiB"),
    ],
)
def test_a_wrong_field_is_named_with_its_place(message: Any, said: str) -> None:
    assert wrong(message) == [said]


@pytest.mark.parametrize(
    "timestamp", ["yesterday", 5, "2026-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
)
def test_a_time_is_one_that_every_zone_can_show(timestamp: Any) -> None:
    [said] = wrong({"role": "user", "content": "x", "timestamp": timestamp})
    assert said == "messages[0].timestamp: must be an RFC 3339 time with its zone, from 1900 to 9000"


def test_every_wrong_message_is_named_but_no_more_than_a_hundred() -> None:
    assert wrong({"content": "x"}, user("y"), {"role": 1})[1] == "messages[2].role: must be a text"
    assert len(wrong(*[5] * 100_000)) == 100
    assert len(wrong({"role": "user", "content": [5] * 100_000})) == 100


def test_a_run_of_too_many_events_is_refused_before_it_fills_the_memory() -> None:
    assert wrong(*[user("x")] * (MOST_EVENTS + 1)) == ["messages: hold more than 50,000 events"]


def test_thousands_of_calls_and_results_are_paired_without_looking_at_each_other() -> None:
    number = MOST_EVENTS // 2
    orphans = [answer("x", f"other-{n}") for n in range(number)]
    events = read(*[call("a", f"c{n}") for n in range(number)], *orphans)
    assert sum(event.flags == [ORPHAN_RESULT] for event in events) == number


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
TOOLS = WORDS.filter(str.strip)
ARGUMENTS = st.dictionaries(WORDS, st.integers() | WORDS | st.none(), max_size=3)
TURNS = st.lists(st.tuples(WORDS | st.just(""), st.lists(st.tuples(TOOLS, ARGUMENTS, WORDS), max_size=3)), max_size=5)


@given(TURNS)
def test_anthropic_blocks_are_the_equivalent_openai_messages(turns: list[tuple[str, list[Any]]]) -> None:
    openai: list[Json] = []
    anthropic: list[Json] = []
    for said, calls in turns:
        ids = [(str(n % 2), *one) for n, one in enumerate(calls)]  # ids repeat, as they do in recorded runs
        uses = [{"type": "tool_use", "id": i, "name": tool, "input": args} for i, tool, args, _ in ids]
        results = [{"type": "tool_result", "tool_use_id": i, "content": result} for i, _, _, result in ids]
        anthropic += [{"role": "assistant", "content": [{"type": "text", "text": said}, *uses]}]
        anthropic += [{"role": "user", "content": results}]
        named = [(i, {"name": tool, "arguments": args}) for i, tool, args, _ in ids]
        openai += [{"role": "assistant", "content": said, "tool_calls": [{"id": i, "function": f} for i, f in named]}]
        openai += [answer(result, i) for i, _, _, result in ids]
    assert [vars(event) for event in read(*openai)] == [vars(event) for event in read(*anthropic)]


@pytest.mark.parametrize(
    ("asked", "answered", "expected"),
    [
        ("2026-03-01T08:00:00Z", "2026-03-01T08:00:01.250Z", 1250.0),
        ("2026-03-01T08:00:01Z", "2026-03-01T08:00:00Z", None),
        ("2026-03-01T08:00:00Z", None, None),
        (None, "2026-03-01T08:00:00Z", None),
    ],
)
def test_a_call_took_from_its_message_to_that_of_its_result(
    asked: str | None, answered: str | None, expected: float | None
) -> None:
    [event] = read({**call("search"), "timestamp": asked}, {**answer("3 found"), "timestamp": answered})
    assert event.latency_ms == expected
