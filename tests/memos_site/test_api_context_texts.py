"""The context for a text: how texts of its kind are written, and not those of other kinds."""

import pytest

from memories.models import Memory
from memories.models.passage import of_memories, write
from memories.values.choices import Category, Origin, Status
from memories.values.trust import everything
from memos_site.api.context import give_context
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db
WEEKLY, REPLY = ["weekly report", "report"], ["reply"]


def rule(content: str, tags: list[str], **facts: object) -> Memory:
    facts = {"origin": Origin.EXTRACTED, "category": Category.PREFERENCE, **facts}
    memory = make_memory(content, tags=tags, status=Status.CONFIRMED, **facts)
    write(of_memories([memory]))
    return memory


def told(task: str, **asked: object) -> list[str]:
    answer = give_context({"task": task, **asked}, trust=everything(ANNA), at=AT)
    return sorted(item["content"] for item in answer["items"])


def test_rules_of_the_kind_come_beside_the_limit_and_those_of_other_kinds_not_at_all() -> None:
    rules = [rule(f"Weekly report: {wish}", WEEKLY).content for wish in ("shorter", "numbers first", "no greeting")]
    rule("Reply: the report is never attached", REPLY)
    known = rule("The week of 14 September has a holiday", [])
    assert told("Write this week's report, week of 14 September", limit=1) == sorted([known.content, *rules])


def test_all_lines_keep_to_the_budget_of_tokens() -> None:
    for what in ("figures", "names", "dates", "risks", "costs", "thanks"):
        rule(f"Weekly report: all {what} are to be put at the end of their own paragraph", WEEKLY)
    rule("The week of 14 September has a holiday", [])
    task = "Write this week's report, week of 14 September"
    answer = give_context({"task": task, "token_budget": 120}, trust=everything(ANNA), at=AT)
    contents = [item["content"] for item in answer["items"]]
    assert [content.startswith("Weekly report") for content in contents] == [True, True, False]
    assert len(answer["block"]) <= 4 * 120
    assert len(told(task, token_budget=600)) == 7


def test_what_only_begins_with_its_tag_is_given_for_every_task() -> None:
    wish = rule("Billing: invoices are due in thirty days", ["billing"], origin=Origin.STORED).content
    fact = rule("Billing: refunds of invoices take a week", ["billing"], category=Category.FACT).content
    assert told("When are invoices of billing due?") == sorted([wish, fact])


def test_a_report_without_more_words_gets_the_rules_of_weekly_ones_and_the_other_way_round() -> None:
    weekly, plain = rule("Weekly report: numbers first", WEEKLY), rule("Report: no greeting", ["report"])
    rule("Incident report: times in UTC", ["incident report", "report"])
    assert weekly.content in told("The report for the board, please")
    assert told("Please write the weekly report") == sorted([plain.content, weekly.content])


def test_words_of_the_house_are_for_every_kind_of_text() -> None:
    rule("say “members”, not “customers”", ["all texts"])
    assert told('Answer this mail: "Where is my harness? Tom"') == ["say “members”, not “customers”"]


def test_what_is_no_request_for_a_text_gets_no_rules_of_texts_by_its_source() -> None:
    rule("Reply: no exclamation marks", REPLY, source="P01")
    rack = rule("The harness rack is at Mill", [])
    assert told("Where is the harness rack?", source="P01") == [rack.content]
