"""Whether what a model read in a conversation was said there, of this subject, by somebody who can know it."""

from uuid import uuid4

import pytest

from consolidation.extraction import grounding
from consolidation.extraction.predicate_grounding import (
    DENIED,
    PREDICATE,
    TURNED,
    is_denied,
    is_passing,
    is_said,
    is_turned,
)
from consolidation.extraction.transcripts import Passage, Transcript
from tests.make import AT


def conversation(*said: str) -> Transcript:
    """Passages of "user: ...", "agent: ..." or "tool: ...", in order."""
    passages = []
    for position, line in enumerate(said, start=1):
        speaker, _, text = line.partition(": ")
        passages.append(Passage(uuid4(), AT, position, speaker, text, speaker in ("user", "tool")))
    return Transcript(tuple(passages), messages=len(said))


def fault(of: Transcript, subject: str, predicate: str, object: str, quote: str) -> str:
    passage = of.proof(quote)
    assert passage is not None
    return grounding.fault(subject, predicate, object, quote, passage, of)


FRIENDS = conversation(
    "user: Hey Nora! I work at the bakery on Mill Street now, and I bake rye bread.",
    "agent: Hi Victor, that sounds great. I am allergic to peanuts, so no satay for me.",
    "user: Sorry, Nora, I forgot. Ada sends you love. My sister Ada prefers green tea. I don't eat meat any more.",
)
SHOP = conversation(
    "user: Jonas Berg here from Nordlys Bakery. Our invoice is wrong. Please send invoices as PDF only.",
    "agent: Of course.",
    'tool: {"id": "C-77", "name": "Nordlys Bakery", "terms": "net-45", "city": "Bergen"}',
    "user: I am vegetarian and I would rather sit at the aisle. Acme Corp pays within 30 days.",
)
LINES = conversation(
    "user: Tim: I like breaking up my studying into smaller parts.",
    "user: Tim: And I take breaks.",
    "user: I prefer tea.",
    "agent: I do.",
)
RULES = conversation(
    "user: I'm Dana Weiss from Hollis Freight. Staging is wiped every Monday at 6.",
    "user: Note: I review pull requests on Fridays. We stay on Python 3.11 until March.",
    "user: My assistant Tom Berg may approve refunds. The depot closes at 14:00.",
    "tool: Added: the stock keeper.\nFixed: the export.",
)
CHINESE = conversation(
    "user: 你好，我是王芳，我在晨光面包店工作。",
    "agent: 你好，王芳。",
    "user: 我喜欢靠窗的座位，我的妹妹李梅住在杭州。",
    "user: 深圳的酒店每晚不能超过600元，超过要李伟先批准，坐A320的航班也一样。",
)


