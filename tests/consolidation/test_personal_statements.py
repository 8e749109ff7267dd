"""Which plain statements of users about themselves are recognised: what holds of them, and nothing that does not."""

from time import process_time

import pytest

from consolidation.learning.statements.personal_statements import personal_statements, with_owner

HOLDS = [
    "I prefer the train to short flights.",
    "I prefer working from home over the office",
    "I love hiking in the mountains",
    "I really like jazz and old movies.",
    "I'm a big fan of Nintendo games",
    "I don't like spicy food.",
    "My favourite author is Ursula Le Guin.",
    "The Hobbit is one of my favorites too.",
    "I usually work from the Berlin office",
    "I go running every morning before work.",
    "I never drink alcohol.",
    "Yeah, I play clarinet!",
    "I live in Lisbon with my two dogs.",
    "I'm originally from Sweden.",
    "I grew up in Michigan",
    "I work as a nurse at the city hospital.",
    "I'm a software engineer at Acme.",
    "I teach chemistry at a high school",
    "My birthday is on 4 May.",
    "I was born in 1984.",
    "I'm allergic to peanuts, so no satay please.",
    "I found out recently I'm allergic to cockroaches as well",
    "I'm lactose intolerant",
    "I can't eat gluten.",
    "Dancing helps me de-stress.",
    "我住在杭州。",
    "我是一名小学老师",
    "我是客家人",
    "我在一家银行上班。",
    "我对花生过敏",
    "我的生日是5月4日。",
    "我每天早上跑步。",
    "我喜欢爬山和摄影",
    "我不吃猪肉。",
    "我来自四川",
    "比起飞机，我更喜欢坐火车",
]
HOLDS_NOT = [
    "I would love to live in Rome",
    "If I lived in Rome I'd drink coffee every day",
    "Do you think I like jazz?",
    "I used to live in Boston",
    "I no longer work as a nurse.",
    "My sister lives in Lisbon",
    'He said "I live in Lisbon"',
    "She told me I work too much",
    "I love it!",
    "I love how you painted that",
    "I love your turtles so much!",
    "I love this series.",
    "I like the second one",
    "I like the way the frosting turned out!",
    "I wish I was a pilot",
    "I hope to work as a pilot",
    "I was in Lisbon last week",
    "I'm a bit tired today",
    "I'm a mix of excited and scared",
    "I always knew it",
    "I never received the parcel.",
    "I usually like them a lot more",
    "I'm thinking of moving to Lisbon",
    "I live for moments like these",
    "I prefer the cheaper one to the other option",
    "I'd like an aisle seat",
    "I want a refund",
    "I run out of milk every day, haha, you know",
    "My favorite part was the ending",
    "My birthday is coming up",
    "```\nI live in Lisbon\n```",
    "> I live in Lisbon",
    "如果我住在杭州就好了",
    "我以前住在杭州",
    "我不再喝咖啡了，今天开始",
    "你知道我喜欢什么吗？",
    "他说我喜欢爬山",
    "我喜欢这个颜色",
    "我想去北京工作",
    "我的朋友住在杭州",
    "我是来退货的",
    "我是收货人",
    "我是本人。",
    "我是VIP会员",
]


def test_what_users_plainly_say_of_themselves_is_recognised_with_its_quote() -> None:
    for message in HOLDS:
        found = personal_statements(message)
        assert len(found) == 1, message
        statement = found[0]
        assert statement.quote in message
        assert statement.text in statement.quote


def test_what_is_wished_asked_past_reported_or_of_the_moment_is_not() -> None:
    assert {message: found for message in HOLDS_NOT if (found := personal_statements(message))} == {}


@pytest.mark.parametrize(
    "piece", ["I love ", "I am a ", "my favorite ", "I usually ", "我喜欢", "我", "I do it every "]
)
def test_a_long_message_takes_no_long_time(piece: str) -> None:
    start = process_time()
    personal_statements((piece * 2000)[:2000])
    assert process_time() - start < 0.5


@pytest.mark.parametrize(
    ("words", "owner", "kept"),
    [
        ("I like planning ahead", "ann", "ann: I like planning ahead"),
        ("I am Ann and I prefer tea", "ann", "I am Ann and I prefer tea"),
        ("我叫王伟，我喜欢喝茶", "王伟", "我叫王伟，我喜欢喝茶"),
        ("我喜欢喝茶", "王伟", "王伟: 我喜欢喝茶"),
    ],
)
def test_a_statement_bears_its_owners_name_unless_it_says_it_as_a_word(words: str, owner: str, kept: str) -> None:
    assert with_owner(words, owner) == kept
