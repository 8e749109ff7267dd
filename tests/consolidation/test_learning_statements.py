"""Which sentences of a user are recognised as explicit statements, and which words of them are kept."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.learning.statements.explicit_statements import ExplicitStatement, explicit_statements


def kept(message: str) -> list[str]:
    return [statement.text for statement in explicit_statements(message)]


@pytest.mark.parametrize(
    "message",
    [
        "Remember: I always want an aisle seat",
        "Remember that our invoices are very important",
        "From now on I want the report updated every Monday",
        "Remember: I always want an aisle seat.",
        "Please remember that I'm allergic to peanuts.",
        "Remember I always fly business",
        "Remember that Acme pays late",
        "please remember: no attachments",
        "Thanks! And remember to CC legal.",
        "Always answer in English",
        "We always fly business",
        "never call before noon",
        "From now on use Slack.",
        "From now on, never book flights before 9 am.",
        "From now on never suggest hotels without breakfast, please.",
        "from now on please write commit messages in the imperative",
        "I prefer tea",
        "I prefer window seats on long flights.",
        "I'd always prefer an email over a phone call",
        "Don't use tables in e-mails",
        "Don't send SMS notifications",
        "Great work, but please don’t use emoji",
        "Do not book flights before 9",
        "Going forward, all invoices go to billing@acme.com",
        "Keep in mind that our fiscal year starts in April.",
        "If a customer complains, always apologise",
        "When you deploy, always run the migrations first.",
        "Before pushing, always run the linter.",
        "For long flights I prefer an aisle seat.",
        "My flight is on Tuesday, and I always want an aisle seat.",
        "Please always reply in German.",
        "You should never push to main directly.",
        "I never want to be called on weekends.",
        "Never ever force-push to main",
        "Use tabs instead of spaces from now on.",
        "Don't ever push to the main branch",
        "Make sure to always add type hints.",
        "I want you to always ask before deleting files.",
        "always be concise",
        "Never use `print` for logging; use the logger.",
        "Don't forget: the staging server is restarted every night at 2.",
        "Keep in mind: deployments are frozen in December.",
        "请记住：我总是要靠窗的座位",
        "请记住，我对花生过敏。",
        "记住我喜欢靠走道的座位",
        "以后请用中文回答",
        "以后不要在早上九点之前给我打电话",
        "从现在开始，所有邮件都抄送法务部",
        "永远不要在周五部署",
        "永远不要直接推送到主分支。",
        "我更喜欢喝茶",
        "我喜欢靠窗的座位",
        "我总是坐靠走道的位置",
        "请总是先运行测试再提交",
        "不要在周五开会",
        "请不要在邮件里使用表情符号",
        "每次提交之前都要运行测试",
        "以后别再给我发短信",
        "记住：Acme 付款很慢",
        "今后一律用邮件联系我",
        "I never eat pork.",
        "We never ship on Sundays.",
        "Always use the company credit card for bookings.",
        "Never share my phone number with anyone",
        "Don't use mocks in tests.",
        "Please remember my seat preference: aisle",
        "以后订票都选靠窗的座位",
        "请记住我的名字叫张伟",
        "从今以后不要再给我打电话，只发邮件。",
        "一律使用四个空格缩进",
    ],
)
def test_a_lasting_rule_wish_or_habit_is_a_statement(message: str) -> None:
    assert len(kept(message)) == 1


@pytest.mark.parametrize(
    "message",
    [
        "I never received it",
        "Remember that staying positive is very important.",
        "I also want my default address updated to the new home going forward.",
        "From now on I'd like to change my plan",
        "I don't want to pay",
        "Don't worry",
        "don't worry about it",
        "Never mind",
        "I want a refund",
        "I don't want travel insurance",
        "Please don't cancel anything else",
        "Please do not charge my card.",
        "Don't change my plan",
        "Do you remember my name?",
        "Can you always answer in English?",
        "Why do you always say that?",
        "I'd prefer the second option",
        "I prefer the cheaper one",
        "I prefer the refund to go to my card",
        "I'd prefer not to be transferred.",
        "I always worry I'll mess something up",
        "I remember when I first called you",
        "Remember when we talked?",
        "My boss said never deploy on Fridays",
        "He told me to always use the app",
        "The agent said: never share your PIN",
        '"Always use gloves" is printed on the box.',
        "The sign says never park here",
        "Always a pleasure",
        "I'm always here for you",
        "I've always loved dogs",
        "It always crashes",
        "The app always crashes when I open it",
        "You never answered me",
        "Never give up!",
        "Don't let anything stop you",
        "Don't hesitate to reach out",
        "Remember to send me the confirmation",
        "Don't forget to cancel order #W123",
        "Remember to cancel my reservation today",
        "Do not proceed yet",
        "please don't do that",
        "From now on I'll check my bank account.",
        "I will remember that",
        "don't transfer me to a human agent",
        "do you prefer tea",
        "I always forget my password",
        "We never got the package",
        "Thanks, I'll never use your service again",
        "Never had this problem before",
        "In the future I hope to visit Rome",
        "Remember me?",
        "Remember, it's urgent.",
        "I don't remember my order id",
        "Please make sure it arrives on time",
        "If possible, I prefer blue",
        "从来没有收到包裹",
        "我不要退款",
        "不要担心",
        "别着急",
        "不要取消我的订单",
        "我喜欢这个颜色",
        "我更喜欢第二个",
        "你总是这样吗？",
        "还记得我吗",
        "我不记得订单号了",
        "记得帮我取消订单",
        "他说永远不要相信广告",
        "以后再说",
        "以后会好的",
        "我一直在等",
        "我总是收不到短信",
        "请不要取消",
        "别忘了帮我退款",
        "我喜欢你的服务",
        "我不喜欢这件衣服",
        "特别好",
        "我一直没有收到退款",
        "别的不用了",
        "不要了，谢谢",
        "我永远不会再买了",
        "你们永远不回复",
        "每次都这样",
        "千万别告诉别人",
        "I hate middle seats. Never book one.",
        "Backpack: medium size; if there are color options, I prefer grey.",
        "This parcel is late, so never propose another day to them.",
    ],
)
def test_what_concerns_the_task_at_hand_or_teaches_nothing_is_no_statement(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Remember: I always want an aisle seat.", "I always want an aisle seat."),
        ("Please remember that our fiscal year starts in April", "our fiscal year starts in April"),
        ("Hi! My flight is on Tuesday, and I always want an aisle seat.", "I always want an aisle seat."),
        ("From now on, never book flights before 9 am.", "From now on, never book flights before 9 am."),
        ("I prefer flights after 8am, so I'd like to take the first one.", "I prefer flights after 8am"),
        ("Thanks, but please don’t use emoji", "please don’t use emoji"),
        (
            "By the way, Ostrava only ships on Tuesdays, so never propose another day to them.",
            "Ostrava only ships on Tuesdays, so never propose another day to them.",
        ),
        ("请记住：我总是要靠窗的座位。", "我总是要靠窗的座位。"),
        ("我不喜欢中间的座位，以后都给我订靠窗的座位", "以后都给我订靠窗的座位"),
    ],
)
def test_only_the_statement_is_kept_in_the_words_of_the_user(message: str, words: str) -> None:
    (statement,) = explicit_statements(message)
    assert statement.text == words
    assert statement.quote in message


def test_each_line_under_a_lead_is_a_statement() -> None:
    message = "Remember:\n- always use tabs\n- no attachments\n\n- buy milk"
    assert kept(message) == ["always use tabs", "no attachments"]


def test_a_message_with_two_statements_gives_both_with_their_sentences() -> None:
    message = "Always answer in German. The parcel is late. Never call me before noon!"
    assert explicit_statements(message) == [
        ExplicitStatement("Always answer in German.", "Always answer in German."),
        ExplicitStatement("Never call me before noon!", "Never call me before noon!"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        "```\nAlways answer in English\n```",
        "> Always answer in English",
        "$ echo always use tabs",
        "<instructions>\nAlways answer in English\n</instructions>",
        "Traceback (most recent call last):\nnever use eval",
        "2026-01-01 10:00:00 WARN\nAlways use a pool",
        "# Rules\nAlways answer in English",
        "“Always answer in English”",
        "My colleague told me, always use the app",
        "他说，永远不要用现金",
        "Always answer in English. " + "It is a long document. " * 100,
    ],
)
def test_code_logs_forms_quotes_and_reported_speech_are_no_statements(message: str) -> None:
    assert kept(message) == []


@given(st.text(max_size=300))
def test_of_any_text_only_its_own_words_are_kept(message: str) -> None:
    for statement in explicit_statements(message):
        assert statement.quote in message


@pytest.mark.parametrize(
    "piece",
    [
        "always ",
        "never, ",
        "for a ",
        "from now on ",
        "remember ",
        "I prefer ",
        "don't ",
        "每次",
        "以后",
        "我总是",
        "请",
    ],
)
def test_a_long_message_takes_no_long_time(piece: str) -> None:
    start = process_time()
    explicit_statements((piece * 2000)[:2000])
    assert process_time() - start < 0.5


def test_a_number_at_the_end_of_a_sentence_is_no_item_of_a_list() -> None:
    assert kept("The office has zip 10001. Always answer in English.") == ["Always answer in English."]
    assert kept("Remember:\n1. Always answer in English.\n- Never call before noon") == [
        "Always answer in English.",
        "Never call before noon",
    ]
