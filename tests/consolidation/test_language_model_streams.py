"""Answers as real servers write them: in pieces, in parts, as a call of a tool, in a dialect, or without an end."""

import json
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import pytest

from consolidation.llm import Busy, Refused, TooLong, Truncated, Unavailable, dialects, workers
from consolidation.llm.completions import Completion, repeats_itself
from consolidation.models import LLMCall
from memories import leases
from tests.consolidation.model_questions import GOOD, Trip, ask, ledger, model
from tests.model_endpoint import ModelEndpoint, Reply

pytestmark = pytest.mark.django_db
OSLO = Trip(city="Oslo", nights=3)


def test_an_answer_is_streamed_with_its_usage(endpoint: ModelEndpoint, settings: Any) -> None:
    settings.LLM_CONTEXT_TOKENS = 5_000
    endpoint.answers("trip", GOOD)
    assert ask(model()) == OSLO
    asked = endpoint.asked[0]
    assert (asked["stream"], asked["stream_options"]) == (True, {"include_usage": True})
    assert asked["max_completion_tokens"] == 2_500
    call = LLMCall.objects.get()
    assert (call.tokens_in, call.tokens_out, call.tokens_reasoning) == (100, 20, 5)


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}]},
        {"content": None, "tool_calls": [{"type": "function", "function": {"name": "answer", "arguments": GOOD}}]},
        {"content": "", "reasoning_content": f"They want Oslo. {GOOD}"},
        {"content": GOOD, "reasoning_content": "They want {nothing} yet"},
        {"content": "\n\n", "reasoning_content": GOOD},
        {"content": "\n", "tool_calls": [{"function": {"arguments": {"city": "Oslo", "nights": 3}}}]},
    ],
)
@pytest.mark.parametrize("streams", [True, False])
def test_an_answer_is_found_where_servers_put_it(endpoint: ModelEndpoint, message: Any, streams: bool) -> None:
    endpoint.rejects = set() if streams else {"stream"}
    endpoint.answers("trip", Reply(message=message))
    assert ask(model()) == OSLO


@pytest.mark.parametrize(
    "answer",
    [
        "{'city': 'Oslo', 'nights': 3}",
        '{"city": "Oslo", "nights": 3,}',
        '```json\n{city: "Oslo", nights: 3} \n```',
        '{"city": "Oslo", // the capital\n "nights": 3}',
        '{"why": "A line that\nends.", "city": "Oslo", "nights": 3}',
    ],
)
def test_json_that_was_written_carelessly_is_read_where_it_means_one_thing(
    endpoint: ModelEndpoint, answer: str
) -> None:
    endpoint.answers("trip", answer)
    assert ask(model()) == OSLO


@pytest.mark.parametrize("answer", ["{'city': 'Oslo', 'nights': 3", "{'nights': 1, 'nights': 3, 'city': 'Oslo'}"])
def test_what_may_mean_several_things_is_asked_again(endpoint: ModelEndpoint, answer: str) -> None:
    endpoint.answers("trip", answer, GOOD)
    assert ask(model()) == OSLO and len(endpoint.asked) == 2


@pytest.mark.parametrize(
    ("rejects", "left"),
    [
        ({"max_completion_tokens"}, {"response_format", "stream", "stream_options", "max_tokens"}),
        ({"max_completion_tokens", "max_tokens"}, {"response_format", "stream", "stream_options"}),
        ({"stream_options"}, {"response_format", "max_completion_tokens"}),
        ({"response_format"}, {"stream", "stream_options", "max_completion_tokens"}),
        ({"response_format", "stream", "max_completion_tokens", "max_tokens"}, set()),
    ],
)
def test_what_an_endpoint_does_not_know_is_left_out_from_then_on(
    endpoint: ModelEndpoint, rejects: set[str], left: set[str]
) -> None:
    endpoint.rejects = rejects
    endpoint.answers("", GOOD, GOOD)
    assert [ask(model()), ask(model())] == [OSLO, OSLO]
    assert endpoint.asked[-1].keys() - {"model", "messages"} == left
    assert len([ok for ok, _error in ledger() if ok]) == 2 and ledger()[-1] == (True, "")


def test_a_model_that_falls_silent_in_the_middle_is_left(endpoint: ModelEndpoint) -> None:
    endpoint.answers("trip", *[Reply(GOOD * 9, silence=True)] * 4)
    asked = model()
    with pytest.raises(Unavailable, match=r"said nothing for 0\.2 seconds"):
        ask(replace(asked, endpoint=replace(asked.endpoint, idle=0.2)))