@pytest.mark.parametrize(
    ("of", "fact", "quote"),
    [
        (FRIENDS, ("Victor", "works at", "the bakery on Mill Street"), "I work at the bakery on Mill Street now"),
        (FRIENDS, ("the user", "bakes", "rye bread"), "I bake rye bread"),
        (FRIENDS, ("Ada", "prefers", "green tea"), "My sister Ada prefers green tea"),
        (SHOP, ("Jonas Berg", "works at", "Nordlys Bakery"), "Jonas Berg here from Nordlys Bakery"),
        (SHOP, ("Nordlys Bakery", "wants invoices as", "PDF only"), "Please send invoices as PDF only"),
        (SHOP, ("Nordlys Bakery", "has payment terms", "net-45"), '"terms": "net-45"'),
        (SHOP, ("Jonas Berg", "is vegetarian", "true"), "I am vegetarian"),
        (SHOP, ("Jonas Berg", "prefers", "aisle seats"), "I would rather sit at the aisle"),
        (SHOP, ("Acme", "pays within", "30 days"), "Acme Corp pays within 30 days"),
        (SHOP, ("Nordlys Bakery", "wants seats at", "the aisle"), "I would rather sit at the aisle"),
        (RULES, ("Dana Weiss", "reviews pull requests on", "Fridays"), "I review pull requests on Fridays"),
        (RULES, ("the staging environment", "is wiped", "every Monday at 6"), "Staging is wiped every Monday at 6"),
        (RULES, ("Hollis Freight", "stays on", "Python 3.11 until March"), "We stay on Python 3.11 until March"),
        (RULES, ("the depot", "closes at", "14:00"), "The depot closes at 14:00"),
        (RULES, ("Tom Berg", "is the assistant of", "Dana Weiss"), "My assistant Tom Berg may approve refunds"),
        (CHINESE, ("王芳", "工作于", "晨光面包店"), "我在晨光面包店工作"),
        (CHINESE, ("王芳的妹妹", "住在", "杭州"), "我的妹妹李梅住在杭州"),
        (CHINESE, ("用户", "喜欢", "靠窗的座位"), "我喜欢靠窗的座位"),
        (CHINESE, ("李梅", "住在", "杭州"), "我的妹妹李梅住在杭州"),
        (CHINESE, ("李伟", "批准", "超过600元的深圳酒店"), "深圳的酒店每晚不能超过600元，超过要李伟先批准"),
        (CHINESE, ("李伟", "批准", "乘A320的航班"), "超过要李伟先批准，坐A320的航班也一样"),
    ],
)
def test_what_was_said_is_grounded(of: Transcript, fact: tuple[str, str, str], quote: str) -> None:
    assert fault(of, *fact, quote) == ""


@pytest.mark.parametrize(
    ("of", "fact", "quote", "why"),
    [
        (FRIENDS, ("Pepsi", "is made by", "the bakery"), "I work at the bakery", grounding.SUBJECT),
        (FRIENDS, ("Victor Lang", "bakes", "rye bread"), "I bake rye bread", grounding.SUBJECT),
        (FRIENDS, ("Victor", "likes", "jazz"), "I bake rye bread", grounding.OBJECT),
        (FRIENDS, ("Victor", "bakes", "rye bread with Oscar"), "I bake rye bread", grounding.OBJECT),
        (FRIENDS, ("Nora", "works at", "the bakery"), "I work at the bakery on Mill Street now", grounding.SPEAKER),
        (FRIENDS, ("Ada", "eats", "no meat"), "I don't eat meat any more", grounding.SPEAKER),
        (SHOP, ("Nordlys Bakery", "has payment terms", "monthly"), '"terms": "net-45"', grounding.OBJECT),
        (
            RULES,
            ("the sales department", "reviews on", "Fridays"),
            "I review pull requests on Fridays",
            grounding.SUBJECT,
        ),
        (RULES, ("the depot", "closes at", "16:00"), "The depot closes at 14:00", grounding.OBJECT),
        (RULES, ("the depot", "is kept by", "Dana Weiss"), "My assistant Tom Berg may approve", grounding.OBJECT),
        (RULES, ("Tom Berg", "works for", "Hollis"), "The depot closes at 14:00", grounding.OBJECT),
        (FRIENDS, ("Nora", "sends love to", "Ada"), "Ada sends you love", TURNED),
        (FRIENDS, ("the user", "eats", "meat"), "I don't eat meat any more", DENIED),
        (FRIENDS, ("Ada", "works at", "Nora"), "Sorry, Nora, I forgot. Ada", PREDICATE),
        (SHOP, ("Acme", "manages", "30 days"), "Acme Corp pays within 30 days", PREDICATE),
        (SHOP, ("Nordlys Bakery", "teaches", "PDF"), "Please send invoices as PDF only", PREDICATE),
        (CHINESE, ("李梅", "写信问候", "杭州"), "我的妹妹李梅住在杭州", PREDICATE),
        (CHINESE, ("赵强", "喜欢", "靠窗的座位"), "我喜欢靠窗的座位", grounding.SUBJECT),
        (CHINESE, ("王芳", "喜欢", "红茶"), "我喜欢靠窗的座位", grounding.OBJECT),
        (CHINESE, ("李伟", "批准", "超过800元的深圳酒店"), "深圳的酒店每晚不能超过600元", grounding.OBJECT),
        (CHINESE, ("李伟", "批准", "坐B737的航班"), "坐A320的航班也一样", grounding.OBJECT),
        (CHINESE, ("王芳的弟弟", "住在", "杭州"), "我的妹妹李梅住在杭州", grounding.SUBJECT),
    ],
)
def test_what_nobody_said_or_somebody_else_is_not(
    of: Transcript, fact: tuple[str, str, str], quote: str, why: str
) -> None:
    assert fault(of, *fact, quote) == why


