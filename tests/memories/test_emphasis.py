"""What counts of a long question: what is asked, more than the talk around it."""

import pytest

from memories.models.vector import Serving
from memories.search.emphasis import ASKED, LONGEST_READ, NEAR, TALK, asked, bounded, by_weight, weighted
from memories.search.lexemes import longest, rarest
from memories.search.question import read_question
from memories.values.conditions import Filter
from tests.memories.searched import find, known, said

TALKED = (
    "We painted the whole garage last weekend, it took us three days with the new rollers. The neighbours brought"
    " sandwiches and lemonade for everybody. How have you been? The weather was wonderful as well, and my brother"
    " repaired the old bicycle of our grandfather with parts from a flea market in Utrecht."
)
QUESTION = "When does the warehouse of Globex accept parcels?"


def weights(text: str) -> dict[str, float]:
    return {one.text: one.weight for one in weighted(text)}


def test_in_a_short_question_everything_counts_alike() -> None:
    assert weighted(f"user: We painted the garage.\nuser: {QUESTION}") == []
    assert asked(QUESTION) == QUESTION


def test_what_the_last_turn_asks_counts_fully_its_rest_and_earlier_questions_half_talk_a_fifth() -> None:
    found = weights(f"user: Where did you buy these rollers?\nassistant: {TALKED}\nuser: I am in a hurry. {QUESTION}")
    assert found[QUESTION] == ASKED
    assert found["I am in a hurry."] == found["Where did you buy these rollers?"] == NEAR
    assert {weight for text, weight in found.items() if text in TALKED} == {TALK}


def test_where_the_last_turn_asks_nothing_what_was_asked_before_counts_fully() -> None:
    found = weights(f"user: {QUESTION}\nassistant: {TALKED}\nuser: Thank you so much for that.")
    assert (found[QUESTION], found["Thank you so much for that."]) == (ASKED, NEAR)


@pytest.mark.parametrize("sentence", [QUESTION, "Please find out what Globex pays us.", "Could you tell me the price"])
def test_a_question_is_known_by_its_mark_or_its_first_words(sentence: str) -> None:
    found = weights(f"user: {TALKED}\nassistant: I see.\nuser: {sentence}")
    assert found.pop(sentence) == ASKED
    assert set(found.values()) == {TALK}


def test_in_a_text_without_turns_everything_counts_alike() -> None:
    listed = "Order: 17\nName: Anna Berg\nAddress: 5 Mill Lane"
    assert weighted(f"{TALKED} Can you help me with that?\n{listed}") == []


def test_names_are_speakers_once_one_of_them_speaks_again() -> None:
    turns = f"Anna: {TALKED}\nBen: That sounds tiring.\n"
    assert weighted(f"{turns}Cleo: {QUESTION}") == []
    assert weights(f"{turns}Anna: {QUESTION}")[QUESTION] == ASKED


@pytest.mark.parametrize("text", ["", "?" * 9_000, f"{TALKED} It was late.", "user: \n" * 90, "：" * 900, "\x00" * 400])
def test_where_nothing_asks_everything_counts_alike(text: str) -> None:
    assert by_weight(text) == {}
    assert asked(text) == text


def test_a_chinese_question_counts_more_than_the_talk_around_it() -> None:
    talk = "昨天我们去了公园，天气很好，孩子们玩得很开心。" * 3
    found = weights(f"user: {talk}\nassistant: 听起来不错。\nuser: 仓库什么时候接收包裹？")
    assert found["仓库什么时候接收包裹？"] == ASKED
    assert found["听起来不错。"] == TALK


def test_of_a_very_long_text_the_end_is_read_too() -> None:
    text = f"user: Find the price of screws.\nassistant: {'word ' * LONGEST_READ}\nuser: {QUESTION}"
    assert bounded(text).startswith("user: Find the price")
    assert asked(text) == QUESTION


def test_of_many_words_those_of_the_greatest_weight_are_kept() -> None:
    talk = {"rarest": TALK, "lengthiest": TALK}
    assert rarest(["common", "rarest", "rare"], [50, 1, 3], 2, talk) == ["rare", "common"]
    assert longest(["word", "lengthiest"], 1, talk) == ["word"]


@pytest.mark.django_db
def test_a_word_counts_as_the_weightiest_sentence_that_says_it() -> None:
    text = f"user: The parcels of our neighbours came by ship.\nassistant: {TALKED}\nuser: {QUESTION}"
    question = read_question(text, Serving("", None), None, Filter(()))
    counts = dict(zip(question.words, question.weights, strict=True))
    assert (counts["parcel"], counts["ship"]) == (ASKED, TALK)


@pytest.mark.django_db
def test_the_answer_is_found_among_what_the_talk_is_about() -> None:
    for sentence in TALKED.split(". "):
        known(sentence)
    known("Globex: the warehouse is open for parcels from seven to nine")
    found = find(f"user: {TALKED}\nuser: {QUESTION}", limit=1)
    assert said(found) == ["Globex: the warehouse is open for parcels from seven to nine"]