@pytest.mark.parametrize("text", ["The trip goes to Oslo, " * 400, " \n" * 4_000, '{"city": "' + "!" * 8_000])
def test_a_model_that_goes_round_in_circles_is_stopped(endpoint: ModelEndpoint, text: str) -> None:
    endpoint.answers("trip", Reply(text, silence=True))
    with pytest.raises(Truncated, match="repeated"):
        ask(model())
    assert LLMCall.objects.get().tokens_out > 0


@pytest.mark.parametrize(
    ("text", "is_loop"),
    [
        ("one two three " * 40, True),
        ("我想要去奥斯陆" * 20, True),
        ("one two three " * 39, False),
        ("-" * 900, False),
        ("| --- " * 300, False),
        (" ".join(f'{{"day": {n}, "city": "Oslo"}},' for n in range(99)), False),
    ],
)
def test_a_loop_is_the_same_few_words_for_120_words(text: str, is_loop: bool) -> None:
    assert repeats_itself(f"It begins otherwise. {text}") == is_loop


def test_an_error_in_an_answer_is_kept_without_the_key(endpoint: ModelEndpoint) -> None:
    error = b'{"error": {"message": "no such key: k-7\\u0000 or model"}}'
    endpoint.answers("trip", *[Reply(body=error)] * 4)
    asked = model()
    with pytest.raises(Unavailable):
        ask(replace(asked, endpoint=replace(asked.endpoint, key="k-7")))
    assert "no such key: " in (why := LLMCall.objects.latest("pk").error)
    assert "k-7" not in why


def test_a_stream_that_breaks_off_is_no_answer(endpoint: ModelEndpoint) -> None:
    error = b'data: {"error": {"message": "out of memory"}}\n\n'
    endpoint.answers("trip", *[Reply(body=error, headers={"Content-Type": "text/event-stream"})] * 4)
    with pytest.raises(Unavailable, match="broke off: out of memory"):
        ask(model())


def test_calls_at_once_are_bounded_over_all_processes(endpoint: ModelEndpoint, monkeypatch: Any) -> None:
    monkeypatch.setattr(workers, "LONGEST_WAIT", 0.3)
    endpoint.answers("trip", GOOD)
    with leases.hold("model call 1", wait=False), leases.hold("model call 2", wait=False):
        with pytest.raises(Busy, match="all 2 allowed"):
            ask(model())
        assert endpoint.asked == [] and ledger() == []
        assert ask(model(concurrency=3)) == OSLO


def events(*chunks: Any) -> Reply:
    """A stream of these chunks, written as servers in C++ and Rust do: nothing is escaped that need not be."""
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    return Reply(body="".join([*lines, "data: [DONE]\n\n"]).encode(), headers={"Content-Type": "text/event-stream"})


def delta(content: str, finish_reason: str | None = None) -> Any:
    return {"choices": [{"delta": {"content": content}, "finish_reason": finish_reason}]}


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_a_separator_of_lines_within_a_text_does_not_end_a_line_of_the_stream(
    endpoint: ModelEndpoint, sign: str
) -> None:
    endpoint.answers("trip", events(delta(f'{{"city": "Os{sign}lo", '), delta('"nights": 3}', "stop")))
    assert ask(model()).city == f"Os{sign}lo"


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": None, "completion_tokens": -1}, {"prompt_tokens": 0, "completion_tokens": 0}, "none"]
)
def test_tokens_that_are_not_told_are_estimated(endpoint: ModelEndpoint, usage: Any) -> None:
    endpoint.answers("trip", events(delta(GOOD, "stop"), {"choices": None, "usage": usage}))
    assert ask(model()) == OSLO
    call = LLMCall.objects.get()
    assert call.tokens_in > 0
    assert call.tokens_out > 0


def test_an_answer_that_the_time_cut_off_is_not_said_to_have_been_none() -> None:
    from consolidation.llm.chat_endpoint import ChatEndpoint  # whose SDK takes a second

    late = ChatEndpoint("http://127.0.0.1:9/v1", timeout=0)._wait(SimpleQueue(), Completion(pieces=90), lambda _n: None)
    assert str(late) == "was still answering after 0 seconds (LLM_TIMEOUT)"


def test_a_stream_as_llama_cpp_was_recorded_to_write_it_is_read(endpoint: ModelEndpoint) -> None:
    """Comments while it reads, a first piece without words, and an end with the tokens and its own times."""
    pieces = [{"role": "assistant", "content": None}, {"content": GOOD[:9]}, {"content": GOOD[9:]}]
    chunks = [{"choices": [{"finish_reason": None, "index": 0, "delta": piece}]} for piece in pieces]
    usage = {"completion_tokens": 145, "prompt_tokens": 3335, "prompt_tokens_details": {"cached_tokens": 2176}}
    end = {"choices": [{"finish_reason": "stop", "index": 0, "delta": {}}]}
    whole = events(*chunks, end, {"choices": [], "usage": usage, "timings": {"cache_n": 2176, "prompt_n": 1159}})
    endpoint.answers("trip", replace(whole, body=b":\n\n" * 6 + (whole.body or b"")))
    assert ask(model()) == OSLO
    assert (LLMCall.objects.get().tokens_in, LLMCall.objects.get().tokens_out) == (3335, 145)


