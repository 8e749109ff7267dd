"""Recorded runs of the demo team: made up by us, the same every time."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memories.values.text import as_text
from memos_site.demo.claims import CHINESE, CODE, SHOP, TRAVEL

Json = dict[str, Any]
BROKEN = (
    "The parcel of {order} arrived broken, I want my money back.",
    "My {order} came with a cracked screen. I would like a refund, please.",
    "{order} is damaged, one corner is smashed. Please refund it.",
    "Hello, the lamp in {order} does not work. I want my money back.",
)
LATE = ("Where is my delivery of {order}? It is late.", "{order} should have been here on Monday. Where is it?")
MOVE = (
    "I must be in Rome a day later. Can you move my flight {order}?",
    "Please change booking {order} to the day after, my meeting was moved.",
    "We need to fly one day later with {order}.",
)
CHINESE_BROKEN = (
    "订单 {order} 的杯子碎了，我要退款。",
    "我的 {order} 收到时已经坏了，请退款。",
    "{order} 屏幕裂了，申请退款。",
)
REPOSITORIES = ("harbour", "lantern")
TOOK = {  # milliseconds of a call, by tool or command
    "get_order": 180, "get_customer": 140, "refund_payment": 1_900, "track_parcel": 640, "get_booking": 210,
    "search_flights": 2_800, "charge_card": 1_500, "change_flight": 2_300, "查询订单": 190, "申请退款": 1_700,
    "edit_file": 45, "git": 90, "pytest": 60, "bin/test": 12_400,
}  # fmt: skip
USUAL, WRITING, READING = 400, 3_000, 15_000  # milliseconds of another call, of an agent's words, of a person's


@dataclass(frozen=True)
class Recorded:
    """A conversation as an agent posts it, and how many days ago that was."""

    days_ago: float
    agent: str
    body: Json


class Talk:
    """Messages of one run; calls are numbered."""

    def __init__(self, opening: str) -> None:
        self.messages: list[Json] = [{"role": "user", "content": opening}]
        self._calls = 0

    def call(self, tool: str, arguments: Json, result: Any) -> "Talk":
        self._calls += 1
        id = f"call-{self._calls}"
        function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
        calls = [{"id": id, "type": "function", "function": function}]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        content = as_text(result)
        self.messages.append({"role": "tool", "tool_call_id": id, "content": content})
        return self

    def say(self, role: str, text: str) -> "Talk":
        self.messages.append({"role": role, "content": text})
        return self

    def posted(self, id: str, scope: str, source: str, outcome: str, **more: Any) -> Json:
        facts = {"id": id, "scope": scope, "source": source, "outcome": outcome, "thread_id": id}
        return {**facts, **more, "messages": self.messages}


def timed(messages: list[Json], start: datetime) -> list[Json]:
    """The messages with the times at which they were said; a call takes its time, more or less."""
    timed_messages, at, call_milliseconds = [], start, 0.0
    for number, message in enumerate(messages):
        pause = {"user": READING if number else 0, "tool": call_milliseconds}.get(message["role"], WRITING)
        at += timedelta(milliseconds=pause * (0.7 + len(str(message)) * 7 % 60 / 100))
        call_milliseconds = _took(message)
        timed_messages.append({**message, "timestamp": at.isoformat()})
    return timed_messages


def _took(message: Json) -> float:
    """Milliseconds of the call that a message makes."""
    for call in message.get("tool_calls", ()):
        function = call["function"]
        texts = f"{function['name']} {function['arguments']}"
        return next((ms for name, ms in TOOK.items() if name in texts), USUAL)
    return 0.0


def conversations() -> Iterator[Recorded]:
    """All runs, oldest first."""
    runs = [*_refunds(), *_late(), *_flights(), *_chinese(), *_coding()]
    yield from sorted(runs, key=lambda run: -run.days_ago)


def _refunds() -> Iterator[Recorded]:
    """Six of seven go well; the others ask for the money by the number of the order, which is refused."""
    for number in range(26):
        order, good = f"order-{1200 + number}", number % 7 != 3
        facts = {"order_id": order, "payment_id": f"pay-{8100 + number}", "state": "delivered", "total": 20 + number}
        talk = Talk(BROKEN[number % len(BROKEN)].format(order=order)).call("get_order", {"order_id": order}, facts)
        if number % 3 == 0:
            talk.call("get_customer", {"order_id": order}, {"name": f"Customer {number}", "tier": "regular"})
        talk.say("assistant", "I am sorry. I can refund the full price. Shall I?").say("user", "Yes, please.")
        paid = {"payment_id": facts["payment_id"] if good else order}
        talk.call("refund_payment", paid, {"refunded": True} if good else {"error": "payment not found"})
        talk.say("assistant", "Done: the money is on its way." if good else "I could not refund it; a colleague will.")
        outcome = "success" if good else "failure"
        yield Recorded(40 - 1.5 * number, "demo-support", talk.posted(f"refund-{number}", SHOP, "support", outcome))


def _late() -> Iterator[Recorded]:
    for number in range(9):
        order = f"order-{1400 + number}"
        talk = Talk(LATE[number % len(LATE)].format(order=order))
        talk.call("get_order", {"order_id": order}, {"order_id": order, "state": "on its way"})
        talk.call("track_parcel", {"order_id": order}, {"carrier": "Nordpost", "expected": "tomorrow"})
        talk.say("assistant", "It is with Nordpost and should be with you tomorrow.").say("user", "Thank you!")
        outcome = "partial" if number == 4 else "success"
        yield Recorded(38 - 4 * number, "demo-support", talk.posted(f"late-{number}", SHOP, "support", outcome))


def _flights() -> Iterator[Recorded]:
    """A change that was not paid for first fails."""
    for number in range(14):
        booking, good = f"booking-{300 + number}", number % 4 != 2
        flight = {"booking_id": booking, "cabin": "economy" if number % 2 else "basic", "card_id": f"card-{number}"}
        talk = Talk(MOVE[number % len(MOVE)].format(order=booking)).call("get_booking", {"booking_id": booking}, flight)
        talk.call(
            "search_flights", {"to": "Rome", "day": "next"}, {"flights": [{"flight_id": f"F{number}", "fee": 40}]}
        )
        talk.say("assistant", "There is a flight for 40 more. Shall I?").say("user", "Yes, do that.")
        if good:
            talk.call("charge_card", {"card_id": flight["card_id"], "amount": 40}, {"charged": True})
        answer = {"changed": True} if good else {"error": "fee not paid"}
        talk.call("change_flight", {"booking_id": booking, "flight_id": f"F{number}"}, answer)
        outcome = "success" if good else "failure"
        yield Recorded(
            37 - 2.5 * number, "demo-travel", talk.posted(f"flight-{number}", TRAVEL, "travel-desk", outcome)
        )


def _chinese() -> Iterator[Recorded]:
    for number in range(8):
        order, good = f"DD{5000 + number}", number != 5
        facts = {"订单号": order, "支付号": f"ZF{700 + number}", "状态": "已签收"}
        talk = Talk(CHINESE_BROKEN[number % len(CHINESE_BROKEN)].format(order=order))
        talk.call("查询订单", {"订单号": order}, facts).say("assistant", "非常抱歉，可以全额退款，请确认。")
        talk.say("user", "好的，退款吧。")
        result = {"结果": "已退款"} if good else {"error": "支付号不存在"}
        talk.call("申请退款", {"支付号": facts["支付号"] if good else order}, result)
        outcome = "success" if good else "failure"
        yield Recorded(33 - 4 * number, "demo-support-cn", talk.posted(f"cn-refund-{number}", CHINESE, "客服", outcome))


def _coding() -> Iterator[Recorded]:
    """`bin/test` starts the tests of these repositories; pytest alone does not."""
    for number in range(16):
        repository, good = REPOSITORIES[number % 2], number % 5 != 4
        talk = Talk(f"Fix issue {40 + number} in {repository}: the date of an invoice is a day early.")
        talk.call("bash", {"command": f"cd {repository} && git log --oneline -3"}, "1f3 Release\n0aa Fix dates\n")
        if number % 2:
            talk.call("bash", {"command": "pytest tests"}, "bash: pytest: command not found")
        talk.call(
            "bash", {"command": "bin/test tests/test_dates.py"}, "1 failed, 11 passed" if not good else "12 passed"
        )
        talk.call("edit_file", {"path": f"{repository}/dates.py", "text": "..."}, {"written": True})
        talk.call("bash", {"command": "bin/test"}, "48 passed" if good else "1 failed, 47 passed")
        talk.call("bash", {"command": "git commit -am 'Take the time zone into account'"}, "[main 2c1] done")
        environment = {"environment": {"repository": repository}}
        body = talk.posted(f"fix-{number}", CODE, "coder", "success" if good else "failure", **environment)
        yield Recorded(39 - 2.4 * number, "demo-coder", body)