@pytest.mark.parametrize(
    "said",
    ["user: I'm Canadian.", "user: This is Amazon, right?", "agent: Sure, Monday works.", "agent: Hello Sir, go on."],
)
def test_what_tells_no_name_leaves_open_who_speaks(said: str) -> None:
    record = 'tool: {"name": "Jonas Berg", "since": 2021}'
    chat = conversation(said, record, "user: I only fly from Bergen.")
    assert fault(chat, "Jonas Berg", "flies from", "Bergen", "I only fly from Bergen") == ""


def test_the_name_before_a_line_says_who_speaks() -> None:
    chat = conversation("user: Mia: I moved to Lisbon in May.\nTom: I stay in Porto, Mia.")
    assert fault(chat, "Mia", "lives in", "Lisbon", "I moved to Lisbon") == ""
    assert fault(chat, "Tom", "lives in", "Porto", "I stay in Porto") == ""
    assert fault(chat, "Tom", "moved to", "Lisbon", "I moved to Lisbon") == grounding.SPEAKER


def test_no_company_is_made_of_the_names_of_two() -> None:
    talk = conversation("user: 我是云帆物流的周敏，请把对账单发给蓝石贸易，蓝石的账期是月结。我们物流的税率是 9%。")
    quote = "我们物流的税率是 9%"
    assert fault(talk, "蓝石物流", "税率是", "9%", quote) == grounding.SUBJECT
    assert fault(talk, "云帆物流", "税率是", "9%", quote) == fault(talk, "物流的对账单", "税率是", "9%", quote) == ""


@pytest.mark.parametrize(
    ("of", "quote", "subject"),
    [
        (LINES, "I like breaking up my studying", "Tim"),
        (LINES, "I prefer tea", "the user"),
        (LINES, "I do", "I"),
        (RULES, "I review pull requests", "the user"),
        (CHINESE, "我喜欢靠窗的座位", "用户"),
    ],
)
def test_who_speaks_of_themselves_is_named(of: Transcript, quote: str, subject: str) -> None:
    [passage] = of.holding(quote)
    assert {grounding.subject_of(name, quote, passage, of) for name in ("I", subject)} == {subject}


def test_a_word_before_a_colon_now_and_then_is_no_speaker() -> None:
    assert grounding.speakers(RULES) == ()
    assert grounding.speakers(conversation("user: 你好，我是王芳。", "agent: 共两笔：都已付。", "agent: 好。")) == ()


@pytest.mark.parametrize("subject", ["I", "they", "It", "她", "我们"])
def test_a_pronoun_is_no_subject(subject: str) -> None:
    assert fault(FRIENDS, subject, "prefers", "green tea", "My sister Ada prefers green tea") == grounding.SUBJECT


@pytest.mark.parametrize(
    ("predicate", "object", "said"),
    [
        ("is responsible for", "refunds", "Maria handles all refunds"),
        ("likes most", "contemporary dance", "contemporary dance really speaks to me"),
        ("is reset", "every Monday", "we wipe the staging database every Monday"),
        ("is allergic to", "peanuts", "peanuts make me sick"),
        ("married to", "Tom", "my husband Tom and I went there"),
        ("lives in", "Hangzhou", "my flat in Hangzhou is small"),
        ("graduated from", "the University of Oslo", "I finished my degree at the University of Oslo"),
        ("drives", "an old Volvo", "I have an old Volvo"),
        ("plans to", "visit Japan", "next year we travel to Japan"),
        ("付款方式是", "银行转账", "我们通过银行转账付款"),
        ("毕业于", "北京大学", "我是北京大学毕业的"),
    ],
)
def test_other_words_for_the_same_are_near_enough(predicate: str, object: str, said: str) -> None:
    assert is_said(predicate, object, said)


