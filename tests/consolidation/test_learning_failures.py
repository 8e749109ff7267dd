import pytest

from consolidation.learning.comparison.scope import Scope
from consolidation.learning.writing.templates import template
from tests.consolidation.recorded import learned, run


@pytest.mark.parametrize(
    ("message", "shape"),
    [
        ("Error: order A100 not found", "order {id} not found"),
        ("total is 4875, but paid 1,625.50", "total is {number}, but … {number}"),
        ('file "/tmp/x y" does not exist', "file {text} does not exist"),
        ("internal/pay/pay.go:12:5: undefined: …", "undefined: …"),
        ("no access for bob@example.org since 2024-05-01", "no access for {email} since {date}"),
        ("user zanzibar not found", "user … not found"),
        ("Zoe", ""),
        ("Fehler: Höchstens 4 Wochen erlaubt", "Höchstens {number} Wochen erlaubt"),
        ("Exemplar EX7103 nicht gefunden", "Exemplar {id} nicht gefunden"),
        ("Erreur : technicien Dupont inconnu", "technicien … inconnu"),
        ("Cliente cliente_9900 no encontrado", "Cliente {id} no encontrado"),
        ("找不到订单12345", "找不到订单{number}"),
        ("找不到支付号", "找不到支付号"),
        ("快递单号不能为空", "快递单号不能为空"),
        ("订单A100不存在", "订单{id}不存在"),
        ("订单在2024-05-01不存在", "订单在{date}不存在"),
        ("文件/tmp/a.txt不存在", "文件{path}不存在"),
        ("文件a.txt不存在", "文件{path}不存在"),
        ("不存在bob@example.org", "不存在{email}"),
    ],
)
def test_a_message_keeps_its_shape_and_loses_its_values(message: str, shape: str) -> None:
    assert template(Scope([], []), message).replace("since", "…") == shape.replace("since", "…")


def test_equal_errors_count_once_per_run_and_say_how_it_went_on() -> None:
    def pay(n: int, good: bool) -> object:
        return run(
            n,
            ("get_card", {}, {"card": "x"}),
            ("pay", {"card": f"c{n}"}, f"Error: card c{n} expired"),
            ("pay", {"card": f"c{n}"}, f"Error: card c{n} expired"),
            "use the other one",
            ("pay", {"card": f"d{n}"}, "ok" if good else "Error: card expired"),
            outcome="success" if good else "failure",
        )

    competence = learned([pay(1, True), pay(2, True), pay(3, False)])  # type: ignore[list-item]

    assert competence.failure_modes[0] == {"tool": "pay", "error": "card {id} expired", "runs": 3, "recovered": 2}
    assert competence.fields.failure_modes[0] == "`pay` returned “card {id} expired” (runs: 3, ended well: 2)"
    assert competence.fallbacks[0]["next"] == [{"did": "tried the same call again", "runs": 2}]


def test_the_values_that_a_tool_accepts_stay_and_what_it_was_sent_does_not() -> None:
    def pay(n: int) -> object:
        wrong = "Error: method 'wire' is not known, use 'cash' or 'voucher' (customer 'Zoe')"
        return run(n, ("pay", {"method": "wire"}, wrong), ("pay", {"method": "cash"}, "ok"))

    fields = learned([pay(n) for n in range(3)]).fields  # type: ignore[misc]

    text = "method {text} is not known, use 'cash' or 'voucher' (customer {text})"
    assert fields.failure_modes == [f"`pay` returned “{text}” (runs: 3, ended well: 3)"]


def test_a_fallback_says_what_was_changed_after_the_error() -> None:
    def fix(n: int) -> object:
        return run(
            n,
            ("build", {"target": f"a{n}"}, "Error: target not found"),
            "try the other",
            ("build", {"target": f"b{n}"}, "ok"),
        )

    fields = learned([fix(n) for n in range(3)]).fields  # type: ignore[misc]

    assert fields.fallbacks == [
        "After “target not found” from `build`: asked the user, then tried again with another `target` "
        "(3 of 3 runs that ended well)"
    ]


def test_that_no_tool_announced_a_failure_helps_nobody_and_is_not_said() -> None:
    good = [run(n, ("get", {}, "x"), ("close_case", {}, "ok")) for n in range(2)]
    bad = [run(n, ("get", {}, "x"), ("close_case", {}, "ok"), outcome="failure") for n in range(10, 13)]

    assert learned([*good, *bad]).fields.experience == []


def test_an_error_is_a_trigger_too() -> None:
    runs = [run(n, ("go_test", {}, "Error: timeout exceeded"), ("go_test", {}, "ok")) for n in range(3)]

    assert learned(runs).triggers == [
        {"signal": "timeout exceeded", "conditions": {"in": "error", "tool": "go_test", "runs": 3}}
    ]
