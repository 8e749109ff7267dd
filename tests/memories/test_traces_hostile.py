"""What hostile or odd spans say is refused by its name, or kept as it was sent: never an error of the server."""

import json
from typing import Any

import pytest

from memories.models import Episode, Event
from tests.make import caller
from tests.memories.traced import TRACE, chat, request, said, span

pytestmark = pytest.mark.django_db
ASKED = chat([said("user", "Where is order-7?")], [])


def send(body: Any) -> Any:
    return caller().post("/api/v1/traces", body, format="json")


@pytest.mark.parametrize("digits", ["--5", "9" * 5_000])
def test_what_is_no_integer_is_kept_as_it_was_sent(digits: str) -> None:
    number = {"key": "gen_ai.request.seed", "value": {"intValue": digits}}
    strange = span(1, {**ASKED, f"gen_ai.prompt.{'9' * 5_000}.content": "?"})
    answer = send(request({**strange, "attributes": [*strange["attributes"], number]}))
    assert answer.status_code == 200, answer.content
    assert list(Event.objects.values_list("text", flat=True)) == ["Where is order-7?"]


def test_numbers_that_json_does_not_know_are_stored_as_texts() -> None:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    exported = ExportTraceServiceRequest()
    made = (
        exported.resource_spans.add()
        .scope_spans.add()
        .spans.add(trace_id=bytes.fromhex(TRACE), span_id=bytes(range(1, 9)))
    )
    for key, value in (("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", "weigh")):
        made.attributes.add(key=key).value.string_value = value
    weight = made.attributes.add(key="gen_ai.tool.call.arguments").value.kvlist_value.values.add(key="kilograms")
    weight.value.double_value = float("nan")
    answer = caller().generic("POST", "/v1/traces", exported.SerializeToString(), "application/x-protobuf")
    assert answer.status_code == 200, answer.content
    assert Event.objects.get().args == {"kilograms": "nan"}


@pytest.mark.parametrize("scope", ["no scope!", "x" * 200])
def test_a_scope_that_none_can_have_is_refused_by_its_name(scope: str) -> None:
    refusal = send(request(span(1, ASKED), memos_scope=scope))
    assert (refusal.status_code, "memos.scope is no name of a scope" in json.dumps(refusal.json())) == (400, True)
    assert not Episode.objects.exists()


@pytest.mark.parametrize("status", [{"code": [1]}, {"code": {}}, {"code": None}, 7])
def test_a_status_that_is_none_tells_nothing(status: Any) -> None:
    answer = send(request(span(1, ASKED) | {"status": status}))
    assert answer.status_code == 200, answer.content
    assert Episode.objects.get().outcome is None


@pytest.mark.parametrize("odd", ["\0", "\ud83d", "\ude00\ud83d"])
def test_a_character_that_cannot_be_stored_costs_no_message(odd: str) -> None:
    spoken = [said("user", f"Read {odd}it \\u0000"), said("user", "Then \U0001f600")]
    assert send(request(span(1, chat(spoken, [])))).status_code == 200
    assert list(Event.objects.order_by("position").values_list("text", flat=True)) == [
        "Read it \\u0000",
        "Then \U0001f600",
    ]
