"""Statements of nearly the same words that say something else are not the same; in another order they may be."""

import pytest

from memories.claims import Likeness, claim_of, compare, fingerprint, sealed
from memories.claims.claim import as_lists, from_lists

SECRET = b"a secret of this installation"
OTHER_CLAIMS = [
    # who does it to whom
    ("Team A reports to Team B", "Team B reports to Team A"),
    ("The billing team reports to the finance team", "The finance team reports to the billing team"),
    ("The parser imports the lexer module", "The lexer imports the parser module"),
    ("Acme was acquired by Globex", "Acme acquired Globex"),
    ("Maria's manager is Sarah", "Sarah's manager is Maria"),
    ("The invoice precedes the delivery", "The delivery precedes the invoice"),
    ("Use Redis for queues and Postgres for locks", "Use Postgres for queues and Redis for locks"),
    ("Ana is on call on Monday, Ben on Tuesday", "Ben is on call on Monday, Ana on Tuesday"),
    ("Ana plans May, Ben plans June, Carl plans July", "Ben plans May, Carl plans June, Ana plans July"),
    ("30 days notice and 60 days probation", "60 days notice and 30 days probation"),
    ("Plan A costs more than plan B", "Plan B costs more than plan A"),
    ("甲方向乙方支付货款", "乙方向甲方支付货款"),
    ("A组向B组汇报进度", "B组向A组汇报进度"),
    ("订单服务调用支付服务", "支付服务调用订单服务"),
    # names in code, paths, channels, amounts
    ("The token carries role_id in its payload", "The token carries user_id in its payload"),
    ("GET /orders is cached for ten minutes", "GET /order_items is cached for ten minutes"),
    ("Logs are written to /var/log/app", "Logs are written to /var/log/app/debug"),
    ("Call getUser before rendering the page", "Call getUsers before rendering the page"),
    ("The package @acme/ui must not be used", "The package @acme/ui-core must not be used"),
    ("Post deploy notes in #deploys", "Post deploy notes in #deploys-eu"),
    ("The flag --force skips all of the checks", "The flag --force-all skips all of the checks"),
    ("Latency stays under 200 ms", "Latency stays under 200 s"),
    ("接口 /api/orders 需要签名", "接口 /api/order_items 需要签名"),
    # one word in place of another
    ("The staging database is backed up to the Oslo bucket", "The live database is backed up to the Oslo bucket"),
    ("Send the report to the whole finance team weekly", "Send the report to the whole sales team weekly"),
    ("北京华创科技有限公司的付款期限是三十天", "北京华信科技有限公司的付款期限是三十天"),
    ("测试环境的数据库每晚备份到对象存储", "生产环境的数据库每晚备份到对象存储"),
    # small words
    ("Customers may pay in advance", "Customers must pay in advance"),
    ("All customers pay late", "Some customers pay late"),
    ("Sarah always replies to customers by phone at night", "Sarah rarely replies to customers by phone at night"),
    ("The main office is in Rome", "The main office was in Rome"),
    ("Copy the nightly files from S3", "Copy the nightly files to S3"),
    ("Customers opt in to newsletters", "Customers opt out of newsletters"),
    ("Turn on the heating in the office at night", "Turn off the heating in the office at night"),
    ("Refund orders of all customers", "Refund orders of all customers except resellers"),
    ("Close old tickets of customers", "Close old tickets of customers unless escalated"),
    ("客户必须预付货款", "客户可以预付货款"),
    ("只有管理员可以删除订单", "管理员可以删除订单"),
    ("Kunden zahlen die Rechnung ohne Abzug", "Kunden zahlen die Rechnung"),
    ("Il cliente non paga in anticipo", "Il cliente paga in anticipo"),
]
SAME_CLAIMS = [
    ("Every Monday Sarah sends the weekly report", "Sarah sends the weekly report every Monday"),
    ("In spring Globex was acquired by Acme", "Acme acquired Globex in spring"),
    ("Passwords must not be shared in chat", "In chat, do not share passwords"),
    ("Maria's manager is Sarah", "Sarah is Maria's manager"),
    ("Ben is on call on Tuesday and Ana on Monday", "Ana is on call on Monday and Ben on Tuesday"),
    ("Approvers are Ana, Ben and Carl", "Approvers are Carl, Ben and Ana"),
    ("The token carries user_id in its payload", "The token carries userId in its payload"),
    ("GET /orders is cached", "GET /orders/ is cached"),
    ("Customers must pay in advance", "Customers should pay in advance"),
    ("订单必须当天发货", "订单务必当天发货"),
]


@pytest.mark.parametrize(("one", "other"), OTHER_CLAIMS)
def test_another_claim_of_nearly_the_same_words(one: str, other: str) -> None:
    assert _likeness(one, other) != Likeness.SAME


@pytest.mark.parametrize(("one", "other"), SAME_CLAIMS)
def test_the_same_claim_in_another_order_or_spelling(one: str, other: str) -> None:
    assert _likeness(one, other) == Likeness.SAME


def _likeness(one: str, other: str) -> Likeness:
    """The same for both directions, for words and for digests as they are stored."""
    a, b = claim_of(one), claim_of(other)
    stored = from_lists(*as_lists(sealed(a, SECRET)))
    assert compare(a, b) == compare(b, a) == compare(stored, sealed(b, SECRET))
    return compare(a, b)


def test_what_was_sealed_before_is_compared_without_the_order_of_words() -> None:
    former = claim_of("The parser imports the lexer module", 5)
    assert compare(former, claim_of("The lexer imports the parser module")) == Likeness.SAME


@pytest.mark.parametrize("text", [text for pair in (*OTHER_CLAIMS, *SAME_CLAIMS) for text in pair])
def test_the_order_of_words_moves_no_fingerprint(text: str) -> None:
    assert fingerprint(claim_of(text), "") == fingerprint(claim_of(text, 5), "")
