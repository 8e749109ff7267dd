from consolidation.learning.comparison.scope import Scope, ordered
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.phrases import Phrases
from consolidation.learning.writing.recipe import stages
from tests.consolidation.recorded import Script, learned, run


def scope_of(*scripts: tuple[Script, ...]) -> Scope:
    return Scope(ordered([run(n, *script) for n, script in enumerate(scripts)]), [])


EN = Phrases("en")
READ: Script = ("read_file", {"path": "a"}, "x")
EDIT: Script = ("edit_file", {"path": "a"}, "ok")
TEST: Script = ("go_test", {}, "ok")


def test_steps_stand_in_the_order_of_their_mean_rank_of_first_use() -> None:
    found = stages(scope_of((READ, EDIT, TEST), (READ, EDIT, TEST, EDIT), (EDIT, READ, TEST)), EN)

    assert [stage.tool for stage in found] == ["read", "edit", "go_test"]


def test_what_had_to_be_done_after_a_failed_call_stands_before_the_call_that_worked() -> None:
    locked: Script = ("move_booking", {"booking": "B1"}, {"error": "booking is locked"})
    unlock: Script = ("unlock_booking", {"booking": "B1"}, "ok")
    move: Script = ("move_booking", {"booking": "B1"}, "moved")
    found = stages(scope_of(*[(READ, locked, unlock, move)] * 3), EN)

    assert [stage.tool for stage in found] == ["read", "unlock_booking", "move_booking"]


def test_what_fewer_than_half_do_is_optional_and_below_a_fifth_left_out() -> None:
    approve: Script = ("approve", {}, "")
    once: Script = ("deploy", {}, "")
    found = stages(scope_of(*[(READ, approve, EDIT)] * 2, (READ, once, EDIT), *[(READ, EDIT)] * 3), EN)

    assert [(stage.tool, stage.optional) for stage in found] == [
        ("read", False),
        ("approve", True),
        ("edit", False),
    ]
    assert found[1].share == 2 / 6


def test_an_optional_step_stands_where_it_mostly_happened() -> None:
    check: Script = ("review", {}, "")
    found = stages(scope_of(*[(READ, EDIT, check, TEST)] * 2, *[(EDIT, TEST)] * 3, (TEST, EDIT)), EN)

    assert [stage.tool for stage in found].index("review") < [stage.tool for stage in found].index("go_test")


def test_failures_do_not_shape_the_recipe() -> None:
    runs = [run(1, READ, EDIT), run(2, READ, EDIT), run(3, READ, ("drop_table", {}, ""), outcome="failure")]

    assert "drop_table" not in [step["tool"] for step in learned(runs).recipe]


def test_a_schema_says_types_and_what_was_always_there() -> None:
    calls: list[Script] = [
        ("pay", {"amount": 3, "to": {"iban": "x"}, "lines": [{"sku": "a"}]}, "ok"),
        ("pay", {"amount": 3.5, "to": {"iban": "y"}, "note": "hi", "lines": []}, "ok"),
        ("pay", {"amount": 4, "to": {"iban": "z"}, "lines": [{"sku": "b"}]}, "ok"),
    ]
    schema = stages(scope_of(*[(call,) for call in calls]), EN)[0].args_schema

    assert schema["required"] == ["amount", "lines", "to"]
    assert schema["properties"]["amount"] == {"type": ["integer", "number"]}
    assert schema["properties"]["to"]["properties"] == {"iban": {"type": "string"}}
    assert schema["properties"]["lines"]["items"]["type"] == "object"


def test_examples_are_the_few_words_that_a_field_takes() -> None:
    def book(n: int) -> Run:
        return run(n, ("book", {"cabin": ["economy", "business"][n % 2], "city": f"Town {'abcdefghi'[n]}"}, "ok"))

    schema = learned([book(n) for n in range(8)]).recipe[0]["args_schema"]

    assert schema["properties"]["cabin"]["examples"] == ["economy", "business"]
    assert "examples" not in schema["properties"]["city"]


def test_repetition_names_the_argument_that_changes() -> None:
    def over(n: int) -> Run:
        each: list[Script] = [("get_order", {"order": f"O{n}{k}", "full": True}, {"id": k}) for k in range(n)]
        return run(n, *each, ("close_ticket", {"id": n}, "closed"))

    procedure = learned([over(2), over(3), over(5)]).fields.procedure

    assert "`get_order`, once per `order` (usually 3, up to 5 times)." in procedure


def test_success_looks_like_the_state_that_the_call_brought() -> None:
    def cancel(n: int) -> Run:
        before = {"id": f"A{n}", "status": "pending", "kind": "parcel"}
        return run(
            n,
            ("get_order", {"id": f"A{n}"}, before),
            ("cancel_order", {"id": f"A{n}"}, before | {"status": "cancelled"}),
        )

    step = learned([cancel(n) for n in range(3)]).recipe[1]

    assert step["validation"] == "it returns an object with `status` cancelled"


def test_success_looks_like_the_text_that_came_back() -> None:
    runs = [run(n, ("send_mail", {}, f"Mail {n}77 was sent")) for n in range(3)]

    assert learned(runs).recipe[0]["validation"] == "it returns “Mail {number} was sent”"


def test_ignored_tools_are_no_steps() -> None:
    runs = [run(n, ("think", {}, ""), EDIT) for n in range(2)]

    assert [step["tool"] for step in learned(runs, rules=ToolRules(ignored=frozenset({"think"}))).recipe] == ["edit"]


def test_what_every_run_clicks_stands_in_the_order_of_the_clicks() -> None:
    clicks: list[Script] = [
        ("browser_click", {"selector": f"#{name}"}, "ok") for name in ("signin", "plate-ok", "renew")
    ]
    open_page: Script = ("browser_goto", {"url": "https://city.example"}, "Page")
    competence = learned([run(n, "renew the permit", open_page, *clicks, thread=f"case {n}") for n in range(9)])

    assert competence.fields.title == "Click"
    assert "once per `selector` (3 times): `#signin`, `#plate-ok`, `#renew`." in competence.fields.procedure


def test_a_small_number_that_all_runs_sent_is_shown_and_one_that_differs_or_may_tell_of_somebody_is_not() -> None:
    runs = [
        run(
            n,
            "raise it",
            ("set_quota", {"gb": 100, "days": n + 1, "phone": 110, "room": 4711}, "ok"),
            thread=f"case {n}",
        )
        for n in range(4)
    ]
    (step,) = learned(runs).recipe
    shown = {name: schema.get("examples") for name, schema in step["args_schema"]["properties"].items()}
    assert shown == {"gb": [100], "days": None, "phone": None, "room": None}
    (alone,) = learned(runs[:1]).recipe
    assert "100" not in str(alone)
