"""Runs in which an agent writes a text: the kind of text, what people say of a draft, and whether they took it."""

from typing import Any

import pytest

from consolidation.learning.statements.text_statements import (
    kind_of_text,
    names_of_kind,
    says_it_was_taken,
    text_rules,
)
from memories.models import Episode, Memory
from memories.values.choices import Category, Origin
from tests.consolidation.experience import consolidated, run
from tests.make import answer, assistant, call, user

REQUEST = "Write this week's report, week of 7 September. Visits: Harbour 1,412, Mill 988. Ruth is ill."
MEMBERS = "say “members”, not “customers”"


@pytest.mark.parametrize(
    ("request_text", "kind"),
    {
        REQUEST: "weekly report",
        "Can you do the weekly report? Harbour 1,377": "weekly report",
        "Minutes of 12 Nov as a document please: Ruth, Imran": "minutes",
        'Answer this mail: "the report is late. Tom"': "reply",
        "Could you write a LinkedIn post about our fair?": "post",
        "Release notes for 2.4 please: faster import": "release notes",
        "Bitte den Monatsbericht September: Umsatz 212.000": "Monatsbericht",
        'Antworte bitte auf: "Wann kommt mein Baum?"': "Antwort",
        "帮我写这周的周报：出库 4,210 单": "周报",
        "The report is empty since Monday": "",
        "Make the summary endpoint faster": "",
        "Write a script that makes a report": "",
        "I want to report a stolen card": "",
        "Der Bericht ist leer": "",
        "写一个脚本": "",
    }.items(),
)
def test_a_request_for_a_text_names_its_kind(request_text: str, kind: str) -> None:
    assert kind_of_text(request_text) == kind


def test_a_weekly_report_is_a_report_too() -> None:
    assert [names_of_kind(kind) for kind in ("weekly report", "minutes", "")] == [
        ["weekly report", "report"],
        ["minutes"],
        [],
    ]


@pytest.mark.parametrize(
    ("reply", "rules"),
    {
        "Numbers first, please.": ["Weekly report: Numbers first"],
        "way too long, max 100 words": ["Weekly report: way too long, max 100 words"],
        "Too long.": ["Weekly report: shorter"],
        "Can you make it a bit shorter?": ["Weekly report: shorter"],
        "Too short.": ["Weekly report: longer"],
        "lose the !": ["Weekly report: no exclamation marks"],
        "In British spelling, please.": ["write in British spelling"],
        'We never say "customers", we say "members".': ["say “members”, not “customers”"],
        "They're members, not customers. Too cheerful.": [
            MEMBERS,
            "Weekly report: Too cheerful",
        ],
        "The board files these by week number, so it has to be in the title.": [
            "Weekly report: The board files these by week number, so it has to be in the title"
        ],
        "From now on the summary comes first.": ["Weekly report: From now on the summary comes first"],
        'No "Ruth suggested", we only record decisions.': ['Weekly report: No "… suggested", we only record decisions'],
    }.items(),
)
def test_what_people_say_of_a_draft_is_a_rule_for_texts_of_its_kind(reply: str, rules: list[str]) -> None:
    assert [rule.text for rule in text_rules(reply, REQUEST, "weekly report")] == rules


def test_a_word_with_which_sentences_begin_names_nothing_of_the_request() -> None:
    request = "Put the weekly report into a file: The boiler failed. We talked to Ruth."
    reply = "The report has to fit on half a page. We don't record who said what. Put the week in the heading."
    assert [rule.quote for rule in text_rules(reply, request, "weekly report")] == [
        "The report has to fit on half a page.",
        "We don't record who said what.",
        "Put the week in the heading.",
    ]


def test_rules_are_read_in_german_and_chinese() -> None:
    german = "Kürzer bitte. Keine Ausrufezeichen! Wir sagen Gäste, nicht Kunden."
    assert [rule.text for rule in text_rules(german, "", "Antwort")] == [
        "Antwort: kürzer",
        "Antwort: keine Ausrufezeichen",
        "„Gäste“ statt „Kunden“",
    ]
    assert [rule.text for rule in text_rules("太短了。", "", "周报")] == ["周报: 长一点"]
    chinese = "太长了。数据放最前面。我们不说客户，说会员。"
    assert [rule.text for rule in text_rules(chinese, "", "周报")] == [
        "周报: 短一点",
        "周报: 数据放最前面",
        "说“会员”，不说“客户”",
    ]


@pytest.mark.parametrize(
    "reply",
    [
        "Add that the car park is closed.",
        "Ruth wants to see it first.",
        "The total is 12, not 13.",
        "Put Mill at the top.",
        "Leave out the visits.",
        "Monday, not Tuesday",
        "I forgot, there is also a raffle on the first floor",
        "The first sentence has a mistake.",
        "Is the title right?",
        "Perfect, sent.",
        "This is what went out:\n\n# Week 37\n\nNumbers first, as always.",
    ],
)
def test_what_concerns_this_text_alone_is_no_rule(reply: str) -> None:
    assert text_rules(reply, REQUEST, "weekly report") == []


