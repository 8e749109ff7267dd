"""Work through a queue: an argument that a number of the record decides, or another argument that is one."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from consolidation.guidance.choice_notes import notes_of_conditions
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.argument_choices import choices
from consolidation.learning.writing.argument_conditions import Condition, roundest
from tests.consolidation.recorded import RULES, START, learned, run
from tests.consolidation.test_learning_choices import conditions as of_words

Record = dict[str, Any]
Rule = Callable[[Record], str]
RUNS, INVOICES = 12, 4


def invoices(n: int) -> list[Record]:
    draw = Random(n)
    amounts = [draw.uniform(10, 450), draw.uniform(10, 450), draw.uniform(520, 3000), draw.uniform(520, 3000)]
    return [
        {"invoice_id": f"R-{n}{place}0", "amount": round(amount, 2), "lines": draw.randrange(1, 9), "lot_no": 70 * n}
        for place, amount in enumerate(amounts)
    ]


def rounds(rule: Rule, *, runs: int = RUNS, sent: tuple[str, ...] = (), beside: int = 0) -> list[Run]:
    """Runs that list invoices and give each to a desk; `sent`: fields that the call repeats; `beside`: so many of
    random numbers beside."""
    draw = Random(1)
    more = [{f"field_{'abcdefghijklmnop'[at]}": draw.random() for at in range(beside)} for _ in range(INVOICES * runs)]
    return [
        run(
            n,
            "Work through the new invoices.",
            *([("list_invoices", {}, [{**one, **more.pop()} for one in invoices(n)])] if not sent else []),
            *[
                (
                    "route_invoice",
                    {"invoice_id": one["invoice_id"], "desk": rule(one)} | {name: one[name] for name in sent},
                    {"ok": True},
                )
                for one in invoices(n)
            ],
        )
        for n in range(runs)
    ]


def by_amount(one: Record) -> str:
    return "board" if one["amount"] > 500 else "office"


def conditions(rule: Rule, **facts: Any) -> list[Condition]:
    told_of = choices(Scope(rounds(rule, **facts), [], RULES), "route_invoice").get("desk")
    return list(told_of.conditions) if told_of else []


def test_a_limit_of_the_record_is_told_as_the_roundest_number_between_its_neighbours() -> None:
    procedure = learned(rounds(by_amount)).fields.procedure or ""

    assert "`desk` `board` where `amount` is more than 500 (24 of 24)" in procedure
    assert "`office` where `amount` is at most 500 (24 of 24)" in procedure


def test_a_number_that_the_call_sends_itself_decides_as_well() -> None:
    procedure = learned(rounds(by_amount, sent=("amount",))).fields.procedure or ""

    assert "`board` with `amount` more than 500 (24 of 24)" in procedure


def test_a_limit_holds_for_most_and_is_found_beside_exceptions() -> None:
    def mostly(one: Record) -> str:
        return "office" if one["invoice_id"] in ("R-320", "R-720") else by_amount(one)

    told_of = [(one.value, one.over, one.upto, one.calls, one.of) for one in conditions(mostly)]

    assert told_of == [("office", None, 500, 24, 24), ("board", 500, None, 22, 24)]


def test_random_values_have_no_limit() -> None:
    for seed in range(12):
        draw = Random(seed)

        def by_lot(_: Record, draw: Random = draw) -> str:
            return draw.choice(["board", "office"])

        assert conditions(by_lot, runs=16) == []


def test_a_number_that_names_something_or_of_one_day_decides_nothing() -> None:
    def by_lot(one: Record) -> str:
        return "board" if one["lot_no"] > 70 * RUNS / 2 else "office"

    assert conditions(by_lot) == []


def test_the_more_fields_there_are_the_clearer_a_condition_must_be() -> None:
    assert conditions(by_amount, runs=10)
    assert conditions(by_amount, runs=10, beside=16) == []
    assert conditions(by_amount, runs=14, beside=16)


def test_a_state_of_three_cases_among_many_is_enough() -> None:
    def kind(n: int, place: int) -> str:
        return "business" if n in (4, 11, 19) and place == 0 else "private"

    by_words = of_words(
        kind, lambda n, place: {"business": "accounts"}.get(kind(n, place), "repairs"), rounds=30, records=2
    )

    assert by_words == {"accounts": "business", "repairs": "private"}


def test_three_rounds_are_too_few() -> None:
    assert conditions(by_amount, runs=3) == []


@pytest.mark.parametrize(
    ("low", "high", "number"),
    [
        (449.5, 521, 500),
        (480, 640, 500),
        (99, 100, 99),
        (0.23, 0.31, 0.3),
        (-3, 4, 0),
        (-40, -20, -40),
        (999_000, 1_200_000, 1_000_000),
        (12.34, 12.35, 12.34),
    ],
)
def test_the_roundest_number_is_at_least_the_lower_one_and_below_the_higher(
    low: float, high: float, number: float
) -> None:
    assert roundest(low, high) == pytest.approx(number)
    assert low <= roundest(low, high) < high


def test_a_check_notes_the_other_side_of_a_limit() -> None:
    known = {"desk": conditions(by_amount)}
    [listed] = run(99, "Work through the new invoices.", ("list_invoices", {}, invoices(99))).calls
    so_far = Run(run(99).id, None, "agent", "partial", START, (listed,), ())
    small, *_, large = invoices(99)

    def note(invoice: Record, desk: str) -> list[str]:
        call = Call(9, "route_invoice", {"invoice_id": invoice["invoice_id"], "desk": desk}, None, None, START, None)
        return [each["note"] for each in notes_of_conditions(so_far, call, known)]

    assert note(small, "board") == [
        "`desk` is `board`; where `amount` was at most 500, 24 of 24 calls of runs that ended well sent `office`"
    ]
    assert note(large, "office") == [
        "`desk` is `office`; where `amount` was more than 500, 24 of 24 calls of runs that ended well sent `board`"
    ]
    assert note(large, "board") == []
    so_far = replace(so_far, calls=(replace(listed, result=[{**small, "amount": 500}]),))
    assert len(note(small, "board")) == 1
    assert note(small, "office") == []
