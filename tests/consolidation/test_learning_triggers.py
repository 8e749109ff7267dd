"""Which words of a request are triggers: those that cases of other effects say less, and that no template says."""

from consolidation.learning.runs.lines import template_lines
from consolidation.learning.runs.run import Run
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


def both(n: int, words: str) -> Run:
    return run(n, words, ("cancel_order", {}, "ok"), ("return_items", {}, "ok"))


def test_what_fewer_than_half_of_the_requests_say_is_no_trigger_of_a_skill_with_several_effects() -> None:
    runs = [both(n, "I lost my tablet, it is all too much" if n < 3 else "It is all too much") for n in range(7)]
    others = [other(n, "Where is it? It is late") for n in range(20, 60)]

    fields = learned(runs, [*runs, *others]).fields

    assert fields.trigger == []
    assert "Use when asked to cancel an order and return items" in fields.description


def cancelled(n: int, words: str) -> Run:
    return run(n, words, ("cancel_order", {}, "ok"))


def returned(n: int, words: str) -> Run:
    return run(n, words, ("return_items", {}, "ok"))


def test_the_words_of_a_combination_are_those_of_its_effects_and_no_other_wish_that_comes_with_it() -> None:
    runs = [both(n, "I lost the tracking of my tablet, cancel it, money back") for n in range(7)]
    others = [other(n, "Where is it? It is late") for n in range(20, 50)]
    apart = [*(cancelled(n, "Stop it, cancel") for n in range(50, 55)), *(returned(n, "Money") for n in range(55, 60))]

    assert learned(runs, [*runs, *others, *apart]).fields.trigger == ["cancel", "money"]


def test_effects_that_are_only_seen_together_have_the_words_that_half_of_the_requests_share() -> None:
    runs = [both(n, "There is no signal here") for n in range(7)]
    others = [other(n, "Where is it? It is late") for n in range(20, 60)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["signal"]


def test_a_request_goes_on_until_something_is_changed() -> None:
    def asked(n: int, opening: str, wish: str) -> Run:
        return run(n, opening, ("get_order", {}, "x"), wish, ("modify_items", {}, "ok"), "Lovely, the gift is next")

    runs = [asked(n, "Hello" if n else "Change and gift", "Another color, so change it") for n in range(8)]
    others = [other(n, "Change of plan, a gift" if n < 12 else "Where is it?") for n in range(10, 30)]

    assert "change" in learned(runs, [*runs, *others]).fields.trigger
    assert "gift" not in learned(runs, [*runs, *others]).fields.trigger


def test_what_no_request_opens_with_belongs_to_the_conversation_and_is_no_trigger() -> None:
    def asked(n: int) -> Run:
        return run(n, "Cash for it", ("get_order", {}, "x"), "Splendid, onwards", ("refund_order", {}, "ok"))

    others = [other(n, "Where is it? It is late") for n in range(20, 40)]

    assert learned([asked(n) for n in range(8)], others).fields.trigger == ["cash"]


def test_the_value_of_a_record_is_no_trigger() -> None:
    def member(n: int) -> Run:
        level = {"level": "gold" if n < 8 else "silver"}
        return run(n, "I am gold, cash for it", ("get_user", {}, level), ("refund_order", {}, "ok"))

    others = [other(n, "Where is it? It is late") for n in range(20, 40)]

    assert learned([member(n) for n in range(8)], others).fields.trigger == ["cash"]


def test_a_condition_of_the_records_stands_beside_the_wish_never_alone() -> None:
    def cancelled(n: int, status: str, acted: bool) -> Run:
        record = ("get_order", {"order_id": f"a{n}"}, {"order_id": f"a{n}", "status": status})
        return run(n, "Hello there", record, *([("cancel_order", {"order_id": f"a{n}"}, "ok")] if acted else []))

    runs = [cancelled(n, "pending", acted=True) for n in range(8)]
    others = [cancelled(n, "delivered", acted=False) for n in range(10, 22)]

    told = learned(runs, [*runs, *others]).fields.description

    assert "Use when asked to cancel an order and the look-up shows `status` pending." in told


def test_a_description_says_when_the_skill_is_wrong_and_names_no_tool_of_another() -> None:
    def done(n: int, status: str, tool: str) -> Run:
        record = ("get_order", {"order_id": f"a{n}"}, {"order_id": f"a{n}", "status": status})
        return run(n, "Change it for me", record, (tool, {"order_id": f"a{n}"}, "ok"))

    runs = [done(n, "pending", "modify_order") for n in range(8)]
    others = [done(n, "delivered", "exchange_items") for n in range(10, 22)]

    fields = learned(runs, [*runs, *others]).fields

    assert fields.description.endswith("the look-up shows `status` pending. Not for `status` delivered.")
    assert "With `status` delivered `exchange_items` is what ended well (cases: 12)." in fields.experience


def test_of_few_successes_the_requests_of_failed_runs_say_what_was_wished() -> None:
    others = [other(n, "Where is it? It is late") for n in range(20, 40)]
    two = [refund(n, "Cash for it", "success" if n < 2 else "failure") for n in range(6)]
    one = [refund(n, "Cash for it", "success" if n < 1 else "failure") for n in range(6)]

    assert learned(two, [*two, *others]).fields.trigger == ["cash"]
    assert learned(one, [*one, *others]).fields.trigger == []


def test_of_many_successes_the_requests_of_failed_runs_are_not_needed() -> None:
    others = [other(n, "Where is it? It is late") for n in range(30, 60)]
    runs = [refund(n, "Cash" if n < 10 else "Cheque", "success" if n < 10 else "failure") for n in range(14)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["cash"]


def test_a_pair_that_most_cases_of_a_word_say_takes_its_place() -> None:
    runs = [refund(n, "The broken kettle" if n < 6 else "It is broken") for n in range(8)]
    others = [other(n, "Where is it? It is late") for n in range(20, 40)]

    assert learned(runs, [*runs, *others]).fields.trigger == ["broken kettle"]


def test_without_a_word_a_value_on_which_something_was_changed_too_is_no_reason_to_change_nothing() -> None:
    def looked(n: int, plan: str, *change: tuple[str, dict[str, str], str]) -> Run:
        record = ("get_line", {"line_id": f"l{n}"}, {"line_id": f"l{n}", "plan": plan})
        return run(n, "Hello there", record, *change)

    def resumed(n: int, plan: str) -> Run:
        return looked(n, plan, ("resume_line", {"line_id": f"l{n}"}, "ok"))

    idle = [looked(n, "small") for n in range(8)]
    apart = [resumed(n, "large") for n in range(20, 40)]

    assert "`plan` small" in learned(idle, [*idle, *apart]).fields.description
    assert "`plan`" not in learned(idle, [*idle, *apart, resumed(50, "small")]).fields.description
