import pytest

from consolidation.learning.runs.run import Run
from consolidation.learning.runs.terms import grams, stem
from tests.consolidation.recorded import learned, run


@pytest.mark.parametrize(
    "family",
    [
        ["cancel", "cancels", "cancelled", "canceling", "cancelling", "cancellation"],
        ["refund", "refunded", "refunds", "refunding"],
        ["delay", "delayed", "delays"],
        ["upgrade", "upgrades", "upgraded", "upgrading"],
    ],
)
def test_forms_of_one_word_are_one_term(family: list[str]) -> None:
    assert len({stem(word) for word in family}) == 1


def test_terms_are_words_and_pairs_that_belong_together() -> None:
    assert sorted(grams("Please cancel my flight or change of plan!").values()) == [
        "cancel",
        "cancel flight",
        "change",
        "change of plan",
        "flight",
        "plan",
    ]


def test_ids_addresses_and_marks_of_the_recording_are_no_terms() -> None:
    noisy = "refund ###STOP### <|im_end|> W12345 a@b.example user_khan (mail me at x.y@z.org) [DONE]"

    assert sorted(grams(noisy).values()) == ["mail", "refund"]


def test_grammar_and_politeness_are_no_terms() -> None:
    assert grams("Hi there, could you please help me? Thank you, I'd like that.") == {}


def test_chinese_needs_no_spaces() -> None:
    found = grams("你好，我想取消订单")

    assert "取消订单" in found
    assert "我想" not in found


def refund(n: int, words: str) -> Run:
    return run(n, words, ("get_order", {}, ""), ("refund_order", {}, ""))


def other(n: int, words: str) -> Run:
    return run(n, words, ("get_order", {}, ""), ("ship_order", {}, ""))


def test_triggers_tell_these_requests_from_the_others() -> None:
    runs = [refund(n, "The parcel arrived broken, refund please") for n in range(4)]
    others = [other(n, "When will the parcel be shipped?") for n in range(10, 18)]

    fields = learned(runs, [*runs, *others]).fields

    assert "refund" in fields.trigger
    assert "parcel" not in fields.trigger
    assert "Use when a request mentions" in fields.description


def test_triggers_of_chinese_requests_read_as_chinese() -> None:
    runs = [refund(n, "你好，键盘坏了，我想退款") for n in range(4)]
    others = [other(n, "请问什么时候发货？") for n in range(10, 18)]

    assert "退款" in learned(runs, [*runs, *others]).fields.trigger


def test_every_trigger_says_how_often_it_was_seen() -> None:
    runs = [refund(n, "refund this") for n in range(3)]
    others = [other(n, "ship this") for n in range(10, 14)]

    assert learned(runs, others).triggers == [
        {"signal": "refund", "conditions": {"in": "request", "runs": 3, "other_runs": 0}}
    ]


def test_runs_without_a_word_from_a_user_have_no_trigger_and_still_a_use() -> None:
    runs = [run(n, ("go_build", {}, ""), ("go_test", {}, "ok")) for n in range(2)]

    fields = learned(runs).fields

    assert fields.trigger == []
    assert fields.description == ("Run go build and go test. Use when asked to run go build and go test.")
