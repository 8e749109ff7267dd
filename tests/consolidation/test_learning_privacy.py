import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.comparison.vocabulary import Vocabulary
from consolidation.learning.runs.privacy import Holders, safe
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import learned, run, text

WORDS = st.text(alphabet="qwxzjkv", min_size=6, max_size=9)


def ticket(n: int, word: str, outcome: str = "success", thread: str | None = None) -> Run:
    """A run that holds a word everywhere where one can stand."""
    return run(
        n,
        f"please {word} the parcel, {word}",
        ("get_parcel", {"id": f"P{n}0", "note": word}, {"id": f"P{n}0", "note": word, word: word}),
        ("send_parcel", {"id": f"P{n}0", "to": word, "map": {word: word}}, f"Error: {word} is away"),
        f"yes {word}",
        ("send_parcel", {"id": f"P{n}0", "to": word, "map": {word: word}}, f"sent to {word}"),
        outcome="failure" if outcome == "failure" else "success",
        thread=thread,
    )


@settings(max_examples=25, deadline=None)
@given(WORDS)
def test_what_fewer_than_three_runs_hold_never_enters_a_skill(word: str) -> None:
    runs = [ticket(1, word), ticket(2, word), ticket(3, "brumble"), ticket(4, "brumble", "failure")]

    assert word not in text(learned(runs, runs)).lower()


@settings(max_examples=10, deadline=None)
@given(WORDS)
def test_three_runs_of_one_thread_do_not_make_a_word_common(word: str) -> None:
    runs = [ticket(n, word, thread="t") for n in range(4)]

    assert word not in text(learned(runs)).lower()


def test_a_word_of_two_cases_is_no_trigger_and_one_of_three_is() -> None:
    two = [ticket(1, "gift", thread="a"), ticket(2, "gift", thread="a"), ticket(3, "gift", thread="b")]
    others = [run(n, "Where is it?", ("call", {}, "ok")) for n in range(10, 14)]

    assert learned(two, others).fields.trigger == []
    assert "gift" in " ".join(learned([*two, ticket(4, "gift", thread="c")], others).fields.trigger)


def test_a_run_without_a_thread_counts_as_its_own() -> None:
    holders = Holders()
    for recorded in (run(1, "x"), run(2, "x"), run(3, "x")):
        holders.add({"x"}, recorded.thread)

    assert holders.is_common("x")


@pytest.mark.parametrize(
    "value", ["A12", "a@b", "card ****", "[EMAIL]", "<secret>", "• • •", "", "  ", "x" * 81, "a\nb"]
)
def test_ids_addresses_and_masks_are_never_shown(value: str) -> None:
    assert not safe(value)


def test_names_of_people_stay_out_even_when_many_runs_hold_them() -> None:
    def call(n: int) -> Run:
        person = {"first_name": "Sofia", "last_name": "Khan", "city": "Oslo", "tier": "gold"}
        return run(
            n,
            "Hello, this is Sofia and I want a refund for Sofia",
            ("get_user", {"last_name": "Khan"}, person),
            ("refund", {"last_name": "Khan", "tier": "gold"}, "Refund for sofia khan booked"),
        )

    said = text(learned([call(n) for n in range(6)]))

    assert "gold" in said
    assert "refund" in said
    for name in ("sofia", "khan", "oslo"):
        assert name not in said.lower()


def test_a_word_written_with_a_capital_inside_a_sentence_is_a_name() -> None:
    runs = [run(n, "We meet Olga in Lisbon about the invoice. Invoice first", ("pay", {}, "")) for n in range(4)]

    assert Scope(runs, []).names >= {"olga", "lisbon"}
    assert "invoice" not in Scope(runs, []).names


def test_a_field_with_many_values_shows_none_of_them() -> None:
    def fly(n: int) -> Run:
        return run(n, ("fly", {"to": ["AMS", "BER", "CDG", "DUS", "EDI", "FCO", "GVA", "HEL", "IST"][n % 9]}, "ok"))

    runs = [fly(n) for n in range(40)]

    assert "AMS" not in json.dumps(learned(runs).recipe)


def test_older_runs_of_a_pattern_count_beside_those_whose_vocabulary_is_known() -> None:
    runs = [ticket(n, word, thread=f"case-{n % 3}") for n, word in enumerate(["lamp", "lamp", "Rome", "lamp", "chair"])]
    assert not Scope([], runs[:2], other_vocabulary=Vocabulary(runs[:2])).may_quote("lamp")
    assert Scope(runs[2:], runs[:2], other_vocabulary=Vocabulary(runs[:2])).may_quote("lamp")
