"""Which words of a request are triggers: those that cases of other effects say less, and that no template says."""

from consolidation.learning.boilerplate import template_lines
from consolidation.learning.runs import Run
from tests.consolidation.recorded import learned, run

TEMPLATE = "You are a careful engineer. Answer with a single bash command at a time."


def refund(n: int, words: str, outcome: str = "success") -> Run:
    return run(n, words, ("get_order", {}, "x"), ("refund_order", {}, "ok"), outcome=outcome)  # type: ignore[arg-type]


def other(n: int, words: str) -> Run:
    return run(n, words, ("get_order", {}, "x"), ("ship_parcel", {}, "ok"))


def test_a_word_that_three_of_many_say_by_chance_is_no_trigger() -> None:
    said = ["lamp broken", "kettle broken", "clock broken", "money back soon", "money back now", "money back today"]
    runs = [refund(n, f"My {words}, refund me") for n, words in enumerate(said)]
    others = [other(n, "My parcel is late" + (", broken, about money" if n < 13 else "")) for n in range(10, 22)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["refund"]


def test_words_that_fit_any_request_are_no_triggers_unless_the_tool_is_called_by_them() -> None:
    runs = [refund(n, f"The {kind} of my case, cash") for n, kind in enumerate(["problem"] * 6)]
    others = [other(n, "Where is it? It is late") for n in range(10, 20)]

    fields = learned(runs, [*runs, *others]).fields

    assert fields.trigger == ["cash"]


def test_a_failure_with_the_same_effect_does_not_speak_against_a_word() -> None:
    runs = [refund(n, "It arrived broken", "failure" if n > 5 else "success") for n in range(14)]
    others = [other(n, "Where is it? It is late") for n in range(20, 26)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["arrived broken"]


def test_lines_of_a_template_are_no_triggers_although_long_requests_lose_them() -> None:
    runs = [refund(n, f"Pay me back\n{TEMPLATE}") for n in range(6)]
    others = [other(n, "It is late. " * 300 + f"\n{TEMPLATE}") for n in range(10, 16)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["pay"]


def test_headings_of_long_forms_are_template_lines_and_a_short_wish_said_alike_is_none() -> None:
    form = "\n".join(["Bug summary", "Steps", "Seen", "Wanted", "System", "Version"])
    reports = [run(n, f"{form}\nReport of {'abcdef'[n]} alone", ("ping", {}, "")) for n in range(4)]
    wishes = [run(n, f"Cancel my order\nof {'abcdefghijklmnop'[n]}", ("ping", {}, "")) for n in range(5, 9)]
    rest = [run(n, f"Something of {'abcdefghijklmnopqrstuvwxyz'[n]}", ("ping", {}, "")) for n in range(9, 26)]

    assert template_lines([*reports, *wishes, *rest]) == {
        "bug summary", "steps", "seen", "wanted", "system", "version",
    }  # fmt: skip


def test_the_words_of_a_tool_need_no_proof_and_must_not_be_everywhere() -> None:
    runs = [refund(n, "My order: refund it") for n in range(4)]
    others = [other(n, "My order: refund it or ship it" if n < 11 else "My order: ship it") for n in range(10, 18)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["refund"]
