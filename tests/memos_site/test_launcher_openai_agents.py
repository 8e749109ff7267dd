"""The OpenAI Agents SDK keeps a session in Memos: its own runner, with a model that follows a script."""

import asyncio
from typing import Any

import pytest

from memories.models import Episode, Event
from memos_site.launcher.client import AsyncMemos
from tests.make import make_agent

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_goes_on_where_the_last_one_ended(live_server: Any) -> None:
    from agents import Agent, Runner, set_tracing_disabled
    from openai.types.responses import ResponseFunctionToolCall

    from memos_site.launcher.openai_agents import MemosSession
    from tests.memos_site.scripted_agent import Script, get_order, says

    set_tracing_disabled(True)
    call = ResponseFunctionToolCall(
        call_id="c1", name="get_order", arguments='{"order_id": "order-7"}', type="function_call"
    )
    model = Script(call, says("It is late."), says("Refunded."))
    agent = Agent(name="shop", model=model, tools=[get_order])

    token = make_agent()[1]

    async def work() -> list[Any]:
        async with AsyncMemos(live_server.url, token) as client:
            await Runner.run(agent, "Where is order-7?", session=MemosSession("ticket-812", client))
            await Runner.run(agent, "I want my money back", session=MemosSession("ticket-812", client))
            return list(await MemosSession("ticket-812", client).get_items())

    items = asyncio.run(work())
    assert [item.get("content") or item.get("output") or item["name"] for item in items] == [
        "Where is order-7?",
        "get_order",
        "order-7 is late",
        "It is late.",
        "I want my money back",
        "Refunded.",
    ]
    assert len(model.asked[2]) == 5  # the second run was told the first
    assert Episode.objects.get().thread_id == "ticket-812"
    assert Event.objects.get(tool="get_order").args == {"order_id": "order-7"}


def test_items_are_limited_taken_back_and_cleared(live_server: Any) -> None:
    from memos_site.launcher.openai_agents import MemosSession

    token = make_agent()[1]

    async def work() -> None:
        async with AsyncMemos(live_server.url, token) as client:
            session = MemosSession("s", client)
            assert (await session.get_items(), await session.pop_item()) == ([], None)
            await session.add_items([{"role": "user", "content": str(number)} for number in range(3)])
            await session.add_items([{"role": "assistant", "content": [{"type": "output_text", "text": "4"}]}])
            assert [item["content"] for item in await session.get_items(limit=2)] == ["2", "4"]
            assert await session.get_items(limit=0) == []
            assert await session.pop_item() == {"role": "assistant", "content": "4"}
            await session.add_items([{"role": "user", "content": "5"}])
            assert [item["content"] for item in await session.get_items()] == ["0", "1", "2", "5"]
            await MemosSession("another", client).add_items([{"role": "user", "content": "x"}])
            await session.clear_session()
            assert await session.get_items() == []

    asyncio.run(work())
    assert Episode.objects.get().thread_id == "another"


def test_hooks_report_a_run_without_a_session_and_how_its_calls_went(live_server: Any) -> None:
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from openai.types.responses import ResponseFunctionToolCall

    from memos_site.launcher.openai_agents import MemosHooks
    from tests.memos_site.scripted_agent import Script, get_order, says

    set_tracing_disabled(True)

    @function_tool
    def refund(payment_id: str) -> str:
        raise LookupError(payment_id)

    @function_tool(failure_error_function=lambda _context, error: f"no: {error}")
    def cancel(order_id: str) -> str:
        raise LookupError(order_id)

    def calls(tool: str, arguments: str) -> ResponseFunctionToolCall:
        return ResponseFunctionToolCall(call_id=tool, name=tool, arguments=arguments, type="function_call")

    order = '{"order_id": "order-7"}'
    asked = (calls("get_order", order), calls("refund", '{"payment_id": "pay-7"}'), calls("cancel", order))
    desk = Agent(name="desk", model=Script(*asked, says("I cannot.")), tools=[get_order, refund, cancel])
    front = Agent(name="front", model=Script(calls("transfer_to_desk", "{}")), handoffs=[desk])
    token = make_agent()[1]

    async def work() -> None:
        async with AsyncMemos(live_server.url, token) as client:
            hooks = MemosHooks("ticket-812", client)
            with pytest.raises(ValueError, match="nothing was reported"):
                await hooks.outcome("failure")
            await Runner.run(front, "Where is order-7?", hooks=hooks)
            await hooks.outcome("failure")

    asyncio.run(work())
    episode = Episode.objects.get()
    assert (episode.thread_id, episode.source, episode.outcome) == ("ticket-812", "openai-agents", "failure")
    events = list(Event.objects.order_by("position"))
    assert [(event.role, event.text.strip('"')) for event in events if event.role] == [
        ("user", "Where is order-7?"),
        ("assistant", "I cannot."),
    ]
    assert [(event.tool, event.args, event.ok) for event in events if event.tool] == [
        ("get_order", {"order_id": "order-7"}, True),
        ("refund", {"payment_id": "pay-7"}, False),
        ("cancel", {"order_id": "order-7"}, None),  # it words its errors itself
    ]
