from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.intake.claims.categories import category_of, is_explicit_statement


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


@pytest.mark.parametrize(
    "text",
    [
        "Remember that Acme pays late",
        "please remember: no attachments",
        "Thanks! And remember to CC legal.",
        "Always answer in English",
        "We always fly business",
        "never call before noon",
        "From now on use Slack.",
        "I prefer tea",
        "I'd prefer a window seat",
        "Don't send me the draft",
        "Great work, but please don’t use emoji",
        "Do not book flights before 9",
        "NEVER DO THIS AGAIN",
        "记住：Acme 付款很慢",
        "以后请用中文回答",
        "不要在周五开会",
        "我更喜欢喝茶",
        "请别用表情",
    ],
)
def test_a_statement_that_asks_to_be_kept(text: str) -> None:
    assert is_explicit_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "Because information matters",
        "Do you remember my name?",
        "Why do you always say that?",
        "Never mind",
        "I never received the invoice",
        "I don't know",
        "We don't have the file",
        "I cannot remember the password",
        "The remembered set is small",
        "Nevertheless it works",
        "Book a flight to Paris",
        "你总是这样吗？",
        "特别好",
        "告诉别人",
        "",
    ],
)
def test_a_message_that_is_only_a_message(text: str) -> None:
    assert not is_explicit_statement(text)


@given(st.text(max_size=300))
def test_any_text_has_a_category(text: str) -> None:
    assert category_of(text)
    assert is_explicit_statement(text) in (True, False)


@pytest.mark.parametrize(
    "piece",
    ["first ", "after a ", "after a always ", "never ", "先", "当", "a.", "1 ", "+1 ", "a@", "when x, ", "run ", " "],
)
def test_a_long_text_takes_no_long_time(piece: str) -> None:
    start = process_time()
    category_of(piece * 100_000)
    is_explicit_statement(piece * 100_000)
    assert process_time() - start < 2
