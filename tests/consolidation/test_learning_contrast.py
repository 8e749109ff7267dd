from consolidation.learning.runs.run import Run
from memories.values.chance import by_chance
from tests.consolidation.recorded import Outcome, learned, run

ASK = "I want my subscription cancelled and refunded"


def looked(n: int, plan: str, outcome: Outcome = "success") -> Run:
    return run(n, ASK, ("get_plan", {"id": f"S{n}"}, {"id": f"S{n}", "plan": plan}), outcome=outcome)


def cancelled(n: int, plan: str, outcome: Outcome, said: str = "Yes, go ahead") -> Run:
    record = {"id": f"S{n}", "plan": plan}
    steps = (("get_plan", {"id": f"S{n}"}, record), "> Shall I?", said, ("cancel_plan", {"id": f"S{n}"}, "done"))
    return run(n, ASK, *steps, outcome=outcome)


def test_a_skill_that_only_looks_says_where_similar_runs_went_wrong() -> None:
    good = [looked(n, "trial") for n in range(5)]
    bad = [cancelled(n, "trial", "failure") for n in range(10, 14)]
    fields = learned(good, [*good, *bad]).fields

    assert fields.title == "Answer without changing anything"
    assert "Answer from what came back and change nothing." in fields.procedure
    assert fields.experience[0] == (
        "`cancel_plan` was called in 4 of 4 similar runs that failed and in 0 of 5 that ended well."
    )
    assert fields.experience[1] == "0 of 4 other runs with similar requests ended well: 0 of 4 with `cancel_plan`."


def test_what_is_said_of_similar_runs_adds_up() -> None:
    good = [looked(n, "trial") for n in range(5)]
    verbs = ["move", "pause", "swap", "cancel"]
    ways = [run(10 + n, ASK, (f"{verb}_plan", {}, "done")) for n, verb in enumerate(2 * verbs)]

    def said(*more: Run) -> str:
        return next(line for line in learned(good, [*good, *ways, *more]).fields.experience if "similar" in line)

    extra = [run(20 + n, ASK, (f"{verb}_plan", {}, "done")) for n, verb in enumerate(("split", "extend"))]
    assert said().endswith(" and 2 of 2 with `swap_plan`.")
    assert said(extra[0]).endswith(" and one case in another way (it did).")
    assert said(*extra).endswith(" and 2 of 2 in other ways.")


def test_requests_about_something_else_are_no_contrast() -> None:
    good = [looked(n, "trial") for n in range(5)]
    bad = [run(n, "Where is my parcel?", ("cancel_plan", {}, ""), outcome="failure") for n in range(10, 14)]

    assert learned(good, [*good, *bad]).contrast["similar"] == 0


def test_what_the_record_showed_tells_when_the_skill_fits() -> None:
    good = [looked(n, "trial") for n in range(5)]
    bad = [cancelled(n, "yearly", "success") for n in range(10, 16)]
    competence = learned(good, [*good, *bad])

    assert "`get_plan` showed `plan` trial in 5 of 5 runs that ended well and in 0 of 6 others." in (
        competence.fields.experience
    )
    assert "Use when the look-up shows `plan` trial." in competence.fields.description


def test_what_the_record_showed_everywhere_tells_nothing() -> None:
    good = [looked(n, "trial") for n in range(5)]
    bad = [cancelled(n, "trial", "success") for n in range(10, 16)]

    assert learned(good, [*good, *bad]).contrast["signs"] == []


def test_failures_of_the_same_pattern_are_told_apart_by_the_record_they_acted_on() -> None:
    good = [cancelled(n, "monthly", "success") for n in range(6)]
    bad = [cancelled(n, "yearly", "failure") for n in range(10, 16)]

    assert (
        "`cancel_plan` was called for a record with `plan` yearly in 6 of 6 runs that failed and in 0 of 6 that ended "
        "well." in learned([*good, *bad]).fields.experience
    )


def test_a_go_ahead_before_a_change_becomes_a_step() -> None:
    runs = [cancelled(n, "monthly", "success") for n in range(3)]

    assert (
        "Say what will be done and wait for a yes: in 3 of 3 runs that ended well the user agreed right before "
        "`cancel_plan`." in learned(runs).fields.procedure
    )


def test_without_a_go_ahead_there_is_no_such_step() -> None:
    runs = [cancelled(n, "monthly", "success", said="No, I mean the other one, sure") for n in range(3)]

    assert "wait for a yes" not in learned(runs).fields.procedure


def test_chinese_go_aheads_count() -> None:
    runs = [cancelled(n, "monthly", "success", said="好的，请继续") for n in range(3)]

    assert "wait for a yes" in learned(runs).fields.procedure


def test_the_chance_of_a_split_is_fishers() -> None:
    assert round(by_chance(3, 4, 1, 4), 4) == 0.2429
    assert by_chance(0, 0, 2, 3) == 1.0
