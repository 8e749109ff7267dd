"""Work through a queue: what decides the arguments of the calls for each record."""

from typing import Any

from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import learned, run

ORDER = "Work through the new tickets."
TICKETS = [("refund", "private"), ("damage", "private"), ("spam", "private"), ("refund", "business")]
TEAMS = {"refund": "accounts", "damage": "repairs", "spam": "nobody"}
Call = tuple[str, dict[str, Any], Any]


def team(kind: str, account: str) -> str:
    return "key-accounts" if account == "business" else TEAMS[kind]


def calls_of(number: int, kind: str, account: str, sent: str) -> list[Call]:
    ticket, customer = f"T-{number}", f"C{number}"
    update = {"ticket_id": ticket, "category": kind, "team": sent}
    return [
        ("get_customer", {"customer_id": customer}, {"since": "2014-03", "customer_id": customer, "account": account}),
        ("update_ticket", update, {**update, "status": "open", "customer_id": customer}),
        ("reply", {"ticket_id": ticket, "macro": f"about-{kind}"}, {"ticket_id": ticket, "sent": True}),
    ]


def round_of(n: int, *, opening: str = ORDER, teams: Any = team) -> Run:
    numbers = [1000 + 10 * n + place for place in range(len(TICKETS))]
    rows = [
        {"status": "new", "team": None, "ticket_id": f"T-{number}", "customer_id": f"C{number}"} for number in numbers
    ]
    calls: list[Call] = [("list_tickets", {}, rows)]
    for number, (kind, account) in zip(numbers, TICKETS, strict=True):
        calls += calls_of(number, kind, account, teams(kind, account))
    return run(n, opening, *calls)


def steps_of(*runs: Run) -> dict[str, str]:
    procedure = learned(runs).fields.procedure or ""
    return {line.split("`")[1]: line for line in procedure.splitlines() if "with `" in line}


def test_an_argument_is_told_by_the_field_of_the_record_or_of_the_one_that_it_names() -> None:
    steps = steps_of(*(round_of(n) for n in range(1, 6)))

    assert "`key-accounts` where `account` is `business` (5 of 5)" in steps["update_ticket"]
    assert "`category` `refund` with `team` `accounts` or `key-accounts` (10 of 10)" in steps["update_ticket"]
    assert "`damage` with `team` `repairs` (5 of 5)" in steps["update_ticket"]
    assert "else `accounts`, `repairs` or `nobody`" in steps["update_ticket"]
    assert "`about-refund` where `category` is `refund` (10 of 10)" in steps["reply"]
    assert "`macro` comes from was not seen" not in steps["reply"]


def test_a_word_of_another_record_is_no_source_and_two_arguments_are_told_together_once() -> None:
    update = steps_of(*(round_of(n) for n in range(1, 6)))["update_ticket"]

    assert "`team` from" not in update
    assert "else from" not in update
    assert "with `category`" not in update


def test_what_differs_by_chance_or_was_met_in_two_rounds_is_no_condition() -> None:
    two = steps_of(*(round_of(n) for n in range(1, 3)))
    mixed = steps_of(*(round_of(n, teams=lambda *_, n=n: f"team-{'abcd'[n % 4]}") for n in range(1, 6)))

    assert "` with `" not in two["update_ticket"].replace("ticket with", "")
    assert "where `account`" not in two["update_ticket"]
    assert "`team` `team" not in mixed["update_ticket"]


def test_a_person_to_whom_records_go_is_named_in_no_condition() -> None:
    def teams(kind: str, account: str) -> str:
        return "Mr Keller" if account == "business" else TEAMS[kind]

    update = steps_of(*(round_of(n, teams=teams) for n in range(1, 6)))["update_ticket"]

    assert "Keller" not in update
    assert "with `team` `repairs`" in update


def test_runs_that_all_began_with_one_order_are_described_by_it() -> None:
    same = learned([round_of(n) for n in range(1, 6)]).fields.description
    other = [round_of(n, opening=f"Work through the tickets of {day}.") for n, day in enumerate("ABCDE", 1)]
    named = [round_of(n, opening="Work through the tickets of T-4417.") for n in range(1, 6)]

    assert "Use when the order is “Work through the new tickets”." in same
    assert "the order is" not in learned(other).fields.description
    assert "T-4417" not in learned(named).fields.description
