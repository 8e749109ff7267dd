"""Skills from Chinese runs: in Chinese, with sources, errors and a readable slug."""

import re

from consolidation.learning.runs.run import Run
from skills.manifest import Fields
from tests.consolidation.recorded import Outcome, Script, learned, run

OPENINGS = (
    "你好，我上周买的键盘按键坏了，我想申请退款。",
    "您好，耳机收到就是坏的，麻烦帮我退款。",
    "我的订单商品有质量问题，要求退款，谢谢。",
    "请问可以退款吗？杯子收到时已经碎了。",
    "衣服尺码不对，而且有破损，我要退款。",
    "显示器有坏点，请给我退款。",
)


def refund(n: int, outcome: Outcome = "success", state: str = "已签收") -> Run:
    order = f"D{n}2024{n}"
    record = {"订单号": order, "状态": state, "支付方式": "支付宝"}
    late: tuple[Script, ...] = (("退款", {"订单号": order, "原因": "质量问题"}, {"状态": "退款中"}),)
    failed: tuple[Script, ...] = (("退款", {"订单号": order, "原因": "质量问题"}, "错误：订单尚未签收，不能退款"),)
    return run(
        n,
        OPENINGS[n % len(OPENINGS)],
        "> 请提供手机号。",
        f"我的手机号是 1380000{n:04}",
        ("查询用户", {"手机号": f"1380000{n:04}"}, {"用户号": f"U{n}77", "订单": [order]}),
        ("查询订单", {"订单号": order}, record),
        "> 确认退款吗？",
        "好的，确认。",
        *(late if outcome == "success" else failed),
        outcome=outcome,
    )


def shipped(n: int) -> Run:
    order = f"D{n}2024{n}"
    record = {"订单号": order, "状态": "待发货", "支付方式": "支付宝"}
    return run(
        n,
        "请问我的快递什么时候发货？能不能改一下收货地址？",
        ("查询订单", {"订单号": order}, record),
        "> 新地址是？",
        "好的，改到公司。",
        ("修改地址", {"订单号": order}, "修改成功"),
    )


def refunds() -> Fields:
    good = [refund(n) for n in range(6)]
    bad = [refund(n, "failure", "运输中") for n in range(10, 12)]
    return learned([*good, *bad], [*good, *bad, *(shipped(n) for n in range(20, 24))]).fields


def test_it_is_called_by_what_it_does_and_has_a_readable_slug() -> None:
    fields = refunds()

    assert (fields.title, fields.name) == ("退款", "tui-kuan")
    assert fields.trigger == ["退款"]  # not the number that the look-up asks for


def test_arguments_have_sources_and_a_yes_is_waited_for() -> None:
    procedure = refunds().procedure

    assert "`订单号` 取自 `查询用户` → `订单[]`" in procedure
    assert "先说明将要做什么并等待用户同意" in procedure
    assert "手机号` 向用户询问" in procedure


def test_an_error_is_told_with_its_text() -> None:
    assert refunds().failure_modes == ["`退款` 返回“订单尚未签收，不能退款”（记录 2 次，成功 0 次）"]


def test_the_record_that_was_acted_on_is_the_condition() -> None:
    fields = refunds()

    assert "`状态` 已签收" in fields.description
    assert "待发货" in fields.description


def test_the_text_is_in_one_language() -> None:
    fields = refunds()
    told = [fields.description, fields.procedure, *fields.experience, *fields.failure_modes, *(fields.tool or [])]

    assert not re.findall(r"[A-Za-z]{3,}", re.sub(r"`[^`]*`", "", " ".join(told)))


def test_the_recipe_for_programs_is_in_the_same_language() -> None:
    good = [refund(n) for n in range(6)]
    steps = [f"{step['step']} {step['validation']}" for step in learned(good, good).recipe]

    assert steps[0].startswith("调用 `查询用户` 返回含")
    assert not re.findall(r"[A-Za-z]{3,}", re.sub(r"`[^`]*`", "", " ".join(steps)))


def test_no_space_stands_between_chinese_sentences() -> None:
    fields = refunds()

    assert "。 " not in fields.description + fields.procedure
