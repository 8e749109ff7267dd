"""What the page of a plan shows, and that of the skill with its effects."""

import re

import pytest
from django.test import Client

from consolidation.models import PlanShape
from memories.models import Memory
from tests.consolidation.experience import run
from tests.consolidation.test_plans import digested, memories, refund, return_of
from tests.make import make_person

pytestmark = pytest.mark.django_db


def test_the_page_of_a_plan_shows_its_steps_with_where_their_arguments_come_from() -> None:
    refund(1)
    digested()
    browser = Client()
    browser.force_login(make_person())
    page = browser.get(f"/memories/{memories()[0].pk}/").content.decode()
    steps = " ".join(re.sub(r"<[^>]+>", " ", page[page.index('id="plan"') : page.index('id="evidence"')]).split())
    assert "1 get_order order_id an input" in steps
    for argument in ("payment_id from step 1", "amount from step 2", "reason an input"):
        assert argument in steps
    assert "after step 1, 2" in steps


def test_the_page_of_a_plan_says_how_often_a_step_is_done(client: Client) -> None:
    return_of(1, 2)
    return_of(2, 4)
    digested()
    client.force_login(make_person("rita"))

    page = re.sub(r"\s+", " ", client.get(f"/memories/{memories()[0].pk}/").content.decode())

    assert "once per order_id: 2 to 4 times" in page


def test_tools_of_mcp_stand_in_plans_by_their_own_names() -> None:
    tools = ["mcp__shop__get_order", "mcp__bank_eu__get_payment", "mcp__bank_eu__refund"]
    for number in range(4):
        run(tools, minutes=number, thread_id=f"case-{number}")
    digested()
    browser, line = Client(), "get_order → get_payment → refund"
    browser.force_login(make_person())
    [plan] = memories()
    page = browser.get(f"/memories/{plan.pk}/").content.decode()
    assert plan.content == line
    assert "<code>mcp__" not in page and '<code title="mcp__shop__get_order">get_order</code>' in page
    PlanShape.objects.update(steps=" → ".join(tools))  # as they were noted before
    skill = Memory.objects.get(type="competence")
    assert (
        f'<a href="/memories/{plan.pk}/">{line}</a>'
        in browser.get(f"/memories/{skill.pk}/", follow=True).content.decode()
    )
