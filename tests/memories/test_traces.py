"""Spans of OpenTelemetry become episodes: each thing once, whoever sends it again; what is no trace is told."""

import gzip
import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from opentelemetry.trace import Status, StatusCode, Tracer
from rest_framework.test import APIClient

from memories import people
from memories.intake.episodes import close_silent
from memories.intake.reports.drafts import UNANSWERED_CALL
from memories.lifecycle import forget
from memories.models import Episode, Event, Passage
from memories.scanning import SECRET
from memories.values.choices import Sensitivity
from tests.at_once import at_once
from tests.make import bearing, bytes_of, caller, make_agent, make_person
from tests.memories.traced import TRACE, answered, called, chat, request, said, span, tracer

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
ASK, REPLY = "Where is order-7?", "It is late."
CALL = called("call-1", "get_order", order_id="order-7")
ANSWER = answered("call-1", {"state": "late"})
FIRST = chat([said("user", ASK)], [CALL])
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_order",
    "gen_ai.tool.call.id": "call-1",
    "gen_ai.tool.call.arguments": '{"order_id": "order-7"}',
    "gen_ai.tool.call.result": '{"state": "late"}',
}
SECOND = chat([said("user", ASK), CALL, ANSWER], [said("assistant", REPLY)])
TOLD = [("user", ASK, ""), ("assistant", "", "get_order"), ("assistant", REPLY, "")]


def send(client: APIClient, body: Any, status: int = 200) -> Json:
    answer = client.post("/api/v1/traces", body, format="json")
    assert answer.status_code == status, answer.content
    return dict(answer.json())


def send_bytes(client: Any, body: bytes, kind: str, encoding: str = "") -> Any:
    """Any bytes, at the address where exporters send to."""
    more = {"HTTP_CONTENT_ENCODING": encoding} if encoding else {}
    return client.generic("POST", "/v1/traces", body, kind, **more)


def told(thread: str = TRACE) -> list[tuple[str, str, str]]:
    rows = Event.objects.filter(episode__thread_id=thread).order_by("episode", "position")
    return list(rows.values_list("role", "text", "tool"))


def run(tracer: Tracer) -> str:
    """A run as an instrumented framework traces it; its trace id."""
    with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}) as root:
        with tracer.start_as_current_span("chat m", attributes=FIRST):
            pass
        with tracer.start_as_current_span("execute_tool get_order", attributes=TOOL) as tool:
            tool.set_status(Status(StatusCode.OK))
        with tracer.start_as_current_span("GET /orders", attributes={"http.request.method": "GET"}):
            pass
        with tracer.start_as_current_span("chat m", attributes=SECOND):
            pass
    return f"{root.get_span_context().trace_id:032x}"


@pytest.mark.django_db(transaction=True)
def test_a_run_that_the_sdk_exports_is_an_episode(live_server: Any) -> None:
    with tracer(live_server.url, make_agent()[1], **{"memos.scope": "project:shop"}) as made:
        trace = run(made)
    assert told(trace) == TOLD
    episode = Episode.objects.get()
    assert (episode.thread_id, episode.source, episode.scope) == (trace, "refund-agent", "project:shop")
    assert (episode.memory.content, episode.outcome, episode.closed_at) == (ASK, None, None)
    call = Event.objects.get(tool="get_order")
    assert (call.args, call.result, call.ok) == ({"order_id": "order-7"}, {"state": "late"}, True)
    assert call.latency_ms is not None


def test_what_comes_in_pieces_and_again_stands_once() -> None:
    client = caller()
    spans = [span(1, FIRST), span(2, TOOL), span(3, SECOND)]
    for one in (*spans, *spans):
        assert send(client, request(one)) == {}
    send(client, request(*spans))
    assert told() == TOLD


def test_without_spans_of_tools_calls_are_read_from_what_the_model_is_told_next() -> None:
    client = caller()
    send(client, request(span(3, SECOND)))
    assert sorted(told()) == sorted(TOLD)
    assert Event.objects.get(tool="get_order").result == {"state": "late"}


def test_a_call_that_nobody_answers_stands_without_a_result_until_somebody_does() -> None:
    client = caller()
    send(client, request(span(1, FIRST)))
    send(client, request(span(1, FIRST)))
    assert told() == TOLD[:2]
    call = Event.objects.get(tool="get_order")
    assert (call.result, call.ok, call.flags) == (None, None, [UNANSWERED_CALL])
    send(client, request(span(3, SECOND)))
    send(client, request(span(1, FIRST), span(3, SECOND)))
    assert told() == TOLD
    call.refresh_from_db()
    assert (call.result, call.ok, call.flags) == ({"state": "late"}, None, [])
    assert "state: late" in Passage.objects.get(event=call).text  # found by search


