"""Spans of LangChain and LangGraph, as OpenInference traces them."""

import json

import pytest

from memories.models import Event
from tests.make import caller
from tests.memories.test_traces import FIRST, SECOND, TOLD, send, told
from tests.memories.traced import request, span

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("together", [True, False], ids=["in one request", "span by span"])
@pytest.mark.parametrize("holder", ["data", "kwargs"])
def test_a_call_that_langchain_traces_with_the_message_of_its_answer_is_one(together: bool, holder: str) -> None:
    answer = {"type": "tool", holder: {"content": '{"state": "late"}', "tool_call_id": "call-1", "status": "success"}}
    of_tool = {"openinference.span.kind": "TOOL", "tool.name": "get_order", "input.value": "order-7"}
    spans = [span(1, FIRST), span(2, {**of_tool, "output.value": json.dumps(answer)}, code=1), span(3, SECOND)]
    client = caller()
    for body in [request(*spans)] if together else [request(one) for one in spans]:
        send(client, body)
    assert told() == TOLD
    call = Event.objects.get(tool="get_order")
    assert (call.args, call.result, call.ok) == ({"order_id": "order-7"}, {"state": "late"}, True)