@pytest.mark.parametrize(
    ("denied", "predicate", "object", "quote"),
    [
        (True, "works at", "the court", "I hate not being on the court"),
        (True, "uses", "Slack", "we no longer use Slack"),
        (True, "flies on", "Mondays", "I never fly on Mondays"),
        (True, "喝", "咖啡", "我不喝咖啡"),
        (False, "loves", "tea", "I don't drink coffee, but I love tea"),
        (False, "喜欢", "红茶", "我不喝咖啡，喜欢红茶"),
        (False, "喜欢", "红茶", "我不仅喜欢红茶"),
        (False, "starts at", "Acme", "I can't wait to start at Acme"),
        (False, "is allergic to", "peanuts", "I can't eat peanuts"),
        (False, "does not use", "Slack", "we no longer use Slack"),
        (False, "has payment terms", "net-45", "No, we are on net-45"),
    ],
)
def test_a_quote_that_denies_a_statement_does_not_prove_it(
    denied: bool, predicate: str, object: str, quote: str
) -> None:
    assert is_denied(predicate, object, quote) is denied


@pytest.mark.parametrize(
    ("turned", "subject", "predicate", "object", "quote"),
    [
        (True, "Nora", "sends love to", "Ada", "Ada sends you love"),
        (True, "green tea", "brews", "Ada", "Ada brews green tea"),
        (False, "Ada", "sends love to", "Nora", "Ada sends Nora her love"),
        (False, "Ada", "visits", "Bergen", "Bergen is where Ada visits her aunt"),
        (False, "the user", "visits", "Bergen", "Bergen is what I visit in May"),
        (False, "Maria", "handles", "Acme", "Acme is handled by Maria"),
        (False, "Acme", "is handled by", "Maria", "Maria handles Acme"),
        (False, "Frau Kaya", "bezahlt", "Rechnungen", "Rechnungen bezahlt bei uns Frau Kaya"),
    ],
)
def test_a_quote_that_says_it_of_the_object_does_not_prove_it(
    turned: bool, subject: str, predicate: str, object: str, quote: str
) -> None:
    assert is_turned(subject, predicate, object, quote) is turned


@pytest.mark.parametrize(
    ("passing", "predicate", "object"),
    [
        (True, "thanks", "Nate"),
        (True, "sends love to", "Ada"),
        (True, "is looking forward to", "the game"),
        (True, "visits", "Bergen next week"),
        (True, "感谢", "李梅"),
        (True, "拜访", "下周的客户"),
        (False, "sends invoices to", "Helen"),
        (False, "wants invoices as", "PDF only"),
        (False, "has a meeting every", "Monday"),
        (False, "发出期限为", "每月 5 号之前，否则排到下个月付款"),
        (False, "负责", "退款"),
    ],
)
def test_what_is_said_and_done_only_now_is_no_fact(passing: bool, predicate: str, object: str) -> None:
    assert is_passing(predicate, object) is passing


def test_the_named_line_of_one_speaker_proves_nothing_of_another() -> None:
    trip = conversation("user: Tim: I stay in Galway. The town is full of music.", "user: Mia: Mr Lee loves Galway.")
    assert fault(trip, "Tim", "stays in", "Galway", "The town is full of music") == ""
    assert fault(trip, "Mia", "stays in", "Galway", "The town is full of music") == grounding.SPEAKER
    assert fault(trip, "Mr Lee", "loves", "Galway", "Mr Lee loves Galway") == ""


def test_an_article_with_a_capital_letter_is_no_name() -> None:
    cliffs = conversation("user: Tim: I want to visit the Cliffs of Moher.")
    assert fault(cliffs, "Tim", "wants to visit", "The Cliffs of Moher", "I want to visit the Cliffs of Moher") == ""
