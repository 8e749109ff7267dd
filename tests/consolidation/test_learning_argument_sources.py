import pytest

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.argument_sources import Origin, arguments, trace
from tests.consolidation.recorded import learned, run


def origins(recorded: Run) -> dict[str, Origin]:
    return {f"{tool}.{'.'.join(path)}": origin for tool, path, origin in trace(recorded)}


def test_a_value_comes_from_the_first_place_where_it_occurred() -> None:
    recorded = run(
        1,
        "I am user_77, help",
        ("get_user", {"user": "user_77"}, {"user": "user_77", "orders": ["A100", "A200"]}),
        ("get_order", {"order": "A200"}, {"order": "A200", "items": [{"sku": "S-9"}]}),
        ("refund", {"order": "A200", "sku": "S-9"}, "ok"),
    )

    assert origins(recorded) == {
        "get_user.user": Origin("opening"),
        "get_order.order": Origin("result", "get_user", ("orders", "[]")),
        "refund.order": Origin("result", "get_user", ("orders", "[]")),
        "refund.sku": Origin("result", "get_order", ("items", "[]", "sku")),
    }


def test_a_date_and_an_amount_are_known_in_the_spelling_of_people_too() -> None:
    recorded = run(
        1,
        "The shelf costs 129.00 net from 1 February 2027, the table from Mar 15th, 2027.",
        ("read_text", {"path": "x.txt"}, "Rechnung vom 04.01.2027\nNetto 1840.00 EUR\n日期 2027年5月6日"),
        ("set_price", {"net": 129, "from": "2027-02-01", "table": "2027-03-15"}, "ok"),
        ("book", {"date": "2027-01-04", "net": 1840.0, "due": "2027-05-06"}, "ok"),
    )
    assert origins(recorded) == {
        "set_price.net": Origin("opening"),
        "set_price.from": Origin("opening"),
        "set_price.table": Origin("opening"),
        "book.date": Origin("result", "read_text"),
        "book.net": Origin("result", "read_text"),
        "book.due": Origin("result", "read_text"),
    }


def test_a_name_that_the_request_said_comes_from_there_also_where_a_look_up_shows_it() -> None:
    recorded = run(
        1, "Enter Nadia Brandt.", ("list", {}, [{"name": "Nadia Brandt"}]), ("add", {"who": "Nadia Brandt"}, 1)
    )
    assert origins(recorded)["add.who"] == Origin("opening")


def test_what_the_user_says_later_is_an_answer() -> None:
    recorded = run(1, "Refund me", "> Which order?", "It is A200.", ("refund", {"order": "A200"}, "ok"))

    assert origins(recorded) == {"refund.order": Origin("answer")}


def test_several_words_that_the_request_said_need_no_asking() -> None:
    recorded = run(1, "Book it for Anna Meier", "> Which class?", "First class", ("book", {"name": "Anna Meier"}, "ok"))

    assert origins(recorded) == {"book.name": Origin("opening")}


def test_a_value_is_found_between_chinese_characters() -> None:
    recorded = run(
        1,
        "我的订单A100到货时杯子碎了,我要退款",
        "> 请问支付号是多少？",
        "支付号是P77，原因是商品破损。",
        ("refund", {"order": "A100", "payment": "P77", "reason": "商品破损", "item": "杯子"}, "ok"),
    )

    opening, answer = Origin("opening"), Origin("answer")
    assert origins(recorded) == {
        "refund.order": opening,
        "refund.payment": answer,
        "refund.reason": answer,
        "refund.item": opening,
    }


def test_an_argument_that_a_result_merely_repeats_has_no_source_there() -> None:
    recorded = run(1, ("get_order", {"order": "A200"}, {"order": "A200"}), ("refund", {"order": "A200"}, "ok"))

    assert origins(recorded) == {}


def test_yes_no_and_small_numbers_are_not_traced() -> None:
    recorded = run(1, "5 true", ("get", {}, {"n": 5, "on": True}), ("set", {"n": 5, "on": True}, "ok"))

    assert origins(recorded) == {}


def test_calls_that_failed_neither_take_nor_give() -> None:
    recorded = run(
        1,
        "order A200",
        ("refund", {"order": "A200"}, "Error: no"),
        ("get", {}, {"error": "B300"}),
        ("refund", {"order": "B300"}, "ok"),
    )

    assert origins(recorded) == {}


@pytest.mark.parametrize("text", ["The parcel of A200 is lost for weeks", "A200 的包裹丢失了好几周"])
def test_the_agents_own_text_says_which_known_things_it_names(text: str) -> None:
    recorded = run(
        1,
        "order A200 please",
        ("get_order", {"order": "A200"}, {"state": "lost"}),
        ("escalate", {"summary": text}, "ok"),
    )

    found = [origin for _, path, origin in trace(recorded) if path == ("summary",)]

    assert found == [Origin("own"), Origin("names", path=("order",))]


