"""A proposed version of a skill, in a real browser: rejected with a reason, and not published by mistake."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import AuditEntry
from skills.models import Skill
from tests.browser.conftest import press
from tests.browser.test_review import sign_in
from tests.make import make_skill, make_version

pytestmark = pytest.mark.django_db(transaction=True)


def proposed() -> Skill:
    skill = make_skill()
    make_version(skill, description="Books a flight and a seat")
    return skill


@pytest.mark.parametrize("scripts", [True, False])
def test_enter_in_the_field_of_the_reason_rejects_and_does_not_publish(
    browser: Browser, live_server: LiveServer, scripts: bool
) -> None:
    skill = proposed()
    page = sign_in(browser, live_server, scripts=scripts)
    page.goto(f"{live_server.url}/memories/{skill.pk}/")
    page.locator("summary", has_text="Reject version 2").click()
    page.get_by_label("Why, in your words").fill("seats cost extra")
    page.get_by_label("Why, in your words").press("Enter")
    expect(page.locator("#toast")).to_contain_text("Version rejected as other")
    assert [version.status for version in skill.versions.order_by("number")] == ["published", "rejected"]
    assert AuditEntry.objects.filter(action="reject", rationale="other: seats cost extra").count() == 2


def test_a_version_is_rejected_and_comes_back_by_keys(browser: Browser, live_server: LiveServer) -> None:
    skill = proposed()
    page = sign_in(browser, live_server)
    press(page, "j", "d", "1")
    expect(page.locator("#toast")).to_contain_text("Version rejected as wrong")
    assert skill.versions.get(number=2).status == "rejected"
    press(page, "z")
    expect(page.locator(f"#row-{skill.pk}")).to_contain_text("skill, version 2")
    assert skill.versions.get(number=2).status == "proposed"