@pytest.mark.parametrize("named", [True, False], ids=["by its id", "by what it says"])
def test_the_span_of_a_call_that_waited_answers_it(named: bool) -> None:
    client = caller()
    tool = {name: value for name, value in TOOL.items() if named or name != "gen_ai.tool.call.id"}
    for spans in ([span(1, FIRST)], [span(2, tool, code=2)], [span(2, tool, code=2), span(1, FIRST)]):
        send(client, request(*spans))
    assert told() == TOLD[:2]
    call = Event.objects.get(tool="get_order")
    assert (call.result, call.ok, call.flags) == ({"state": "late"}, False, [])
    assert call.latency_ms == 500


def test_a_secret_in_the_answer_to_a_call_that_waited_makes_its_episode_secret() -> None:
    client = APIClient()
    client.force_login(make_person())  # of an agent credentials are removed
    send(client, request(span(1, FIRST)))
    key = "sk-proj-Vb7Qm2Xw9Lr4Tz8Kd3Hn6Pf1"
    send(client, request(span(3, chat([said("user", ASK), CALL, answered("call-1", f"api_key = {key}")], []))))
    memory = Episode.objects.get().memory
    assert (memory.flags, memory.sensitivity) == ([SECRET], Sensitivity.HIGH)


def test_who_says_the_same_twice_is_heard_twice() -> None:
    turns = [said("user", "yes"), said("assistant", "Sure?"), said("user", "yes")]
    client = caller()
    send(client, request(span(1, chat(turns[:1], turns[1:2]))))
    send(client, request(span(2, chat(turns, [said("assistant", "Done")]))))
    assert [text for _, text, _ in told()] == ["yes", "Sure?", "yes", "Done"]


def test_spans_of_openinference_are_read() -> None:
    message = "llm.{}_messages.{}.message.{}".format
    call = message("output", 0, "tool_calls.0.tool_call.function.{}").format
    first = {message("input", 0, "role"): "user", message("input", 0, "content"): ASK}
    made = {
        call("name"): "get_order",
        call("arguments"): '{"order_id": "order-7"}',
        message("output", 0, "role"): "assistant",
    }
    answer = {
        message("input", 1, name.split(".", 3)[3].removeprefix("message.")): value for name, value in made.items()
    }
    tool = {message("input", 2, "role"): "tool", message("input", 2, "content"): '{"state": "late"}'}
    last = {message("output", 0, "role"): "assistant", message("output", 0, "contents.0.message_content.text"): REPLY}
    kind = "openinference.span.kind"
    of_tool = {kind: "TOOL", "tool.name": "get_order", "input.value": '{"order_id": "order-7"}'}
    send(
        caller(),
        request(
            span(1, {kind: "LLM", **first, **made}),
            span(2, {**of_tool, "output.value": '{"state": "late"}'}, code=2),
            span(3, {kind: "LLM", **first, **answer, **tool, **last}),
        ),
    )
    assert told() == TOLD
    assert Event.objects.get(tool="get_order").ok is False


