from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.intake.claims.categories import category_of


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Never send proposals on Fridays", "preference"),
        ("Always CC sarah@acme.com on contracts", "preference"),
        ("Sarah prefers to be called in the morning", "preference"),
        ("Don't use tables in e-mails", "preference"),
        ("Use Slack instead of email", "preference"),
        ("From now on answer in German", "preference"),
        ("请不要在周五发送提案", "preference"),
        ("客户喜欢简短的回复", "preference"),
        ("总是抄送法务", "preference"),
        ("以后请用中文回答我", "preference"),
        ("从今以后发票寄到上海", "preference"),
        ("三天以后请提醒我", "fact"),
        ("以后可能会搬到上海", "fact"),
        ("Acme Corp pays on net-30 terms", "fact"),
        ("Always flag emails from @bigclient.com as urgent", "preference"),
        ("Never send proposals on Fridays — clients don't read them until Monday", "preference"),
        ("After lunch never call Bob", "preference"),
        ("If a customer complains, always apologise", "preference"),
        ("Remember to CC legal", "preference"),
        ("Use bullet points in briefings", "preference"),
        ("Acme Corp pays invoices on net-30 terms", "fact"),
        ("TechCorp's budget cycle resets in January", "fact"),
        ("Because information matters", "fact"),
        ("The contact form is broken", "fact"),
        ("I never received the invoice", "fact"),
        ("I don't know the price", "fact"),
        ("Before 2019 Acme was called Foo", "fact"),
        ("Acme公司总部在上海", "fact"),
        ("这个特别重要", "fact"),
        ("", "fact"),
        ("Sarah at sarah@acme.com is the main contact", "contact"),
        ("Sarah at sarah@acme.com is the main decision-maker at Acme", "contact"),
        ("Bob is the decision-maker at Globex", "contact"),
        ("The main contact at Acme is Sarah", "contact"),
        ("Call Bob on +49 30 1234567", "contact"),
        ("Acme 的联系人是张伟", "contact"),
        ("他的电话是13812345678", "contact"),
        ("After the weekly review run the follow-up tracker", "workflow"),
        ("After weekly review, run the follow-up tracker", "workflow"),
        ("After the weekly review, always run the follow-up tracker", "workflow"),
        ("Before sending a proposal, always ask legal", "workflow"),
        ("Every time a deal closes make sure to notify finance", "workflow"),
        ("每次会议结束后，总是更新跟踪表", "workflow"),
        ("每周回顾之后，务必运行跟进程序", "workflow"),
        ("Once the invoice is paid, archive the ticket", "workflow"),
        ("First draft the email, then ask legal", "workflow"),
        ("完成后通知财务", "workflow"),
        ("先检查日志再重启服务", "workflow"),
        ("Sarah usually replies in the evening", "pattern"),
        ("Acme sends its report every Monday", "pattern"),
        ("客户通常在上午回复", "pattern"),
    ],
)
def test_the_category_of_a_statement(text: str, category: str) -> None:
    assert category_of(text) == category


@given(st.text(max_size=300))
def test_any_text_has_a_category(text: str) -> None:
    assert category_of(text)


@pytest.mark.parametrize(
    "piece",
    ["first ", "after a ", "after a always ", "never ", "先", "当", "a.", "1 ", "+1 ", "a@", "when x, ", "run ", " "],
)
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    start = process_time()
    category_of(piece * 100_000)
    assert process_time() - start < 2
