"""From which source an argument is right: only where another one was tried and failed, and that is no chance."""

from collections.abc import Iterable
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from consolidation.learning.facts.argument_calls import MESSAGE, NOWHERE, argument_calls, json_values
from consolidation.learning.facts.argument_facts import ArgumentFindings
from consolidation.learning.facts.argument_habits import RunCalls
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Outcome, Script, run

OK = {"refunded": True}
FAILED = {"error": "payment not found"}


def findings(runs: Iterable[Run], argument: str = "payment_id", tool: str = "refund_payment") -> ArgumentFindings:
    shown = []
    for one in runs:
        calls = [call for call in argument_calls(one, RULES) if (call.tool, call.argument) == (tool, argument)]
        if calls:
            shown.append(RunCalls.of_rows(uuid5(NAMESPACE_URL, one.thread), one.outcome, json_values(calls)))
    return ArgumentFindings(tool, argument, shown)


def told(runs: Iterable[Run], **about: str) -> str:
    found = findings(runs, **about)
    said = found.claims()
    return found.sentence(said, "en") if said else ""


def refund(n: int, payment: str, result: Any = OK, outcome: Outcome = "success", *, order: bool = True) -> Run:
    """The profile holds every payment of the user, the order the one that it was paid with."""
    profile = {"payments": [{"id": f"pay-{n}"}, {"id": f"card-{n}"}], "name": {"first": "Ann"}}
    looked: list[Script] = [("get_user", {"user_id": f"user-{n}"}, profile)]
    if order:
        looked.append(("get_order", {"order_id": f"order-{n}"}, {"order_id": f"order-{n}", "payment_id": f"pay-{n}"}))
    return run(
        n,
        f"Refund #order-{n} to card-{n}",
        *looked,
        ("refund_payment", {"payment_id": payment}, result),
        outcome=outcome,
    )


def test_from_the_order_and_never_from_the_profile_though_the_profile_holds_the_right_one_too() -> None:
    good = [refund(n, f"pay-{n}") for n in range(6)]
    bad = [refund(n, f"card-{n}", FAILED, "failure") for n in range(6, 8)]
    assert told([*good, *bad]) == (
        "`payment_id` of `refund_payment` comes from `get_order` → `payment_id` (6 of 6 cases that ended well); taken "
        "from the user's words it failed (2 of 2); taken from `get_user` → `payments[].id` it failed (2 of 2)."
    )


def test_without_a_source_that_failed_there_is_nothing_to_say() -> None:
    assert told(refund(n, f"pay-{n}") for n in range(9)) == ""


def test_a_value_that_nothing_had_shown_is_a_source_of_its_own() -> None:
    good = [refund(n, f"pay-{n}") for n in range(6)]
    bad = [refund(n, "pay_0001", FAILED) for n in range(6, 8)]
    assert findings([*good, *bad]).claims()["failing"] == [NOWHERE]
    assert told([*good, *bad]).endswith("; a value that nothing had shown before failed (2 of 2).")


def test_a_record_that_was_not_looked_up_is_no_source_that_was_chosen_wrongly() -> None:
    """The right value stands in the profile too: whoever had not read the order has not preferred the profile."""
    good = [refund(n, f"pay-{n}") for n in range(6)]
    bad = [refund(n, f"pay-{n}", FAILED, "failure", order=False) for n in range(6, 9)]
    assert told([*good, *bad]) == ""


def test_runs_that_failed_for_whatever_reason_do_not_speak_against_a_source() -> None:
    good = [refund(n, f"pay-{n}") for n in range(5)]
    hard = [refund(n, f"pay-{n}", outcome="failure") for n in range(5, 13)]
    other = [refund(n, f"card-{n}", outcome="failure") for n in range(13, 18)]
    assert told([*good, *hard, *other]) == ""


def test_runs_that_failed_without_an_error_speak_where_hardly_any_other_failed() -> None:
    good = [refund(n, f"pay-{n}") for n in range(12)]
    other = [refund(n, f"card-{n}", outcome="failure") for n in range(12, 15)]
    said = told([*good, *other])
    assert "(12 of 12 cases that ended well)" in said
    assert "taken from `get_user` → `payments[].id` it failed (3 of 3)" in said


@pytest.mark.parametrize(("good", "bad"), [(3, 3), (6, 1)])
def test_few_cases_say_nothing(good: int, bad: int) -> None:
    runs = [refund(n, f"pay-{n}") for n in range(good)]
    assert told([*runs, *(refund(n, f"card-{n}", FAILED, "failure") for n in range(20, 20 + bad))]) == ""


