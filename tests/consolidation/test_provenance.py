"""Notes on the values of a call that is about to be made, where nearly every call that worked did otherwise."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from consolidation.guidance.provenance import notes
from consolidation.learning.facts.argument_calls import argument_calls, json_values
from consolidation.learning.facts.argument_habits import Habits, RunCalls
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Message, Run
from memories.values.choices import Sensitivity
from tests.consolidation import experience
from tests.consolidation.recorded import RULES, START, Outcome, run
from tests.make import answer, call, caller, user

OK = {"exchanged": True}
NOT_FOUND = {"error": "item not found"}
Notes = list[dict[str, str]]


def exchange(n: int, sent: Mapping[str, Any], result: Any = OK, outcome: Outcome = "success", *, said: str = "") -> Run:
    """The order holds the items that were bought, the catalogue those that are sold."""
    order = {"items": [{"item_id": f"old-{n}"}, {"item_id": f"used-{n}"}], "payment_id": f"pay-{n}"}
    catalogue = {
        "variants": {f"{n}-a": {"item_id": f"new-{n}"}, f"{n}-b": {"item_id": f"fresh-{n}"}},
        "accepted": [f"pay-{n}", f"card-{n}"],
    }
    looked = [("get_order", {"order_id": f"order-{n}"}, order), ("get_product", {"product": f"p-{n}"}, catalogue)]
    return run(n, f"Exchange order-{n}, please. {said}", *looked, ("exchange_items", sent, result), outcome=outcome)


def usual(n: int) -> dict[str, Any]:
    return {"order_id": f"order-{n}", "items": [f"old-{n}"], "new_items": [f"new-{n}"], "payment": f"pay-{n}"}


def habits(runs: Sequence[Run]) -> dict[str, Habits]:
    shown: dict[str, list[RunCalls]] = {}
    for one in runs:
        by: dict[str, list[Any]] = {}
        for use in argument_calls(one, RULES):
            by.setdefault(use.argument, []).append(use)
        for argument, uses in by.items():
            shown.setdefault(argument, []).append(
                RunCalls.of_rows(uuid5(NAMESPACE_URL, one.thread), one.outcome, json_values(uses))
            )
    return {name: Habits.of_row(Habits.of_runs(found).to_row()) for name, found in shown.items()}


def told(known: Mapping[str, Habits], *, said: str = "", **changed: Any) -> Notes:
    """About the ninth exchange, with these arguments in place of the usual ones."""
    whole = exchange(9, usual(9), said=said)
    so_far = Run(whole.id, None, "agent", "partial", START, whole.calls[:2], whole.messages)
    return notes(so_far, Call(9, "exchange_items", {**usual(9), **changed}, None, None, START, None), known, RULES)


@pytest.fixture
def known() -> dict[str, Habits]:
    return habits([exchange(n, usual(n)) for n in range(5)])


def test_a_value_that_nothing_showed_is_noted_with_the_field_that_it_came_from(known: dict[str, Habits]) -> None:
    assert told(known, payment="pay-1") == [
        {
            "pointer": "/arguments/payment",
            "note": "`payment` `pay-1` was not shown in this run; in 5 of 5 cases in which this call worked what it "
            "sent had been, by `get_order` → `payment_id`",
        }
    ]


def test_a_value_from_another_field_is_noted_where_it_stands_in_the_list(known: dict[str, Habits]) -> None:
    assert told(known, items=["old-9", "used-9"], new_items=["new-9", "used-9"]) == [
        {
            "pointer": "/arguments/new_items/1",
            "note": "`new_items[]` `used-9` comes from `get_order` → `items[].item_id`; in 5 of 5 cases in which this "
            "call worked it came from `get_product` → `variants.*.item_id`",
        }
    ]


def test_lists_that_were_always_equally_long_and_are_not_are_noted(known: dict[str, Habits]) -> None:
    note = "`items` has 1 and `new_items` 0; in 5 of 5 cases in which this call worked they had equally many"
    assert told(known, new_items=[]) == [{"pointer": "/arguments/new_items", "note": note}]


def test_nothing_is_noted_of_what_is_usual_or_what_the_user_named(known: dict[str, Habits]) -> None:
    assert told(known) == []
    assert told(known, payment="pay-1", said="Pay with pay-1.") == []
    assert told(known, new_items=["used-9"], said="I want used-9 again.") == []


def test_nothing_is_noted_of_what_the_instructions_named(known: dict[str, Habits]) -> None:
    whole = exchange(9, usual(9))
    asked = Call(9, "exchange_items", {**usual(9), "payment": "pay-1"}, None, None, START, None)
    instructed = (*whole.messages, Message(99, "system", "Pay with pay-1.", START))
    for messages, noted in ((instructed, 0), (tuple(whole.messages), 1)):
        so_far = Run(whole.id, None, "agent", "partial", START, whole.calls[:2], messages)
        assert len(notes(so_far, asked, known, RULES)) == noted


def test_what_may_have_been_said_in_another_form_is_not_noted_as_never_shown(known: dict[str, Habits]) -> None:
    """Sums are computed, dates are said in words, and with what a look-up was asked for it has answered."""
    assert [told(known, payment=value) for value in ("2024-05-20", "555-0100", 4711, "p-9")] == [[], [], [], []]
    assert told(known, payment="4711")


def test_four_cases_are_no_habit_and_calls_that_failed_count_for_none() -> None:
    failed = [exchange(n, usual(n), NOT_FOUND) for n in range(4, 9)]
    assert told(habits([*(exchange(n, usual(n)) for n in range(4)), *failed]), payment="pay-1") == []


def test_a_call_that_worked_otherwise_ends_the_habit_however_its_run_ended(known: dict[str, Habits]) -> None:
    runs = [exchange(n, usual(n)) for n in range(5)]
    runs.append(exchange(6, {**usual(6), "payment": "voucher-1"}, outcome="failure"))
    assert told(habits(runs), payment="pay-1") == []


def test_a_field_that_held_the_right_values_too_is_no_wrong_one(known: dict[str, Habits]) -> None:
    assert known["payment"].from_results == ["get_order → payment_id", "get_product → accepted[]"]
    assert told(known, payment="card-9") == []


def test_of_a_run_whose_calls_were_not_told_nothing_is_noted(known: dict[str, Habits]) -> None:
    opening = run(9, "Exchange order-9")
    asked = Call(9, "exchange_items", {**usual(9), "payment": "pay-1"}, None, None, START, None)
    assert notes(opening, asked, known, RULES) == []


def test_counts_of_several_levels_are_told_together(known: dict[str, Habits]) -> None:
    two = known["payment"].plus(known["payment"])
    assert (two.of, two.shown, two.from_results) == (10, 10, known["payment"].from_results)


def talk(n: int, payment: str) -> list[dict[str, Any]]:
    looked = [user(f"Refund order-{n}, it broke"), call("get_order", order_id=f"order-{n}")]
    looked.append(answer(f'{{"payment_id": "pay-{n}", "state": "paid"}}'))
    return [*looked, *([call("refund_payment", "c2", payment=payment), answer("done", "c2")] if payment else [])]


@pytest.mark.django_db
def test_a_check_notes_what_differs_from_the_runs_that_the_caller_may_see() -> None:
    for n in range(5):
        experience.run([], thread_id=f"case-{n}", messages=talk(n, f"pay-{n}"))
    experience.consolidated()
    body = {"messages": talk(9, ""), "about_to": {"tool": "refund_payment", "arguments": {"payment": "pay-1"}}}
    checks = [
        agent.post("/api/v1/guidance", body, format="json").json()["check"]
        for agent in (caller(clearance=Sensitivity.MEDIUM), caller(clearance=Sensitivity.PUBLIC))
    ]
    assert [[note["pointer"] for note in check["arguments"]] for check in checks] == [["/arguments/payment"], []]
    assert "`pay-1` was not shown in this run; in 5 of 5 cases" in checks[0]["arguments"][0]["note"]


def cancelled(
    n: int, *statuses: str, order: int = 0, result: Any = None, fields: Mapping[str, Any] | None = None
) -> Run:
    """The customer has an order of each status, and the one with this number is cancelled."""
    ids = [f"order-{n}{letter}" for letter in "abc"[: len(statuses)]]
    shown = [
        ("get_order", {"order_id": one}, {"order_id": one, "customer": f"c-{n}", "status": status, **(fields or {})})
        for one, status in zip(ids, statuses, strict=True)
    ]
    answered = {"order_id": ids[order], "status": "cancelled"} if result is None else result
    return run(n, "Cancel my order", *shown, ("cancel_order", {"order_id": ids[order]}, answered))


def about_to_cancel(known: Mapping[str, Habits], before: Run, order: str) -> list[str]:
    so_far = Run(before.id, None, "agent", "partial", START, before.calls, before.messages)
    asked = Call(99, "cancel_order", {"order_id": order}, None, None, START, None)
    return [note["note"] for note in notes(so_far, asked, known, RULES)]


@pytest.fixture
def orders() -> dict[str, Habits]:
    return habits([cancelled(n, "pending", "delivered") for n in range(5)])


def test_a_record_in_another_state_than_those_of_calls_that_worked_is_noted(orders: dict[str, Habits]) -> None:
    wrong = "`status` of `order-9b` was `{}`; in 5 of 5 cases in which this call worked it was `pending`"
    shown = cancelled(9, "pending", "delivered", "lost")
    looked = Run(shown.id, None, "agent", "partial", START, shown.calls[:3], shown.messages)
    assert about_to_cancel(orders, looked, "order-9a") == []
    assert about_to_cancel(orders, looked, "order-9b") == [wrong.format("delivered")]
    assert about_to_cancel(orders, looked, "order-9c") == [wrong.format("lost").replace("9b", "9c")]
    assert len(about_to_cancel(orders, shown, "order-9a")) == 1  # its call has answered that it is cancelled now


def test_of_a_record_that_was_not_shown_since_it_was_changed_nothing_is_noted(orders: dict[str, Habits]) -> None:
    assert about_to_cancel(orders, cancelled(9, "delivered", "pending", result="done"), "order-9a") == []


def test_a_field_that_never_varied_or_of_many_values_is_no_state() -> None:
    always = habits([cancelled(n, "pending", "pending", result="done") for n in range(9)])
    assert about_to_cancel(always, cancelled(9, "held", "pending", result="done"), "order-9b") == []
    towns = ["Bern", "Graz", "Linz", "Kiel", "Köln", "Jena", "Ulm"]
    many = [cancelled(n, "pending", "delivered", fields={"place": towns[n % 7], "email": "x"}) for n in range(14)]
    assert list(habits(many)["order_id"].states) == ["order_id.status"]


def test_of_a_value_that_several_records_hold_none_is_the_one_acted_on() -> None:
    def refund(n: int) -> Run:
        shown = [("get_order", {"id": k}, {"order_id": f"{n}-{k}", "customer": f"c-{n}", "status": k}) for k in "ab"]
        return run(n, "Refund me", *shown, ("refund", {"customer": f"c-{n}"}, OK))

    assert habits([refund(n) for n in range(6)])["customer"].states == {}


def test_a_state_in_which_no_call_ever_worked_is_noted_beside_several_usual_ones() -> None:
    runs = [cancelled(n, ("pending", "processed")[n % 2], "delivered") for n in range(6)]
    shown = cancelled(9, "delivered", "pending")
    looked = Run(shown.id, None, "agent", "partial", START, shown.calls[:2], shown.messages)
    assert about_to_cancel(habits(runs), looked, "order-9a") == [
        "`status` of `order-9a` was `delivered`; in 6 of 6 cases in which this call worked it was `pending` or "
        "`processed`"
    ]
    never_met = cancelled(9, "lost", "pending")
    looked = Run(shown.id, None, "agent", "partial", START, never_met.calls[:2], never_met.messages)
    assert about_to_cancel(habits(runs), looked, "order-9a") == []


def booked(n: int, guests: int, paid: Sequence[int], result: Any = OK) -> Run:
    rooms = [{"room_id": f"r-{n}-{k}", "rates": {"weekday": 30 + 7 * n + k, "weekend": 400}} for k in range(2)]
    sent = {
        "rooms": [{"room_id": room["room_id"]} for room in rooms],
        "rate": "weekday",
        "guests": [{"age": 30}] * guests,
        "payments": [{"source": "card", "amount": amount} for amount in paid],
    }
    return run(n, "Book two rooms", ("find_rooms", {"hotel": f"h-{n}"}, {"rooms": rooms}), ("book", sent, result))


def price(n: int, guests: int) -> int:
    return guests * (61 + 14 * n)


def about_to_book(known: Mapping[str, Habits], guests: int, paid: Sequence[int]) -> Notes:
    whole = booked(9, guests, paid)
    so_far = Run(whole.id, None, "agent", "partial", START, whole.calls[:1], whole.messages)
    return notes(so_far, Call(99, "book", whole.calls[1].args, None, None, START, None), known, RULES)


def test_an_amount_below_the_sum_that_calls_that_worked_sent_is_noted() -> None:
    known = habits([booked(n, 1 + n % 2, [20, price(n, 1 + n % 2) - 20]) for n in range(6)])
    assert about_to_book(known, 3, [price(9, 3) - 20, 20]) == []
    assert about_to_book(known, 3, [price(9, 3) + 20]) == []  # perhaps for something else, too
    assert about_to_book(known, 3, [100, price(9, 1) - 100]) == [
        {
            "pointer": "/arguments/payments",
            "note": "`payments[].amount` is 187 in all, less than `rates.{rate} × guests` of `rooms[].room_id`; in 6 "
            "of 6 cases in which this call worked it was not less",
        }
    ]


def test_that_a_sum_is_taken_times_a_quantity_shows_only_where_there_were_several() -> None:
    known = habits([booked(n, 1, [price(n, 1)]) for n in range(6)])
    assert about_to_book(known, 3, [price(9, 1)]) == []
    assert len(about_to_book(known, 3, [price(9, 1) - 1])) == 1


def test_a_sum_that_some_calls_that_worked_did_not_reach_or_most_did_not_meet_is_none() -> None:
    runs = [booked(n, 1, [price(n, 1)]) for n in range(6)]
    assert about_to_book(habits([*runs, booked(7, 1, [5])]), 1, [5]) == []
    assert about_to_book(habits([booked(n, 1, [price(n, 1) + n]) for n in range(1, 8)]), 1, [5]) == []
    assert about_to_book(habits(runs[:4]), 1, [5]) == []


def returned(n: int, order: str, item: str, *, said: str = "") -> Run:
    """Two orders of one customer, each with an item."""
    shown = [("get_order", {"order": f"o-{n}{k}"}, {"order": f"o-{n}{k}", "items": [f"i-{n}{k}"]}) for k in "ab"]
    return run(n, f"It broke {said}", *shown, ("return_item", {"order": f"o-{n}{order}", "item": f"i-{n}{item}"}, OK))


def about_to_return(known: Mapping[str, Habits], whole: Run) -> list[str]:
    so_far = Run(whole.id, None, "agent", "partial", START, whole.calls[:2], whole.messages)
    asked = Call(99, "return_item", whole.calls[2].args, None, None, START, None)
    return [note["note"] for note in notes(so_far, asked, known, RULES)]


def test_values_that_were_shown_but_never_in_one_answer_are_noted() -> None:
    known = habits([returned(n, "ab"[n % 2], "ab"[n % 2]) for n in range(10, 20)])
    counted = "in 10 of 10 cases in which this call worked they had been"
    apart = f"`order` and `item` were not shown together in this run; {counted}"
    assert about_to_return(known, returned(9, "a", "a")) == []
    assert about_to_return(known, returned(9, "a", "b")) == [apart]
    assert about_to_return(known, returned(9, "a", "b", said="i-9b")) == []  # the user named it
    assert (
        about_to_return(habits([returned(n, "a", "ab"[n // 19]) for n in range(10, 20)]), returned(9, "a", "b")) == []
    )
    assert about_to_return(known, returned(9, "a", "c")) != [apart]  # it was not shown at all
