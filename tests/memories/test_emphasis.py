"""What counts of a question that is a conversation: by its turn and its speaker, in any language."""

import pytest

from memories.models.vector import Serving
from memories.search.emphasis import (
    ASIDE,
    EARLIER_QUESTION,
    EARLIER_STATEMENT,
    LAST,
    LONGEST_READ,
    OTHER_SPEAKERS,
    by_weight,
    embedding_text,
    excerpt,
    weighted_parts,
)
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
    return {one.text: one.weight for one in weighted_parts(text)}


@pytest.mark.parametrize("text", [QUESTION, f"{TALKED} {QUESTION}", f"{TALKED}\n{QUESTION}", f"user: {QUESTION}"])
def test_of_what_is_no_conversation_everything_counts_alike(text: str) -> None:
    assert weighted_parts(text) == []
    assert embedding_text(text) == text


def test_the_last_turn_counts_fully_what_its_speaker_asked_and_said_before_less_others_least() -> None:
    found = weights(
        f"user: I need new rollers. Where did you buy these?\nassistant: {TALKED}\nuser: I see. What does Globex take"
    )
    assert found == {
        "I need new rollers.": EARLIER_STATEMENT,
        "Where did you buy these?": EARLIER_QUESTION,
        TALKED: OTHER_SPEAKERS,
        "I see. What does Globex take": LAST,
    }


@pytest.mark.parametrize(
    ("talk", "question"),
    [
        (TALKED.replace("?", "."), QUESTION),
        ("昨天我们去了公园，天气很好，孩子们玩得很开心。" * 4, "仓库什么时候接收包裹？"),
        ("Wir haben am Wochenende die ganze Garage gestrichen, mit den neuen Rollen." * 4, "Wann nimmt Globex Pakete?"),
        (
            "Мы красили гараж все выходные новыми валиками, соседи принесли лимонад." * 4,
            "Когда склад принимает посылки?",
        ),
    ],
)
def test_of_a_long_last_turn_what_ends_with_a_question_mark_counts_fully_in_any_language(
    talk: str, question: str
) -> None:
    text = f"user: {talk}\nassistant: {talk}\nuser: {talk} {question}\n{talk}"
    assert [one.text for one in weighted_parts(text) if one.weight == LAST] == [question]
    assert {one.weight for one in weighted_parts(text)} == {EARLIER_STATEMENT, OTHER_SPEAKERS, ASIDE, LAST}
    assert embedding_text(text) == question


@pytest.mark.parametrize(
    "sent",
    [
        "name: billing\nport: 80",
        '{\n  "name": "billing",\n  "port": 80\n}',
        "Traceback (most recent call last):\nValueError: invalid literal",
        "try:\n    pay()\nexcept Error:\n    pass",
        "Note: it is urgent\nNote: it is late",
    ],
)
def test_where_roles_speak_a_line_with_a_colon_is_what_they_send(sent: str) -> None:
    asked = f"{QUESTION}\n{sent}"
    assert weights(f"user: Hello\nassistant: Hi\nuser: {asked}") == {
        "Hello": EARLIER_STATEMENT,
        "Hi": OTHER_SPEAKERS,
        asked: LAST,
    }
    assert weights(f"user: Hello\nuser: {asked}") == {"Hello": EARLIER_STATEMENT, asked: LAST}


@pytest.mark.parametrize(
    "listed",
    [
        "Error: connection refused\nError: retry limit",
        "https://a.example/x\nhttps://b.example/y",
        "- name: a\n  port: 1\n- name: b\n  port: 2",
        '{"id": 1,\n"name": "x"},\n{"id": 2,\n"name": "y"}',
    ],
)
def test_a_list_is_no_conversation(listed: str) -> None:
    assert weighted_parts(f"{QUESTION}\n{listed}") == []


def test_names_are_speakers_once_one_of_them_speaks_again() -> None:
    turns = f"Anna: {TALKED}\nBen: That sounds tiring.\n"
    assert weighted_parts(f"{turns}Cleo: {QUESTION}") == []
    found = weights(f"{turns}Anna: {QUESTION}")
    assert (found[QUESTION], found["That sounds tiring."], found["How have you been?"]) == (
        LAST,
        OTHER_SPEAKERS,
        EARLIER_QUESTION,
    )


def test_a_line_without_a_speaker_goes_on_with_the_turn_before_it() -> None:
    found = weights("From the chat of today\nuser: Hello\nthere\nassistant: Yes\nuser: Which rollers\ndo we buy")
    assert found == {
        "From the chat of today": OTHER_SPEAKERS,
        "Hello": EARLIER_STATEMENT,
        "there": EARLIER_STATEMENT,
        "Yes": OTHER_SPEAKERS,
        "Which rollers\ndo we buy": LAST,
    }


@pytest.mark.parametrize("text", ["", "?" * 9_000, f"{TALKED} It was late.", "user: \n" * 90, "：" * 900, "\x00" * 400])
def test_where_nobody_says_anything_everything_counts_alike(text: str) -> None:
    assert by_weight(text) == {}
    assert embedding_text(text) == text


def test_of_a_very_long_text_the_end_is_read_too() -> None:
    text = f"user: Find the price of screws.\nassistant: {'word ' * LONGEST_READ}\nuser: {QUESTION}"
    assert excerpt(text).startswith("user: Find the price")
    assert embedding_text(text) == QUESTION
    assert embedding_text("word " * LONGEST_READ) == excerpt("word " * LONGEST_READ)


def test_of_many_words_those_of_the_greatest_weight_are_kept() -> None:
    talk = {"rarest": OTHER_SPEAKERS, "lengthiest": OTHER_SPEAKERS}
    assert rarest(["common", "rarest", "rare"], [50, 1, 3], 2, talk) == ["rare", "common"]
    assert longest(["word", "lengthiest"], 1, talk) == ["word"]


@pytest.mark.django_db
def test_a_word_counts_as_the_weightiest_part_that_says_it() -> None:
    text = f"user: The parcels of our neighbours came by ship.\nassistant: {TALKED}\nuser: {QUESTION}"
    question = read_question(text, Serving("", None), None, Filter(()))
    counts = dict(zip(question.words, question.weights, strict=True))
    assert (counts["parcel"], counts["ship"], counts["garag"]) == (LAST, EARLIER_STATEMENT, OTHER_SPEAKERS)


@pytest.mark.django_db
def test_the_answer_is_found_among_what_the_talk_is_about() -> None:
    for sentence in TALKED.split(". "):
        known(sentence)
    known("Globex: the warehouse is open for parcels from seven to nine")
    found = find(f"user: {TALKED}\nuser: {QUESTION}", limit=1)
    assert said(found) == ["Globex: the warehouse is open for parcels from seven to nine"]