def test_the_first_editions_of_the_conventions_are_read() -> None:
    body = request(
        span(1, {"gen_ai.operation.name": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": ASK})
    )
    events = [
        ("gen_ai.system.message", {"content": "Be brief"}),
        ("gen_ai.choice", {"message": json.dumps({"content": REPLY})}),
    ]
    other = span(2, {"gen_ai.operation.name": "chat"})
    other["events"] = [
        {"name": name, "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in fields.items()]}
        for name, fields in events
    ]
    body["resourceSpans"][0]["scopeSpans"][0]["spans"].append(other)
    send(caller(), body)
    assert ("user", ASK, "") in told()
    assert told()[-1] == ("assistant", REPLY, "")


def test_a_run_without_messages_is_told_by_its_root() -> None:
    kind = {"openinference.span.kind": "CHAIN", "input.value": json.dumps({"question": ASK}), "output.value": REPLY}
    send(caller(), request(span(1, kind), span(2, {**kind, "input.value": "inner"}, parent=1)))
    assert told() == [TOLD[0], TOLD[2]]


def test_a_root_that_failed_is_a_failure_and_a_status_that_is_not_set_is_unknown() -> None:
    client = caller()
    agent = {"gen_ai.operation.name": "invoke_agent"}
    send(client, request(span(1, agent, code=2), span(2, FIRST, parent=1), span(3, TOOL, parent=1)))
    assert Event.objects.get(tool="get_order").ok is None
    assert (Episode.objects.get().outcome, Episode.objects.get().outcome_source) == ("failure", "reported")


def test_spans_without_a_trace_are_counted_and_the_others_stored() -> None:
    good, bad = span(1, FIRST), {**span(2, TOOL), "traceId": "0" * 32}
    answer = send(caller(), request(good, bad, {**bad, "traceId": "xyz"}, {"name": "empty"}))
    assert answer["partialSuccess"]["rejectedSpans"] == "3"
    assert "traceId must be 32 hexadecimal digits" in answer["partialSuccess"]["errorMessage"]
    assert told() == TOLD[:2]
    refusal = send(caller(), request(bad), status=400)
    assert "traceId must be" in refusal["detail"]


def test_a_trace_that_another_agent_began_takes_nothing_of_others() -> None:
    send(caller(), request(span(1, FIRST)))
    other = caller()
    assert "was begun by another agent" in send(other, request(span(3, SECOND)), status=409)["detail"]
    mixed = send(other, request(span(3, SECOND), span(4, FIRST, trace="a" * 32)))
    assert mixed["partialSuccess"]["rejectedSpans"] == "1"
    assert (told(), told("a" * 32)) == (TOLD[:2], TOLD[:2])


def test_a_token_writes_as_its_source_and_into_its_scope_alone() -> None:
    client = caller(sources=["other"])
    assert "may not write as the source 'refund-agent'" in send(client, request(span(1, FIRST)), status=403)["detail"]
    send(client, request(span(1, FIRST), memos_source="other"))
    assert Episode.objects.get().source == "other"


def test_what_comes_after_the_end_opens_another_episode_of_the_thread() -> None:
    client = caller()
    send(client, request(span(1, FIRST)))
    close_silent(at=timezone.now() + timedelta(hours=1))
    send(client, request(span(1, FIRST)))
    assert Episode.objects.count() == 1  # nothing new
    for _ in range(2):
        send(client, request(span(2, TOOL), span(3, SECOND)))
    assert [episode.event_count for episode in Episode.objects.order_by("pk")] == [
        2,
        2,
    ]  # the call again, with its answer


def test_what_a_person_has_forgotten_is_not_stored_again() -> None:
    client = caller()
    send(client, request(span(1, FIRST)))
    forget(Episode.objects.get().memory, trust=people.trust_of(make_person()), at=timezone.now())
    assert send(client, request(span(1, FIRST))) == {}
    assert not Episode.objects.exists()


def test_credentials_are_removed_before_anything_is_stored() -> None:
    token = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    send(
        caller(),
        request(span(1, chat([said("user", f"Use {token}")], [])), span(2, {**TOOL, "gen_ai.tool.call.result": token})),
    )
    assert token not in json.dumps(list(Event.objects.values("text", "args", "result")))
    assert "removed]" in told()[0][1]


@pytest.mark.parametrize(
    ("body", "kind", "encoding", "says"),
    [
        (b"\xff\xff\xff", "application/x-protobuf", "", "not an ExportTraceServiceRequest"),
        (b"{", "application/json", "", "not JSON"),
        (b"[]", "application/json", "", "must be a JSON object"),
        (b'{"resourceSpans": 7}', "application/json", "", "must be a list"),
        (b'{"resourceSpans": [{"scopeSpans": [7]}]}', "application/json", "", "must be an object"),
        (b"{}", "application/json", "gzip", "is not gzip"),
    ],
)
def test_what_is_no_request_of_spans_is_a_400_that_says_so(body: bytes, kind: str, encoding: str, says: str) -> None:
    answer = send_bytes(caller(), body, kind, encoding)
    assert (answer.status_code, says.encode() in bytes_of(answer)) == (400, True), answer.content


def test_a_request_of_ten_megabytes_is_taken_and_one_that_unpacks_to_more_than_the_limit_is_not() -> None:
    large = chat([said("user", "word " * 20_000)], [])
    body = json.dumps(request(*(span(number, large, trace=f"{number:032x}") for number in range(1, 101)))).encode()
    assert len(body) > 10_000_000
    client = caller()
    assert send_bytes(client, gzip.compress(body), "application/json", "gzip").status_code == 200
    assert Episode.objects.count() == 100
    bomb = gzip.compress(b" " * 30_000_000)
    assert send_bytes(client, bomb, "application/json", "gzip").status_code == 413
    assert send_bytes(client, b"spans", "text/plain").status_code == 415


@pytest.mark.django_db(transaction=True)
def test_the_same_spans_at_once_stand_once() -> None:
    token = make_agent()[1]
    body = request(span(1, FIRST), span(2, TOOL), span(3, SECOND))
    answers = at_once(*[lambda: bearing(token).post("/v1/traces", body, format="json").status_code for _ in range(4)])
    assert (answers, told()) == ([200] * 4, TOLD)
