"""Of two states of one thing the newer one is offered first, and the older one with `until`."""

from datetime import timedelta
from typing import Any

import pytest

from memories.models import Memory
from memories.search import context
from memories.search.updates import replaces
from memories.values.trust import everything
from tests.make import ANNA, AT
from tests.memories.searched import find, known

PAIRS = [
    ("Maria works at Acme as a designer", "Maria moved from Acme to Globex"),
    ("Anna lives in Berlin", "Anna moved to Hamburg"),
    ("The staging server runs in Frankfurt", "The staging server moved from Frankfurt to Dublin"),
    ("Customer Olsen prefers email", "Customer Olsen now prefers phone calls"),
    ("Tom drinks coffee in the morning", "Tom does not drink coffee any more"),
    ("Invoices are paid within 30 days", "Invoices are paid within 14 days"),
    ("Our CRM is Salesforce", "We switched our CRM from Salesforce to HubSpot"),
    ("Payments are processed by Stripe", "Payments are no longer processed by Stripe but by Adyen"),
    ("我们的周会在周一上午", "周会现在改成周三下午"),
    ("李雷喜欢喝咖啡", "李雷不再喝咖啡"),
    ("仓库在上海", "仓库已从上海搬到苏州"),
    ("客户要求月结三十天付款", "客户现在改成月结六十天付款"),
]
OTHERS = [
    ("Customer Olsen orders pallets", "Customer Olsen now prefers phone calls"),
    ("Anna lives in Berlin", "Anna now drinks tea"),
    ("Maria likes tea", "Tom now likes tea"),
    ("The team meets on Monday", "The team now uses Jira"),
    ("仓库在上海", "仓库现在有三名员工"),
    ("李雷喜欢喝咖啡", "韩梅梅不再喝咖啡"),
]


def both(old: str, new: str, **facts: Any) -> tuple[Memory, Memory]:
    return known(old, created_at=AT - timedelta(days=30), **facts), known(new, created_at=AT, **facts)


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_the_newer_state_is_found_first_and_the_older_one_says_until_when(old: str, new: str) -> None:
    _, newer = both(old, new)
    for question in (old, f"{new} {old}"):
        found = find(question).results
        assert [(one.memory.content, one.until) for one in found] == [(new, None), (old, newer.created_at)]
        assert found[0].score >= found[1].score


@pytest.mark.parametrize(("old", "new"), OTHERS)
def test_what_tells_of_something_else_replaces_nothing(old: str, new: str) -> None:
    assert not replaces(new, old)
    assert not replaces(old, new)


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_context_gives_the_newer_state_first_however_sure_the_older_one_is(old: str, new: str) -> None:
    known(old, created_at=AT - timedelta(days=30), confidence=90)
    known(new, created_at=AT, confidence=60)
    given = context.assemble(context.check({"task": old}), trust=everything(ANNA), at=AT)
    assert [item.memory.content for item in given.items] == [new, old]
    assert "until 2026-03-01] " in given.block.splitlines()[2]


@pytest.mark.django_db
def test_states_of_two_scopes_do_not_replace_each_other() -> None:
    known(PAIRS[0][0], scope="a", created_at=AT - timedelta(days=3))
    known(PAIRS[0][1], scope="b", created_at=AT)
    assert [one.until for one in find("Maria at Acme").results] == [None, None]


@pytest.mark.django_db
def test_of_a_list_of_claims_that_differ_in_a_value_none_replaces_another() -> None:
    for day in range(4):
        known(f"Invoices of the shop are paid within {30 + day} days", created_at=AT + timedelta(days=day))
    assert {one.until for one in find("When are invoices of the shop paid?").results} == {None}


@pytest.mark.django_db
@pytest.mark.parametrize("stands", [{"hold": "floor"}, {"speakers": ["agent:a", "agent:b"]}])
def test_one_agent_alone_ends_nothing_that_several_said_or_a_person_decided(stands: dict[str, Any]) -> None:
    known("Invoices are paid within 30 days", created_at=AT - timedelta(days=1), confidence=65, **stands)
    known("Invoices are paid within 14 days", created_at=AT, confidence=95)
    given = context.assemble(context.check({"task": "When are invoices paid?"}), trust=everything(ANNA), at=AT)
    assert ["30 days" in item.memory.content for item in given.items] == [True, False]
    assert "until" not in given.block
    first, second = find("When are invoices paid?").results
    assert ("30 days" in first.memory.content, first.until, second.until) == (True, None, None)
