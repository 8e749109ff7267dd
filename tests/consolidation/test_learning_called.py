"""Work through a queue: what decides which of its records get a call."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from consolidation.guidance.choice_notes import notes_of_conditions, read
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.call_conditions import record_conditions
from tests.consolidation.recorded import RULES, START, Script, learned, run

ORDER = "Work through the new invoices."
Record = dict[str, Any]
QUEUE: list[Record] = [
    {"bank": "new", "kind": "goods", "amount": 120},
    {"bank": "old", "kind": "goods", "amount": 480},
    {"bank": "old", "kind": "service", "amount": 75},
    {"bank": "old", "kind": "service", "amount": 260},
]


def is_new(record: Record) -> bool:
    return str(record["bank"]) == "new"


def script(n: int, noted: Callable[[Record], bool], queue: Sequence[Record] = QUEUE) -> list[Script]:
    rows = [{"invoice_id": f"INV-{100 * n + place}", **record} for place, record in enumerate(queue)]
    calls: list[Script] = [ORDER, ("list_invoices", {}, [{"invoice_id": row["invoice_id"]} for row in rows])]
    for row in rows:
        about = {"invoice_id": row["invoice_id"]}
        calls.append(("get_invoice", about, row))
        if noted(row):
            calls.append(("add_note", {**about, "text": "bank details"}, {**about, "noted": True}))
        calls.append(("approve", about, {**about, "approved": True}))
    return calls


def round_of(n: int, *, noted: Callable[[Record], bool] = is_new, queue: Sequence[Record] = QUEUE) -> Run:
    return run(n, *script(n, noted, queue), thread=f"round {n}")


def step(*runs: Run, tool: str = "add_note") -> str:
    lines = (learned(runs).fields.procedure or "").splitlines()
    return next(line for line in lines if f"with `{tool}`" in line)


def conditions(*runs: Run, tool: str = "add_note") -> list[tuple[str, str, tuple[str, ...]]]:
    found = record_conditions(Scope(list(runs), [], RULES), tool)
    return [(one.value, one.field, tuple(one.states)) for one in found]


def test_a_step_tells_which_records_get_the_call() -> None:
    runs = [round_of(n) for n in range(1, 9)]

    assert "Where `bank` is `new` (8 of 8)" in step(*runs)
    assert "not where" not in step(*runs)
    assert "here `" not in step(*runs, tool="approve")


def test_a_step_tells_which_records_do_not_get_it() -> None:
    def some_goods(n: int) -> Callable[[Record], bool]:
        return lambda record: record["kind"] == "goods" and (n % 2 == 0 or record["amount"] > 200)

    mixed = [round_of(n, noted=some_goods(n)) for n in range(16)]

    assert "not where `kind` is `service` (32 of 32)" in step(*mixed)


def test_the_states_are_those_shown_at_first() -> None:
    """An invoice that was approved before its note was open when it was looked up."""

    def late(n: int) -> Run:
        calls: list[Script] = [ORDER]
        for place, kind in enumerate(["goods", "goods", "service", "service"]):
            about = {"invoice_id": f"INV-{100 * n + place}"}
            calls.append(("get_invoice", about, {**about, "kind": kind, "status": "open"}))
            calls.append(("approve", about, {**about, "status": "approved"}))
            if kind == "goods":
                calls.append(("add_note", {**about, "text": "seen"}, {**about, "status": "noted"}))
        return run(n, *calls, thread=f"round {n}")

    assert conditions(*map(late, range(1, 9))) == [("", "kind", ("service",)), ("made", "kind", ("goods",))]


def test_a_row_of_a_list_that_no_call_names_is_none_of_the_work() -> None:
    def listed(n: int) -> Run:
        rows = [
            {"invoice_id": f"INV-{100 * n + place}", "state": state}
            for place, state in enumerate(["due", "due", *["paid"] * 6])
        ]
        notes = [("add_note", {"invoice_id": row["invoice_id"]}, {"ok": True}) for row in rows[:2]]
        return run(n, ORDER, ("list_invoices", {}, rows), *notes, thread=f"round {n}")

    assert conditions(*map(listed, range(1, 9))) == []


def test_nothing_is_told_of_work_on_one_record_of_two_rounds_or_of_all_records() -> None:
    single = [round_of(n, queue=QUEUE[n % 2 : n % 2 + 1]) for n in range(16)]
    everywhere = [round_of(n, noted=lambda _: True) for n in range(1, 9)]

    assert conditions(*single) == []
    assert conditions(*(round_of(n) for n in range(1, 3))) == []
    assert conditions(*everywhere) == []


def test_a_call_that_failed_is_none_and_a_run_that_failed_decides_nothing() -> None:
    def refused(n: int) -> Run:
        return run(
            n,
            *((step[0], step[1], {"error": "locked"}) if step[0] == "add_note" else step for step in script(n, is_new)),
            thread=f"round {n}",
        )

    assert conditions(*map(refused, range(1, 9))) == []
    failed = [run(n, *script(n, is_new), thread=f"round {n}", outcome="failure") for n in range(1, 9)]
    assert conditions(*failed) == []


def test_random_queues_tell_nothing() -> None:
    random = Random(4)
    words = {"bank": ["new", "old"], "kind": ["goods", "service", "rent"], "region": ["north", "south", "west"]}

    def queue() -> list[Record]:
        return [{field: random.choice(values) for field, values in words.items()} for _ in range(5)]

    scopes = [[round_of(n, noted=lambda _: random.random() < 0.4, queue=queue()) for n in range(8)] for _ in range(60)]
    assert [found for runs in scopes if (found := conditions(*runs))] == []


def notes(asked: Run, invoice: str, runs: Sequence[Run]) -> list[tuple[str, str]]:
    choices = learned(runs).contrast["choices"]
    call = Call(99, "add_note", {"invoice_id": invoice, "text": "bank details"}, None, None, START, None)
    return [(note["pointer"], note["note"]) for note in notes_of_conditions(asked, call, read(choices, "add_note"))]


@pytest.fixture(scope="module")
def rounds() -> list[Run]:
    return [round_of(n) for n in range(1, 9)]


def test_a_check_notes_a_call_that_no_such_record_got(rounds: list[Run]) -> None:
    here = round_of(9, noted=lambda _: False)

    assert notes(here, "INV-900", rounds) == []
    assert notes(here, "INV-901", rounds) == [
        ("/tool", "`add_note`: where `bank` was `old`, runs that ended well called it for none of 24 such records")
    ]
    assert notes(here, "INV-999", rounds) == []


def test_a_single_exception_is_enough_for_no_note(rounds: list[Run]) -> None:
    once = round_of(11, noted=lambda row: row["amount"] in (120, 480))

    assert "Where `bank` is `new` (9 of 9)" in step(*rounds, once)
    assert notes(round_of(9), "INV-901", [*rounds, once]) == []


def test_a_state_that_the_run_itself_brought_about_is_no_reason_for_a_note(rounds: list[Run]) -> None:
    about = {"invoice_id": "INV-900"}
    changed = [("get_invoice", about, {**about, "bank": "new"}), ("confirm", about, {**about, "bank": "old"})]

    assert notes(run(9, ORDER, *changed), "INV-900", rounds) == []
    assert notes(run(9, ORDER, ("get_invoice", about, {**about, "bank": "old"})), "INV-900", rounds) != []


def test_chinese_runs_tell_it_in_chinese() -> None:
    runs = [run(n, "处理新发票。", *script(n, is_new)[1:], thread=f"轮次 {n}") for n in range(1, 9)]

    assert "`bank` 为 `new` 的记录（8 条中有 8 条）" in (learned(runs).fields.procedure or "")