def test_an_error_that_older_servers_send_within_a_stream_is_no_answer(endpoint: ModelEndpoint) -> None:
    endpoint.answers("trip", events({"object": "error", "message": "the engine is dead", "code": 500}), GOOD)
    assert ask(model()) == OSLO
    assert ledger()[0] == (False, "the language model broke off: the engine is dead")


def test_a_text_that_is_too_long_may_be_told_within_a_stream(endpoint: ModelEndpoint) -> None:
    """So does LM Studio, which answers 200 first."""
    why = "The number of tokens to keep from the initial prompt is greater than the context length."
    endpoint.answers("trip", events({"error": {"message": why}}))
    with pytest.raises(TooLong, match="greater than the context length"):
        ask(model())
    assert len(endpoint.asked) == 1


def test_an_error_in_a_line_of_its_own_is_read(endpoint: ModelEndpoint) -> None:
    """So llama.cpp told it within a stream before the end of 2025, and ended the stream as if it were whole."""
    why = "the request exceeds the available context size. try increasing the context size or enable context shift"
    body = f'error: {{"code": 400, "message": "{why}"}}\n\ndata: [DONE]\n\n'.encode()
    endpoint.answers("trip", Reply(body=body, headers={"Content-Type": "text/event-stream"}))
    with pytest.raises(TooLong, match="exceeds the available context size"):
        ask(model())
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("reason", ["abort", "error", "insufficient_system_resource"])  # vLLM, OpenRouter, DeepSeek
def test_an_answer_that_the_server_broke_off_is_asked_for_again_and_not_called_the_model_s_fault(
    endpoint: ModelEndpoint, reason: str
) -> None:
    endpoint.answers("trip", events(delta('{"city": "Os'), delta("", reason)), GOOD)
    assert ask(model()) == OSLO
    assert ledger()[0] == (False, f"the language model broke off: {reason}")
    assert len(endpoint.asked[1]["messages"]) == 2


def test_an_answer_that_ends_in_the_middle_is_told_as_such_and_asked_for_again(endpoint: ModelEndpoint) -> None:
    body = f"data: {json.dumps({'choices': [{'delta': {'content': '{'}}]})}\n\n".encode()  # its server was stopped
    endpoint.answers("trip", Reply(body=body, headers={"Content-Type": "text/event-stream"}), GOOD)
    assert ask(model()) == OSLO
    assert ledger()[0] == (False, "the language model broke off: its answer ends in the middle")


def test_a_schema_tells_no_words_that_are_for_readers_of_the_code(endpoint: ModelEndpoint) -> None:
    endpoint.answers("trip", GOOD)
    ask(model())
    schema = endpoint.asked[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"] == {"city": {"type": "string"}, "nights": {"type": "integer"}}
    assert dialects.bare(
        {"description": "A title.", "properties": {"title": {"type": "string", "title": "Title"}}}
    ) == {"properties": {"title": {"type": "string"}}}


@pytest.mark.parametrize("reason", ["model_length", "model_context_window_exceeded"])  # Mistral, Anthropic
def test_an_answer_that_fills_the_context_is_cut_off(endpoint: ModelEndpoint, reason: str) -> None:
    endpoint.answers("trip", Reply(GOOD[:-5], finish_reason=reason))
    with pytest.raises(Truncated):
        ask(model())


@pytest.mark.parametrize("reason", ["content_filter: PROHIBITED_CONTENT", "SAFETY"])
def test_an_answer_that_gemini_withholds_is_refused_and_not_asked_again(endpoint: ModelEndpoint, reason: str) -> None:
    endpoint.answers("trip", Reply(finish_reason=reason))
    with pytest.raises(Refused):
        ask(model())
    assert len(endpoint.asked) == 1


def test_a_schema_that_cannot_be_compiled_is_left_out_alone(endpoint: ModelEndpoint) -> None:
    endpoint.answers("trip", Reply("The provided JSON schema contains features not supported by xgrammar", status=400))
    endpoint.answers("", GOOD)
    assert ask(model()) == OSLO
    assert ("response_format" in endpoint.asked[1], "stream" in endpoint.asked[1]) == (False, True)
