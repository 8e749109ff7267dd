"""Which of the learned skills a question selects, and how sure that is."""

from datetime import timedelta
from typing import Any

import pytest

from memories import search
from memories.models import Memory, Performance
from memories.search import SearchResults
from memories.values.choices import Type
from memories.values.trust import everything
from tests.consolidation.experience import NOON, competence, consolidated, messages, run
from tests.make import ANNA
from tests.memories.searched import known
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
BUILD = "go_build+go_test+lint"
LEARNED = (
    (["go_test", "go_build", "lint"], "build it and run the tests"),
    (["cancel_reservation"], "cancel my flight to Boston please"),
    (["send_certificate"], "my flight was late, I want a certificate"),
    (["update_reservation_baggages"], "add two bags to my trip"),
)


def select(query: str, **asked: Any) -> SearchResults:
    body = {"query": query, "types": ["competence"], "include_candidates": True, **asked}
    return search.find(search.check(body), trust=everything(ANNA), at=NOON + timedelta(days=1))


@pytest.mark.parametrize(
    ("question", "signature"),
    [
        ("run go build, go test and lint", BUILD),
        ("build and test the go code", BUILD),
        ("please cancel the flight of this customer", "cancel_reservation"),
        ("send the customer a certificate", "send_certificate"),
        ("Write a haiku about the sea", None),
    ],
)
def test_the_skill_that_fits_is_selected_surely_and_none_where_none_fits(question: str, signature: str | None) -> None:
    for tools, opening in LEARNED:
        for number in range(3):
            told = messages(tools, opening=opening)
            run(tools, minutes=number, messages=told, thread_id=f"{tools[0]}-{number}")
    consolidated()
    found = select(question).selection
    assert found is not None
    assert found.selected == ([competence(signature).pk] if signature else [])
    assert found.needs_more is (signature is None)


def skill(content: str, successes: int = 0, failures: int = 0, **facts: Any) -> Memory:
    plain = {"type": Type.COMPETENCE, "confidence": 80, "created_at": NOON, "reinforced_at": None}
    memory = known(content, **{**plain, **facts})
    Performance.objects.create(memory=memory, successes=successes, failures=failures)
    return memory


def test_two_of_two_are_less_sure_than_ninety_of_a_hundred() -> None:
    lucky = skill("Refund a parcel that arrived broken", successes=2)
    proven = skill("Refund a parcel that arrived broken!", successes=90, failures=10)
    found = select("refund the parcel that arrived broken").selection
    assert found is not None
    assert found.selected == [proven.pk, lucky.pk]


def test_what_was_just_created_is_as_recent_as_what_was_just_reinforced() -> None:
    created = skill("Refund a parcel that arrived broken")
    reinforced = skill("Refund a parcel that arrived broken!", reinforced_at=NOON)
    found = select("refund the parcel that arrived broken").selection
    assert found is not None
    assert found.scores[created.pk] == pytest.approx(found.scores[reinforced.pk], abs=0.01)


def test_what_is_much_less_relevant_takes_no_part() -> None:
    fitting = skill("Refund a parcel that arrived broken", successes=1)
    skill("Track a parcel", successes=90)
    found = select("refund the parcel that arrived broken")
    assert found.selection is not None
    assert len(found.results) == 2
    assert found.selection.selected == [fitting.pk]


def test_how_sure_is_sure_enough_a_request_may_say() -> None:
    skill("Refund a parcel that arrived broken", successes=9)
    sure = [select("refund the broken parcel", selection_confidence_threshold=share).selection for share in (0.0, 1.0)]
    assert [found.needs_more for found in sure if found] == [False, True]


WISH = (
    "Hello there, my sister's wedding was moved by a week, so I am not going to sit in that plane on Friday after all"
)
OTHER_WISH = (
    "Good evening, somebody put my suitcase on another belt and it took you five hours to hand it over, what now?"
)


@shared_rows
def wishes() -> None:
    """Two requests, of which neither shares a word with the skill that is right."""
    for number in range(4):
        for tool, opening in (("cancel_reservation", WISH), ("send_certificate", OTHER_WISH)):
            told = messages([tool], opening=opening)
            run([tool], minutes=number, messages=told, thread_id=f"{tool}-{number}")
    consolidated()


def test_what_runs_with_such_a_wish_did_comes_first_and_is_selected(wishes: None) -> None:
    found = select("Good evening, my suitcase was put on another belt, five hours to hand it over")
    right = competence("send_certificate").pk
    assert (found.results[0].memory.pk, found.results[0].vote) == (right, 1.0)
    assert found.selection is not None and found.selection.selected == [right]


def test_a_skill_that_is_named_is_found_by_its_words_whatever_runs_say(wishes: None) -> None:
    other = competence("send_certificate")
    told = messages(["cancel_reservation"], opening=other.content)
    for number in range(9):
        run([], messages=told, thread_id=f"named-{number}")
    consolidated(at=NOON + timedelta(hours=2))
    assert select(other.content).results[0].memory.pk == other.pk


def test_runs_are_not_asked_where_other_things_are_searched_too_or_of_then(wishes: None) -> None:
    for asked in ({"types": ["competence", "semantic"]}, {"as_of": (NOON + timedelta(hours=2)).isoformat()}):
        assert all(one.vote is None for one in select(WISH, **asked).results)
    assert any(one.vote == 1.0 for one in select(WISH).results)


def test_runs_that_the_caller_may_not_see_say_nothing(wishes: None) -> None:
    body = {"query": WISH, "types": ["competence"], "include_candidates": True, "max_sensitivity": "public"}
    found = search.find(search.check(body), trust=everything(ANNA), at=NOON + timedelta(days=1))
    assert found.results == []