def test_runs_of_one_case_count_as_one() -> None:
    def of_case(n: int, case: str, **more: Any) -> Run:
        script: tuple[Script, ...] = ("Hi", ("get_order", {}, {"payment_id": f"pay-{n}"}))
        value, result = (f"pay-{n}", OK) if more["outcome"] == "success" else ("x-1", FAILED)
        return run(n, *script, ("refund_payment", {"payment_id": value}, result), thread=case, **more)

    good = [of_case(n, f"case-{n % 6}", outcome="success") for n in range(12)]
    bad = [of_case(n, "case-bad", outcome="failure") for n in range(12, 16)]
    assert told([*good, *bad]) == ""
    assert "6 of 6 cases" in told([*good, *bad, of_case(20, "case-other", outcome="failure")])


def test_a_result_that_repeats_an_argument_is_not_its_source() -> None:
    order: Script = ("get_order", {"order_id": "order-1"}, {"order_id": "order-1", "total": 120})
    (call,) = argument_calls(run(1, "about #order-1", order, ("cancel_order", {"order_id": "#order-1"}, "ok")), RULES)
    assert call.places == (frozenset({MESSAGE}),)


def test_a_value_inside_a_text_of_a_result_or_behind_chinese_characters_is_found() -> None:
    made: Script = ("book_trip", {}, "Trip TRIP42 is booked.")
    (call,) = argument_calls(run(1, "退订单D42024", made, ("cancel_trip", {"ids": ["TRIP42", "d42024"]}, "ok")), RULES)
    assert call.places == (frozenset({MESSAGE}), frozenset({"book_trip"}))


def test_keys_that_are_ids_are_no_fields_and_one_that_few_runs_hold_is_not_told() -> None:
    def of(n: int, name: str, value: str, result: Any) -> Run:
        people: Script = ("get_people", {}, {name: {"card_12": {"id": f"card-{n}"}}})
        order: Script = ("get_order", {}, {"payment_id": f"pay-{n}"})
        return run(n, "Hi", people, order, ("refund_payment", {"payment_id": value}, result))

    good = [of(n, "ann", f"pay-{n}", OK) for n in range(6)]
    bad = [of(n, name, f"card-{n}", FAILED) for n, name in ((6, "carol"), (7, "dave"), (8, "dave"))]
    (call,) = argument_calls(bad[0], RULES)
    assert call.places == (frozenset({"get_people → carol.*.id"}),)
    runs = [*good, *(of(n, "carol", f"card-{n}", FAILED) for n in (6, 7))]
    assert told(runs).endswith("taken from `get_people` it failed (2 of 2).")


def test_a_field_that_is_not_told_is_another_one_of_the_tool_that_gives_the_right_one() -> None:
    def of(n: int, value: str, result: Any, **more: str) -> Run:
        order: Script = ("get_order", {}, {"payment_id": f"pay-{n}", **more})
        return run(n, "Hi", order, ("refund_payment", {"payment_id": value}, result))

    bad = [of(n, f"card-{n}", FAILED, card=f"card-{n}") for n in (6, 7)]
    assert told([*(of(n, f"pay-{n}", OK) for n in range(6)), *bad]).endswith(
        "comes from `get_order` → `payment_id` (6 of 6 cases that ended well); taken from another field of `get_order` "
        "it failed (2 of 2)."
    )


def test_command_lines_texts_and_plain_words_are_no_arguments_with_a_source() -> None:
    long = "we sent the refund to card-1 today"
    calls: list[Script] = [
        ("bash", {"command": "rm order-1"}, "ok"),
        ("send_note", {"text": long, "kind": "refund", "sure": True, "n": 12}, "ok"),
    ]
    assert argument_calls(run(1, f"Hi order-1 {long}", *calls), RULES) == []


def test_of_a_result_that_was_cut_nobody_knows_what_it_held() -> None:
    many: Script = ("list_orders", {}, [{"id": f"order-{n}"} for n in range(3_500)])
    acted: Script = ("cancel_order", {"order_id": "order-3400"}, FAILED)
    assert argument_calls(run(1, "Hi", many, acted), RULES) == []
    assert [call.places for call in argument_calls(run(1, "Hi", acted), RULES)] == [(frozenset(),)]


def test_the_sentence_is_chinese_where_the_requests_are() -> None:
    found = findings(
        [
            *(refund(n, f"pay-{n}") for n in range(6)),
            *(refund(n, f"card-{n}", FAILED, "failure") for n in range(6, 8)),
        ]
    )
    assert found.sentence(found.claims(), "zh") == (
        "`refund_payment` 的 `payment_id` 取自 `get_order` → `payment_id`（6 个成功案例中 6 个）；取自用户的话则失败"
        "（2 个案例中 2 个）；取自 `get_user` → `payments[].id` 则失败（2 个案例中 2 个）。"
    )