TAKEN = (
    "perfect, sent|Sent, thanks.|Good, I've sent it to the board.|Great, that's how I want it.|Perfect, thanks!|love it"
    "|So ist es gut, danke.|可以，已经发了。|定稿了|Passt, ist raus."
    "|I changed a word, this is what went out:\n\n# Week 41"
)
LEFT = (
    "I rewrote it myself in the end.|forget it|ok never mind, I'll do it myself|Hab's selbst geschrieben|算了，我自己写"
)
OPEN = (
    "Good, but shorter please|Great! Can you also translate it?|that's fine, but add the date|I sent you the form"
    "|That's good to know|It's out of date|Noch nicht gut|还没发"
)


@pytest.mark.parametrize(
    ("replies", "told"), [(TAKEN, True), (LEFT, False), (OPEN, None)], ids=["taken", "left", "open"]
)
def test_a_reply_says_whether_a_draft_was_used(replies: str, told: bool | None) -> None:
    assert {reply: says_it_was_taken(reply) for reply in replies.split("|")} == dict.fromkeys(replies.split("|"), told)


@pytest.mark.parametrize(
    "piece", ["thanks, ", "too long ", "the weekly ", "and please ", "say ", "不用", " - ", "1,0 "]
)
def test_a_message_of_one_piece_over_and_over_is_read_at_once(piece: str) -> None:
    for message in (piece * 1000, piece * 40 + "x"):
        kind_of_text(message)
        says_it_was_taken(message)
        text_rules(message[:400], message, "report")


DRAFT = assistant(
    "# Weekly report\n\nA strong week: 1,412 customers came to Harbour and 988 to Mill, with many new faces."
)


def ended() -> list[tuple[str | None, str]]:
    return list(Episode.objects.order_by("pk").values_list("outcome", "outcome_source"))


def kept() -> dict[str, list[str]]:
    return dict(Memory.objects.filter(origin=Origin.EXTRACTED).values_list("content", "tags"))


@pytest.mark.django_db
def test_a_run_without_tools_teaches_how_such_texts_are_written_and_ends_as_its_user_says() -> None:
    messages = [
        user(REQUEST),
        DRAFT,
        user("Numbers first. They're members, not customers."),
        DRAFT,
        user("Sent, thanks."),
    ]
    run([], None, messages=messages)
    consolidated()
    kinds = ["weekly report", "report"]
    assert kept() == {"Weekly report: Numbers first": kinds, MEMBERS: ["all texts"]}
    assert ended() == [("success", "user")]


@pytest.mark.django_db
def test_the_same_wish_in_other_words_confirms_a_rule() -> None:
    for wish in ("Too long.", "Shorter, please.", "Can you tighten it?"):
        run([], None, messages=[user(REQUEST), DRAFT, user(wish)])
    consolidated()
    memory = Memory.objects.get(origin=Origin.EXTRACTED)
    assert (memory.content, memory.category, memory.evidence.count()) == (
        "Weekly report: shorter",
        Category.PREFERENCE,
        3,
    )


@pytest.mark.django_db
def test_a_word_of_the_house_is_one_rule_for_all_kinds_of_texts() -> None:
    run([], None, messages=[user(REQUEST), DRAFT, user("They're members, not customers.")])
    reply = user('Answer this mail: "I was charged twice. Tom"')
    run([], None, messages=[reply, DRAFT, user('We never say "customers", we say "members"')])
    consolidated()
    assert kept() == {MEMBERS: ["all texts"]}


@pytest.mark.django_db
def test_a_text_that_a_tool_writes_is_corrected_in_the_same_way() -> None:
    written = [call("write_file", path="reports/37.md", content="# Report"), answer("ok"), assistant("Written.")]
    run([], None, messages=[user(REQUEST), *written, user("Please put the week number in the heading.")])
    consolidated()
    assert list(kept()) == ["Weekly report: put the week number in the heading"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "messages",
    [
        [user("My phone has no signal, what can I do?"), DRAFT, user("Too long. Numbers first.")],
        [user(REQUEST), assistant("Which week?"), user("Numbers first, then the rest.")],
        [user(REQUEST + " Numbers first."), DRAFT],
    ],
    ids=["no text was asked for", "there is no draft yet", "the request itself"],
)
def test_only_replies_to_a_draft_of_a_text_teach_such_rules(messages: list[dict[str, Any]]) -> None:
    run([], None, messages=messages)
    consolidated()
    assert kept() == {}


@pytest.mark.django_db
def test_what_a_text_is_to_say_is_no_rule_of_those_who_ask_for_it() -> None:
    told = "From now on a second person cleans at weekends. From now on use short sentences."
    run([], None, messages=[user(f'Answer this mail: "Dirty! Tom" True. {told}'), DRAFT])
    consolidated()
    assert list(kept()) == ["From now on use short sentences."]


@pytest.mark.django_db
def test_praise_before_a_further_change_leaves_the_end_open() -> None:
    run([], None, messages=[user(REQUEST), DRAFT, user("Looks good. One thing: members, not customers.")])
    consolidated()
    assert ended() == [(None, "none")]
