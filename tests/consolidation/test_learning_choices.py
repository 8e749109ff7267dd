"""Work through a queue: what decides the arguments of the calls for each record."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.argument_choices import choices
from tests.consolidation.recorded import RULES, learned, run, text

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
    one_to_one = steps_of(*(round_of(n, teams=lambda kind, _: TEAMS[kind]) for n in range(1, 6)))["update_ticket"]
    assert "`refund` with `team` `accounts` (10 of 10)" in one_to_one
    assert "`team` as the record asks for: `accounts`, `nobody` or `repairs`" in one_to_one


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


GOODS = ["lamp", "chair", "desk", "shelf", "sofa", "table", "rug", "mirror", "frame", "vase", "clock", "bench"]
Pick = Callable[[int, int], str]  # by the number of the run and of the record


def conditions(state: Pick, value: Pick, *, rounds: int, records: int, **sent: str) -> dict[str, str]:
    """The states by which `team` is told, by its values."""
    runs = []
    for n in range(rounds):
        ids = [f"T-{1000 + 100 * n + place}" for place in range(records)]
        rows: list[Any] = [{"ticket_id": one, "kind": state(n, place), **sent} for place, one in enumerate(ids)]
        teams = [{"team": value(n, place)} if value(n, place) else {} for place in range(records)]
        updates = [{"ticket_id": one, **team, **sent} for one, team in zip(ids, teams, strict=True)]
        calls = [("update_ticket", update, {"ok": True}) for update in updates]
        runs.append(run(n, ORDER, ("list_tickets", {}, rows), *calls))
    told = choices(Scope(runs, [], RULES), "update_ticket").get("team")
    return {one.value: " ".join(one.states) for one in told.conditions} if told else {}


def test_random_values_have_no_condition_however_many_states_there_are() -> None:
    for seed in range(8):
        random = Random(seed)

        def state(n: int, place: int, random: Random = random) -> str:
            return random.choice(GOODS)

        def value(n: int, place: int, random: Random = random) -> str:
            return random.choice(["repairs", "accounts"])

        assert conditions(state, value, rounds=16, records=4) == {}


def test_what_a_run_sends_all_day_is_one_choice() -> None:
    teams, kinds = ["repairs", "accounts"], ["private", "business"]
    by_records = conditions(lambda n, place: kinds[place % 2], lambda n, place: teams[place % 2], rounds=6, records=6)
    by_days = conditions(lambda n, place: kinds[n % 2], lambda n, place: teams[n % 2], rounds=6, records=6)

    assert by_records == {"repairs": "private", "accounts": "business"}
    assert by_days == {}


def test_a_value_that_is_sent_less_often_about_such_records_has_no_condition() -> None:
    def value(n: int, place: int) -> str:
        return "accounts" if place == 0 and n % 5 == 0 else "repairs"

    def state(n: int, place: int) -> str:
        return "private" if place == 0 else f"kind {chr(97 + n % 26)}{chr(97 + n // 26)}{chr(97 + place)}"

    assert "repairs" not in conditions(state, value, rounds=60, records=4)


def test_a_date_that_all_records_and_calls_hold_does_not_hide_the_record_of_a_call() -> None:
    kinds, teams = ["private", "business"], ["repairs", "accounts"]
    told = conditions(
        lambda n, place: kinds[place % 2], lambda n, place: teams[place % 2], rounds=8, records=4, due="2025-03-01"
    )

    assert told == {"repairs": "private", "accounts": "business"}


def test_an_object_of_many_ids_is_no_record() -> None:
    ids = {f"field_{first}{second}": f"T-{first}{second}1" for first in "abcdef" for second in "abcdef"}
    runs = [
        run(
            n,
            ORDER,
            ("get_kind", {}, {"kind": "new"}),
            ("get_map", {}, {"kind": kind, **ids}),
            ("update_ticket", {"ticket_id": "T-aa1", "team": kind}, {}),
        )
        for n, kind in enumerate(["repairs", "accounts"] * 10)
    ]

    assert choices(Scope(runs, [], RULES), "update_ticket")["team"].conditions == []


@pytest.mark.parametrize(
    "field", ["assigned_to", "accountOwner", "reviewer", "approved_by", "agent", "customer", "处理人"]
)
@pytest.mark.parametrize(
    "people", [("anna", "bernd", "carla"), ("A. Keller", "B. Meier", "C. Huber"), ("王芳", "李娜", "张伟")]
)
def test_fields_of_persons_are_told_of_no_record(field: str, people: tuple[str, ...]) -> None:
    runs = []
    for n in range(1, 7):
        calls: list[Call] = [("list_tickets", {}, [{"ticket_id": f"T-{n}{p}0", "kind": GOODS[p]} for p in range(3)])]
        calls += [("update_ticket", {"ticket_id": f"T-{n}{p}0", field: people[p]}, {"done": True}) for p in range(3)]
        runs.append(run(n, ORDER, *calls))

    told = text(learned(runs))

    assert not [name for name in people if name in told]


@pytest.mark.parametrize("people", [("anna-keller", "anna keller"), ("王芳", "王芳")])
def test_who_is_named_in_a_field_of_persons_is_named_by_no_other(people: tuple[str, str]) -> None:
    runs = []
    for n in range(1, 9):
        rows = [{"ticket_id": f"T-{n}{p}0", "kind": GOODS[p], "owner": people[1]} for p in range(2)]
        sent = [{"ticket_id": f"T-{n}{p}0", "queue": [people[0], "repairs"][p]} for p in range(2)]
        runs.append(
            run(n, ORDER, ("list_tickets", {}, rows), *[("update_ticket", one, {"done": True}) for one in sent])
        )

    told = learned(runs).fields.procedure or ""

    assert "`repairs` where `kind` is `chair`" in told
    assert people[0] not in told


@pytest.mark.parametrize(
    ("order", "is_told"),
    [
        ("Triage all new mails of the shop.", True),
        ("处理新工单", True),
        ("Check Keller, then report.", False),
        ("Anna needs her tickets done.", False),
        ("Work (Anna) tickets", False),
        ("Answer anna.keller now", False),
        ("Work on https://intra.acme.com/q", False),
        ("处理王芳的工单。", False),
    ],
)
def test_an_order_that_may_name_somebody_is_not_told(order: str, is_told: bool) -> None:
    description = learned([round_of(n, opening=order) for n in range(1, 7)]).fields.description

    assert (order.rstrip(".。") in description) is is_told


def test_a_value_of_some_more_than_half_of_such_records_has_no_condition() -> None:
    def value(n: int, place: int) -> str:
        return "repairs" if place < 3 else "accounts"

    assert "repairs" not in conditions(
        lambda n, place: ["private", "business"][place == 5], value, rounds=20, records=6
    )


def test_that_an_argument_is_left_out_has_its_condition() -> None:
    kinds, teams = ["private", "business", "spam"], ["repairs", "accounts", ""]
    told = conditions(lambda n, place: kinds[place % 3], lambda n, place: teams[place % 3], rounds=8, records=6)

    assert told == {"repairs": "private", "accounts": "business", "": "spam"}


def test_the_record_of_a_call_counts_before_those_that_it_names_and_a_refused_call_not_at_all() -> None:
    runs = []
    for n in range(8):
        calls: list[Call] = []
        for place, (kind, team_of) in enumerate([("private", "repairs"), ("business", "accounts")]):
            ticket, customer = {"ticket_id": f"T-{n}{place}0"}, {"customer_id": f"C-{n}{place}0"}
            calls += [("get_ticket", ticket, {**ticket, **customer, "kind": kind})]
            calls += [("get_customer", customer, {**customer, "kind": "known"})]
            calls += [("update_ticket", {**ticket, "team": "sales"}, {"error": "unknown team"})] * 3
            calls += [("update_ticket", {**ticket, "team": team_of}, {"ok": True})]
        runs.append(run(n, ORDER, *calls))

    told = choices(Scope(runs, [], RULES), "update_ticket")["team"]

    assert {one.value: one.states for one in told.conditions} == {"repairs": ["private"], "accounts": ["business"]}


def test_an_order_of_half_of_the_runs_is_not_told() -> None:
    runs = [round_of(n, opening=ORDER if n % 2 else f"Work through the queue of {'ABCDEFGH'[n]}.") for n in range(8)]

    assert "the order is" not in learned(runs).fields.description


def test_an_argument_that_the_user_names_comes_from_there_and_one_that_nobody_names_is_told_by_its_values() -> None:
    def painted(n: int) -> Run:
        color, coat = ("blue", "green")[n % 2], ("matt", "glossy")[n // 2 % 2]
        sent = {"door_id": f"D-{100 + n}", "color": color, "coat": coat}
        return run(n, f"Please paint door D-{100 + n} {color}.", ("paint_door", sent, "painted"), thread=f"case {n}")

    step = steps_of(*(painted(n) for n in range(16)))["paint_door"]

    assert "`color` from the user's request" in step
    assert "`coat` as the record asks for: `matt` or `glossy`" in step
