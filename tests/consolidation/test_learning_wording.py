"""What a skill says of what it does not know, and what it leaves out."""

from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import learned, run


def voucher(n: int) -> Run:
    user = {"user_id": f"user_{n}", "level": "gold"}
    steps = (
        ("get_user", {"user_id": f"user_{n}"}, user),
        ("send_voucher", {"user_id": f"user_{n}", "amount": 100 + n, "notify": True}, "sent"),
    )
    return run(n, f"I am user_{n} and my parcel was late", *steps)


def test_an_argument_of_a_change_whose_source_nobody_saw_is_named_as_unknown() -> None:
    procedure = learned([voucher(n) for n in range(3)]).fields.procedure

    assert "`user_id` from the user's request; where `amount` comes from was not seen." in procedure


def test_arguments_with_few_known_values_are_not_called_unknown() -> None:
    runs = [
        run(n, f"close ticket T{n}77", ("close_ticket", {"ticket": f"T{n}77", "as": "done"}, "ok")) for n in range(4)
    ]

    assert "was not seen" not in learned(runs).fields.procedure


def test_a_code_of_two_capitals_has_a_source_and_a_short_word_has_none() -> None:
    def move(n: int) -> Run:
        home = {"id": f"user_{n}", "address": {"state": ["NY", "IN", "CA"][n], "zip": f"9000{n}"}}
        told = f"I moved in with a friend, please send user_{n} the parcel home"
        new = {"id": f"user_{n}", "state": home["address"]["state"], "zip": f"9000{n}"}  # type: ignore[index]
        return run(n, told, ("get_user", {"id": f"user_{n}"}, home), ("change_address", new, "changed"))

    assert "`state` from `get_user` → `address.state`" in learned([move(n) for n in range(3)]).fields.procedure


def search(n: int, *, late: bool = False) -> Run:
    flight, found = f"HAT{n}77", ("search_flights", {"day": f"2024-05-0{n + 1}"}, [{"flight": f"HAT{n}77"}])
    book = ("book_flight", {"flight": flight}, "booked")
    first = ("book_flight", {"flight": "none yet"}, "Error: no seats") if late else ("get_user", {"id": n}, "x")
    return run(n, f"A flight on 2024-05-0{n + 1} please", first, found, book)


def test_a_look_up_stands_before_the_change_that_it_feeds() -> None:
    runs = [
        search(0),
        search(1, late=True),
        *(run(n, "HAT977 please", ("book_flight", {"flight": "HAT977"}, "ok")) for n in (5, 6)),
    ]
    tools = [step["tool"] for step in learned(runs).recipe]

    assert tools.index("search_flights") < tools.index("book_flight")


def test_a_look_up_of_few_runs_that_fed_nothing_after_the_change_is_left_out() -> None:
    def change(n: int, *more: tuple[str, dict[str, str], str]) -> Run:
        return run(n, f"change order O{n}99", ("change_order", {"order": f"O{n}99"}, "changed"), *more)

    other: tuple[str, dict[str, str], str] = ("list_product_types", {}, "lamps")
    runs = [change(0, other), change(1, other), change(2)]

    assert [step["tool"] for step in learned(runs).recipe] == ["change_order"]


def test_a_look_up_of_two_runs_that_fed_nothing_is_left_out_before_the_change_too() -> None:
    def change(n: int, *first: tuple[str, dict[str, str], str]) -> Run:
        return run(n, f"change order O{n}99", *first, ("change_order", {"order": f"O{n}99"}, "changed"))

    other: tuple[str, dict[str, str], str] = ("list_product_types", {}, "lamps")

    assert [step["tool"] for step in learned([change(0, other), change(1, other), change(2)]).recipe] == [
        "change_order"
    ]


def test_of_two_conditions_that_hold_for_the_same_records_the_clearer_one_is_told() -> None:
    def resume(n: int) -> Run:
        lines = [
            {"id": f"L{n}{k}", "status": "Suspended" if k == 1 else "Active", "roaming": k == 1} for k in (1, 2, 3)
        ]
        looked = [("get_line", {"id": line["id"]}, line) for line in lines]
        return run(n, "my line is dead", *looked, ("resume_line", {"id": f"L{n}1"}, "resumed"))

    procedure = learned([resume(n) for n in range(6)]).fields.procedure

    assert [field for field in ("`roaming` is", "`status` is") if field in procedure] == ["`roaming` is"]


def test_a_state_that_runs_set_themselves_is_no_sign_of_the_record_to_take() -> None:
    def acted(n: int, tool: str, shown: str, sent: dict[str, str]) -> Run:
        record = {"ticket": f"T-{n}00", "priority": shown}
        change = {"ticket": f"T-{n}00", **sent}
        return run(n, "do it", ("get_ticket", {"ticket": f"T-{n}00"}, record), (tool, change, "done"))

    others = [acted(n, "archive_ticket", "low", {}) for n in range(20, 28)]

    def told(**sent: str) -> str:
        own = [acted(n, "close_ticket", "high", sent) for n in range(10, 18)]
        return learned(own, [*own, *others]).fields.procedure

    assert "Take the record whose `priority` is high" in told()
    assert "Take the record" not in told(priority="normal")


def test_success_does_not_look_like_an_echo_of_what_was_sent() -> None:
    def cancel(n: int) -> Run:
        sent = {"order": f"O{n}99", "reason": "no longer needed"}
        return run(
            n, f"cancel O{n}99", ("cancel_order", sent, {"order": f"O{n}99", "cancel_reason": "no longer needed"})
        )

    assert "no longer needed" not in learned([cancel(n) for n in range(4)]).recipe[0]["validation"]


def test_after_an_error_that_was_passed_over_it_says_so() -> None:
    def order(n: int) -> Run:
        failed = ("find_user", {"email": f"u{n}@x.example"}, "Error: user not found")
        return run(n, f"cancel O{n}99", failed, "my order is O", ("cancel_order", {"order": f"O{n}99"}, "ok"))

    assert "went on to `cancel_order` without it" in learned([order(n) for n in range(3)]).fields.fallbacks[0]


def test_of_an_error_the_words_in_pieces_are_left_out() -> None:
    runs = [run(n, ("go_test", {}, "Error: tests failed, DO *NOT* COMMIT!"), ("go_test", {}, "ok")) for n in range(3)]

    assert learned(runs).fields.failure_modes == ["`go_test` returned “tests failed” (runs: 3, ended well: 3)"]


def test_what_cannot_be_counted_has_no_article() -> None:
    assert [phrase(tool, article="a") for tool in ("enable_roaming", "cancel_booking", "add_shipping")] == [
        "enable roaming",
        "cancel a booking",
        "add shipping",
    ]


def test_the_same_verb_is_said_once_in_a_title() -> None:
    runs = [run(n, ("modify_order_address", {}, "ok"), ("modify_order_items", {}, "ok")) for n in range(3)]

    assert learned(runs).fields.title == "Modify an order address and order items"