def test_keys_that_are_ids_of_things_become_stars() -> None:
    def pay(n: int) -> Run:
        methods = {f"card_{n}41": {"id": f"card_{n}41"}}
        return run(n, ("get_user", {}, {"methods": methods}), ("pay", {"with": f"card_{n}41"}, "ok"))

    runs = [pay(n) for n in range(3)]
    found = arguments(Scope(runs, []), runs)

    assert found["pay", "with"] == {Origin("result", "get_user", ("methods", "*", "id")): 3}


def test_the_procedure_names_sources_by_path_and_never_by_value() -> None:
    def refund(n: int) -> Run:
        return run(
            n,
            "Refund please",
            "> Who are you?",
            f"user_{n}99",
            ("get_user", {"user": f"user_{n}99"}, {"orders": [f"A{n}00"]}),
            ("refund_order", {"order": f"A{n}00"}, "done"),
        )

    procedure = learned([refund(n) for n in range(3)]).fields.procedure

    assert "`user` from the user (ask for it)" in procedure
    assert "`order` from `get_user` → `orders[]`" in procedure
    assert "A000" not in procedure


def test_an_id_within_an_answer_in_words_has_a_source() -> None:
    runs = [
        run(n, "close it", ("open_case", {}, f"Case KX-{n}71 was opened."), ("close_case", {"case": f"KX-{n}71"}, "ok"))
        for n in range(3)
    ]
    assert "`case` from `open_case`" in learned(runs).fields.procedure


def test_a_japanese_request_is_no_chinese_one_and_its_ids_have_a_source() -> None:
    runs = [
        run(n, f"予約番号YK3010{n}の宿泊日を一日延ばしてください。", ("extend_stay", {"no": f"YK3010{n}"}, "ok"))
        for n in range(3)
    ]
    assert "`no` from the user's request" in learned(runs).fields.procedure


def test_a_small_number_comes_from_where_it_stood_beside_a_word_of_its_field() -> None:
    recorded = run(
        1,
        "Nadia works 5 days a week from 3 May 2027, room: 12; she gets a 30-day trial and 2.5 hours of 40, in 8.",
        ("list", {}, {"weeks": 7}),
        (
            "add",
            {
                "Days per week": 5,
                "room": "12",
                "trialDays": 30,
                "month": 3,
                "hours": 2,
                "keys": 8,
                "weeks": 7,
                "of": 40,
            },
            "ok",
        ),
        "Make it 4 days.",
        ("change", {"days": 4}, "ok"),
        ("change", {"visits": 4}, "ok"),
    )
    assert origins(recorded) == {
        "add.Days per week": Origin("opening"),
        "add.room": Origin("opening"),
        "add.trialDays": Origin("opening"),
        "change.days": Origin("answer"),
    }


def test_a_skill_says_that_the_user_gives_a_small_number_and_not_that_nobody_saw_it() -> None:
    def entered(n: int) -> Run:
        row = {"employee": f"E-{100 + n}", "days_per_week": n + 2}
        return run(n, f"Enter E-{100 + n} with {n + 2} days a week.", ("add_employee", row, "ok"), thread=f"case {n}")

    [step] = [line for line in learned([entered(n) for n in range(4)]).fields.procedure.splitlines() if "Add" in line]
    assert "`days_per_week`" in step and "not seen" not in step


def test_a_word_comes_from_a_record_that_the_call_names_or_from_any_where_it_names_none_that_was_shown() -> None:
    rows = [{"ticket": "T-1001", "team": "sales"}, {"ticket": "T-1002", "team": "accounts"}]
    recorded = run(
        1,
        "Work through the tickets.",
        ("list", {}, rows),
        ("keep", {"ticket": "T-1002", "team": "accounts"}, "ok"),
        ("move", {"ticket": "T-1002", "team": "sales"}, "ok"),
        ("open", {"ticket": "N-7001", "team": "sales"}, "ok"),
        ("post", {"team": "sales"}, "ok"),
    )
    listed = Origin("result", "list", ("[]", "team"))
    told = {name: origin for name, origin in origins(recorded).items() if name.endswith(".team")}

    assert told == {"keep.team": listed, "open.team": listed, "post.team": listed}


@pytest.mark.parametrize(("corrected", "is_asked"), [(True, False), (False, True)])
def test_a_user_who_corrects_what_was_sent_is_no_source_that_could_be_asked(corrected: bool, is_asked: bool) -> None:
    def routed(n: int) -> Run:
        invoice = {"invoice_id": f"INV-{100 + n}"}
        first = [("route_invoice", {**invoice, "desk": "purchasing"}, "routed")] if corrected else []
        mended = ("route_invoice", {**invoice, "desk": "board"}, "routed")
        return run(n, f"Route INV-{100 + n}.", *first, "> Which desk?", "The board signs those.", mended)

    told = learned([routed(n) for n in range(1, 6)]).fields.procedure or ""

    assert ("`desk` from the user (ask for it)" in told) is is_asked
