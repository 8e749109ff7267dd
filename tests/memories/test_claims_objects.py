"""The same sentence of another object is another claim, in English and Chinese, whichever was said first."""

import pytest

from memories.claims import Likeness, claim_of, compare

SAME, REWORDING, OTHER = Likeness.SAME, Likeness.REWORDING, Likeness.OTHER
BY_MAIL = "to new customers in Germany by mail on Fridays"

OF_ANOTHER_OBJECT = [
    ("Never send proposals on Fridays", "Never send invoices on Fridays"),
    ("Never send proposals on Fridays", "Do not send any invoices on a Friday"),
    ("Never send proposals on Fridays", "Avoid sending invoices on Fridays"),
    ("Never send proposals on Fridays", "Invoices must never be sent on Fridays"),
    ("Never send proposals on Fridays", "Send invoices on Fridays"),
    (f"Never send proposals {BY_MAIL}", f"Never send invoices {BY_MAIL}"),
    ("Always CC legal on contracts", "Always CC finance on contracts"),
    ("Send status reports to the board", "Send status emails to the board"),
    ("Please use tables in e-mails", "Please use emoji in e-mails"),
    ("Archive closed tickets every Monday", "Archive closed projects every Monday"),
    ("Run the linter before every commit", "Run the tests before every commit"),
    ("Never share customer passwords with partners", "Never share customer contracts with partners"),
    ("The team reviews invoices before payment", "The team reviews contracts before payment"),
    ("Back up the database daily before midnight", "Back up the wiki daily before midnight"),
    ("Drafts must not be published on the blog", "Photos must not be published on the blog"),
    ("不要在周五发送提案", "不要在周五发送发票"),
    ("不要在周五下午通过邮件向新客户发送提案", "不要在周五下午通过邮件向新客户发送发票"),
    ("每月初由财务部门审核供应商发票", "每月初由财务部门审核供应商合同"),
    ("签署之前请法务部门检查所有合同", "签署之前请法务部门检查所有发票"),
    ("每次提交代码之前运行测试", "每次提交代码之前运行构建"),
    ("发布新版本之前必须备份数据库", "发布新版本之前必须备份配置文件"),
    ("请使用表格展示季度销售数据", "请使用图片展示季度销售数据"),
]
OF_THE_SAME_OBJECT = [
    ("Never send invoices on Fridays", "Invoices must never be sent on Fridays", SAME),
    ("Never send the invoices on Fridays", "Do not ever send any invoices on a Friday", SAME),
    ("Never publish drafts on the blog", "Drafts must not be published on the blog", SAME),
    ("Send the weekly report to Sarah", "Send Sarah the weekly report", SAME),
    ("Never send invoices or proposals on Fridays", "Never send proposals on Fridays", SAME),
    ("Never email proposals on Fridays", "Never send proposals on Fridays", REWORDING),
    ("Keep answers short in support tickets", "Keep answers friendly in support tickets", REWORDING),
    ("Payment terms need approval by finance", "Payment terms require approval by finance", REWORDING),
    ("Customer support answers calls quickly", "Customer support takes calls quickly", REWORDING),
    ("Standup starts at nine in room four", "Standup begins at nine in room four", REWORDING),
    ("不要在周五下午通过邮件向新客户发送提案", "周五下午不要通过邮件向新客户发送提案", SAME),
    ("请在发送发票之前检查金额", "发送发票之前请检查金额", SAME),
]


@pytest.mark.parametrize(("one", "other"), OF_ANOTHER_OBJECT)
def test_what_is_said_of_another_object_is_another_claim(one: str, other: str) -> None:
    a, b = claim_of(one), claim_of(other)
    assert compare(a, b) == compare(b, a) == OTHER, (a, b)
    assert SAME not in (compare(a, b, same_subject=True), compare(b, a, same_subject=True))


@pytest.mark.parametrize(("one", "other", "likeness"), OF_THE_SAME_OBJECT)
def test_what_is_said_of_the_same_object_is_as_alike_as_its_words(one: str, other: str, likeness: Likeness) -> None:
    a, b = claim_of(one), claim_of(other)
    assert compare(a, b) == compare(b, a) == likeness, (a, b)


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("Never send the three weekly paper invoices to Acme", {"send>invoic"}),
        ("Keep replies short", {"keep>repli"}),
        ("Order processing is slow", set()),
        ("Reply in German", set()),
        ("No invoices on Fridays", set()),
        ("每周向客户发送付款提案给经理", {"发送>提案"}),
        ("联系人是张伟", set()),
    ],
)
def test_the_object_is_the_head_of_what_follows_the_verb(text: str, objects: set[str]) -> None:
    found = {hard.removeprefix("object:") for hard in claim_of(text).hard if hard.startswith("object:")}
    assert found == objects
