"""Which calls of a run are steps of its plan: of command lines, of several attempts, of work on many records."""

from typing import Any

import pytest

from tests.consolidation.experience import run
from tests.consolidation.test_plans import digested, memories
from tests.make import answer, call, user

pytestmark = pytest.mark.django_db


def lines_run(*lines: tuple[str, str]) -> None:
    """A stored run that looks up an order with a tool and calls these command lines, with what they print."""
    messages = [user("mend it"), call("get_order", "o", order_id="A-1"), answer({"order": "A-1"}, "o")]
    for n, (line, said) in enumerate(lines):
        messages += [call("bash", f"c{n}", command=line), answer(said, f"c{n}")]
    run([], messages=messages)
    digested()


def test_a_command_that_did_not_start_is_no_step() -> None:
    lines_run(
        ("pytest a", "<returncode>127</returncode>\npytest: command not found"),
        ("sed -i s/x/y/ a.py", ""),
        ("pytest a; bin/test a", "pytest: command not found\nRan 3 tests in 1s"),
    )
    assert [plan.content for plan in memories()] == ["get_order → sed -i → bin/test"]


def test_how_files_are_looked_at_is_no_step_and_a_command_line_no_input() -> None:
    lines_run(("cat a.py | head", "1"), ("sed -i s/x/y/ a.py; ls", ""), ("rm b.py", ""), ("bin/test a", "ok"))
    (plan,) = memories()
    assert plan.content == "get_order → sed -i → bin/test"
    assert list(plan.payload["inputs_schema"]["properties"]) == ["order_id"]


def test_commands_of_a_service_are_steps_with_arguments() -> None:
    lines_run(
        ("curl -s http://shop/api/orders/A-1", '{"id": "A-1", "parcel": "parcel-77"}'),
        ('curl -s -X POST http://shop/api/returns -d \'{"parcel": "parcel-77"}\'', '{"id": "return-5"}'),
        ('curl -s -X POST http://shop/api/refunds -d \'{"return": "return-5"}\'', "{}"),
    )
    (plan,) = memories()
    *_, lookup, back, refunded = plan.payload["nodes"]
    assert (back["op"], back["params"]) == ("POST shop/api/returns", {"parcel": {"from": [lookup["id"]]}})
    assert (refunded["op"], refunded["params"]) == ("POST shop/api/refunds", {"return": {"from": [back["id"]]}})


def test_names_of_commands_in_an_order_are_no_plan() -> None:
    lines = [("sed -i s/x/y/ a.py", ""), ("bin/test a", "ok"), ("git commit -am mend", ""), ("git push", "")]
    messages = [user("mend it")]
    for n, (line, said) in enumerate(lines):
        messages += [call("bash", f"c{n}", command=line), answer(said, f"c{n}")]
    run([], messages=messages)
    digested()
    assert memories() == []


def test_what_is_done_for_one_after_the_other_is_one_row_of_steps() -> None:
    def worked_through(number: int) -> list[dict[str, Any]]:
        ids = [f"ticket-{number}-{n}" for n in range(number)]
        messages = [user("work through them"), call("list_tickets", "l", state="new"), answer({"tickets": ids}, "l")]
        for ticket in ids:
            messages += [call("get_ticket", f"g{ticket}", ticket=ticket), answer({"subject": "lamp"}, f"g{ticket}")]
            messages += [call("close_ticket", f"c{ticket}", ticket=ticket), answer("closed", f"c{ticket}")]
        return messages

    run([], messages=worked_through(1))
    run([], messages=worked_through(4), minutes=2)
    digested()
    (plan,) = memories()
    assert plan.content == "list_tickets → get_ticket → close_ticket"
    assert plan.payload["nodes"][2]["repeat"] == {"least": 1, "most": 4, "per": ["ticket"]}
    assert plan.payload["nodes"][2]["params"] == {"ticket": {"from": ["n1"]}}


def test_an_attempt_that_was_made_again_is_no_step() -> None:
    messages = [user("refund A-1"), call("get_order", "o", order_id="A-1"), answer({"payment": "pay-1"}, "o")]
    for n, (tool, given, said) in enumerate(
        [
            ("refund", {"payment": "order-9"}, {"error": "payment not found"}),
            ("put_on_hold", {"order": "A-1"}, "held"),
            ("save_note", {"note": "refunded"}, "the order is closed"),
            ("reopen", {"order": "A-1"}, "open"),
            ("save_note", {"note": "refunded"}, "saved"),
            ("refund", {"payment": "pay-1"}, "done"),
        ]
    ):
        messages += [call(tool, f"c{n}", **given), answer(said, f"c{n}")]
    run([], messages=messages)
    digested()
    assert [plan.content for plan in memories()] == ["get_order → put_on_hold → reopen → save_note → refund"]


def test_what_is_looked_up_behind_the_last_change_is_no_step() -> None:
    def refunded(*behind: str) -> list[dict[str, Any]]:
        messages = [user("refund A-1"), call("get_order", "o", order_id="A-1"), answer({"payment": "pay-1"}, "o")]
        messages += [call("get_payment", "p", payment="pay-1"), answer({"state": "paid"}, "p")]
        messages += [call("refund", "r", payment="pay-1"), answer("done", "r")]
        for n, tool in enumerate(behind):
            messages += [call(tool, f"c{n}", payment="pay-1"), answer("refunded", f"c{n}")]
        return messages

    run([], messages=refunded())
    run([], messages=refunded("get_payment", "list_shops"), minutes=2)
    run([], messages=refunded("get_payment", "transfer_to_human"), minutes=4)
    digested()
    assert sorted(plan.content for plan in memories()) == [
        "get_order → get_payment → refund",
        "get_order → get_payment → refund → get_payment → transfer_to_human",
    ]


def test_to_look_and_then_hand_over_is_no_plan() -> None:
    messages = [user("refund A-1"), call("get_order", "o", order_id="A-1"), answer({"payment": "pay-1"}, "o")]
    messages += [call("get_payment", "p", payment="pay-1"), answer({"state": "paid"}, "p")]
    run([], messages=[*messages, call("list_shops", "s", payment="pay-1"), answer("berlin", "s")])
    run([], messages=[*messages, call("transfer_to_human", "t", payment="pay-1"), answer("done", "t")], minutes=2)
    digested()
    assert [plan.content for plan in memories()] == ["get_order → get_payment → list_shops"]
