import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.learning.effects.toolnames import code, phrase
from consolidation.learning.writing.naming import slug
from skills.names import slug as canonical
from skills.packaging.skill_md_writer import skill_md
from tests.consolidation.recorded import learned, run


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("cancel_pending_order", "cancel the pending order"),
        ("get_user_details", "look up the user details"),
        ("searchFlight", "search for flights"),
        ("list_all_airports", "list all airports"),
        ("transfer_to_human_agents", "transfer to human agents"),
        ("find_user_id_by_email", "find the user id by email"),
        ("find_user_id_by_name_zip", "find the user id by name and zip"),
        ("get_order_by_phone_number", "look up the order by phone number"),
        ("mcp__github__create_issue", "create the issue"),
        ("go_test", "run go test"),
        ("lint", "run lint"),
        ("think", "think it through"),
        ("Edit", "edit"),
        ("退款", "run 退款"),
        ("planning.orders.create", "create the orders"),
        ("crm.orders.process", "process the orders"),
        ("crm.orders.note", "run orders note"),
        ("crm.get", "get"),
        ("stock_check", "check the stock"),
        ("kundeSuchen", "kunde suchen"),
        ("consultar_stock", "consultar stock"),
    ],
)
def test_a_tool_is_said_as_people_say_it(tool: str, said: str) -> None:
    assert phrase(tool) == said


def test_code_stays_inline_whatever_the_name_holds() -> None:
    assert code("a`b\nc") == "`a'b c`"


@settings(deadline=None)  # the first title in Chinese loads the phrases of pypinyin
@given(st.text(max_size=200), st.sets(st.text(alphabet="abc-", max_size=5), max_size=3))
def test_a_slug_is_always_a_valid_and_free_name(title: str, taken: set[str]) -> None:
    first = slug(title, "signature", taken)
    second = slug(title, "signature", taken | {first})

    for name in (first, second):
        assert canonical(name) == name
        assert 1 <= len(name) <= 64
    assert first not in taken
    assert second not in taken | {first}


def test_a_taken_slug_gets_a_number() -> None:
    assert slug("Cancel a reservation", "", {"cancel-reservation", "cancel-reservation-2"}) == "cancel-reservation-3"


def test_handing_over_is_no_effect_of_the_title() -> None:
    runs = [run(n, "Where is it?", ("get_order", {}, ""), ("transfer_to_agents", {}, "")) for n in range(2)]

    assert learned(runs).fields.title == "Answer without changing anything"


def test_the_record_stands_in_the_body_and_not_in_the_description() -> None:
    runs = [run(n, ("send_mail", {}, ""), outcome="success" if n < 2 else "failure") for n in range(6)]
    fields = learned(runs).fields

    assert fields.description == "Send mail. Use when asked to send mail."
    assert "- Successes: 2\n- Failures: 4" in skill_md(fields, 1)


def test_a_shortened_slug_ends_with_a_whole_word() -> None:
    title = "Answer after looking up the user id by name and zip and the order details"

    assert slug(title, "", ()).endswith("-and-zip-and-order")
    assert slug(title, "", {slug(title, "", ())}).endswith("-and-zip-and-order-2")


def test_a_chinese_skill_has_a_readable_slug() -> None:
    assert slug("退款", "", ()) == "tui-kuan"


def test_a_hundred_tools_still_make_a_description() -> None:
    runs = [run(n, *[(f"update_{'x' * 60}_{k:03}", {}, "") for k in range(100)]) for n in range(2)]

    fields = learned(runs).fields

    assert len(fields.description) <= 1024
    assert len(fields.title) <= 100


def test_a_skill_of_commands_is_told_from_its_kin_by_a_command_and_not_by_a_number() -> None:
    lines = [("bash", {"command": line}, "ok") for line in ("pytest -q", "git checkout a.py", "rm b.py")]
    runs = [run(n, "mend it", *lines) for n in range(2)]

    assert learned(runs).fields.name == "run-pytest"
    assert learned(runs, taken={"run-pytest"}).fields.name == "run-pytest-and-git-checkout"


def test_what_is_done_with_one_verb_is_one_part_of_the_title() -> None:
    def titled(*tools: str) -> str:
        return learned([run(n, *[(tool, {}, "") for tool in tools]) for n in range(2)]).fields.title

    assert titled("book_flight", "book_hotel", "send_mail") == "Book a flight and a hotel, and send mail"
    assert titled("book_flight", "cancel_hotel", "send_mail") == "Book a flight, cancel a hotel and send mail"
    assert titled("book_flight", "book_hotel") == "Book a flight and a hotel"
