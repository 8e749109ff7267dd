"""A failure beside its nearest success: what went another way."""

from typing import Any

from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import Outcome, Script, learned, run

ASK = "Please rebook my flight to another day and keep the seat"


def rebooked(n: int, outcome: Outcome = "success", *more: Script, kind: str = "round_trip", thread: Any = None) -> Run:
    record = {"booking": f"B{n % 10}1", "status": "open"}
    args = {"booking": f"B{n % 10}1", "flight_type": kind}
    steps: tuple[Script, ...] = (("get_booking", {"booking": f"B{n % 10}1"}, record), ("rebook_flight", args, "done"))
    return run(n, ASK, *steps, *more, outcome=outcome, thread=thread)


def experience(runs: list[Run], others: list[Run]) -> str:
    return " ".join(learned(runs, [*runs, *others]).fields.experience)


def test_the_value_that_differed_is_named() -> None:
    good = [rebooked(n) for n in range(4)]
    bad = [rebooked(n, "failure", kind="one_way") for n in range(10, 13)]

    assert (
        "`flight_type` of `rebook_flight` was round_trip; 3 of 3 failed runs with nearly the same request sent one_way."
    ) in experience([*good, *bad], [])


def test_a_value_of_fewer_than_three_runs_is_not_named() -> None:
    good = [rebooked(n) for n in range(4)]
    bad = [rebooked(n, "failure", kind="one_way") for n in range(10, 12)]

    assert "one_way" not in experience([*good, *bad], [])


def test_a_write_that_failed_runs_left_out_is_named() -> None:
    paid: Script = ("pay_fee", {"booking": "B1"}, "done")
    good = [rebooked(n, "success", paid) for n in range(4)]
    bad = [rebooked(n, "failure") for n in range(10, 13)]

    assert "Call `pay_fee`: 3 of 3 failed runs" in experience(good, bad)


def test_a_write_that_failed_runs_tried_was_not_left_out() -> None:
    good = [rebooked(n, "success", ("pay_fee", {"booking": "B1"}, "done")) for n in range(4)]
    bad = [rebooked(n, "failure", ("pay_fee", {"booking": f"F{n}"}, {"error": "no such fee"})) for n in range(10, 13)]

    told = experience(good, bad)
    assert "Call `pay_fee`" not in told
    assert "`pay_fee` was called and failed in 3 of 3 failed runs" in told


def test_what_follows_a_write_that_failed_was_not_left_out() -> None:
    receipt: Script = ("send_receipt", {"booking": "B1"}, "done")
    good = [rebooked(n, "success", ("pay_fee", {"booking": "B1"}, "done"), receipt) for n in range(4)]
    bad = [rebooked(n, "failure", ("pay_fee", {"booking": f"F{n}"}, {"error": "no such fee"})) for n in range(10, 13)]

    told = experience(good, bad)
    assert "Call `send_receipt`" not in told
    assert "`pay_fee` was called and failed in 3 of 3 failed runs" in told


def refunded(n: int, outcome: Outcome, by: str) -> Run:
    order = {"order": f"o-{n}", "payment": f"p-{n}", "state": "delivered" if n % 2 else "sent"}
    steps: tuple[Script, ...] = (("get_order", {"order": f"o-{n}"}, order), ("refund", {"of": order[by]}, "done"))
    return run(n, "The parcel arrived broken, I want my money back", *steps, outcome=outcome)


def test_where_nobody_knows_which_record_successes_acted_on_failures_are_not_held_against_them() -> None:
    bad = [refunded(n, "failure", "order") for n in range(11, 17, 2)]

    assert "`state` delivered" not in experience([*(refunded(n, "success", "payment") for n in range(6)), *bad], [])
    assert "with `state` delivered in 3 of 3 runs that failed and in 0 of 3" in experience(
        [*(refunded(n, "success", "order") for n in range(0, 6, 2)), *bad], []
    )


def test_requests_about_something_else_are_not_compared() -> None:
    good = [rebooked(n) for n in range(4)]
    bad = [run(n, "Where is my luggage?", ("lose_luggage", {}, "x"), outcome="failure") for n in range(10, 14)]

    assert "failed runs" not in experience(good, bad)


def test_one_failure_is_no_excess() -> None:
    good = [rebooked(n) for n in range(12)]
    bad = [rebooked(50, "failure", ("cancel_booking", {"booking": "B1"}, "done"))]

    assert learned(good, [*good, *bad]).contrast["excess"] == ()


def test_under_twenty_points_is_no_excess() -> None:
    cancel: Script = ("cancel_booking", {"booking": "B1"}, "done")
    good = [rebooked(n, "success", cancel) for n in range(40)]
    also = [rebooked(n + 100, "success") for n in range(9)]
    bad = [rebooked(n + 200, "failure", cancel) for n in range(14)]

    found = {e["tool"]: e for e in learned(also, [*good, *also, *bad]).contrast["excess"]}
    assert "cancel_booking" not in found


def test_what_often_goes_together_is_checked_at_the_end() -> None:
    paid: Script = ("pay_fee", {"booking": "B1"}, "done")
    alone = [rebooked(n) for n in range(3)]
    both = [rebooked(n, "success", paid) for n in range(10, 13)]

    assert "of 6 runs with `rebook_flight` that ended well 3 also called `pay_fee`" in (
        learned(alone, [*alone, *both]).fields.procedure
    )
    assert "check that all of it was done: `rebook_flight` and `pay_fee`." in learned(both, both).fields.procedure


def test_what_seldom_goes_together_is_not_said_to_go_together_often() -> None:
    alone = [rebooked(n) for n in range(10)]
    both = [rebooked(n, "success", ("pay_fee", {"booking": "B1"}, "done")) for n in range(20, 22)]

    assert "pay_fee" not in learned(alone, [*alone, *both]).fields.procedure


def test_a_condition_that_holds_in_half_of_the_other_records_too_is_none() -> None:
    def acted(n: int, status: str, tool: str) -> Run:
        record = {"order": f"O{n}5", "status": status}
        return run(n, "do it", ("get_order", {"order": f"O{n}5"}, record), (tool, {"order": f"O{n}5"}, "done"))

    own = [acted(n, "open" if n % 2 else "new", "close_order") for n in range(8)]
    others = [acted(n, "open" if n % 2 else "new", "ship_order") for n in range(20, 28)]

    fields = learned(own, [*own, *others]).fields
    assert "open" not in fields.description
    assert "Take the record" not in fields.procedure


def test_how_many_records_a_queue_held_is_no_difference_and_how_many_of_the_same_were_changed_is() -> None:
    def closed(n: int, *tickets: str, of: str, outcome: Outcome = "success") -> Run:
        calls: list[Script] = [("close_ticket", {"ticket": ticket}, "done") for ticket in tickets]
        return run(n, "Work through the tickets, please", ("get_queue", {"queue": of}, {}), *calls, outcome=outcome)

    def told(bad_queue: str) -> str:
        good = [closed(n, "T-101", "T-102", "T-103", of="Q-1") for n in range(3)]
        bad = [closed(n, "T-101", of=bad_queue, outcome="failure") for n in range(10, 13)]
        return experience([*good, *bad], [])

    assert "`close_ticket` was called fewer times" in told("Q-1")
    assert "fewer times" not in told("Q-2")
