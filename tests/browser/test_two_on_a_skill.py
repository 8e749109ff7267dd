"""Two people on one skill, in a real browser: who was faster is named, what was typed stays, nothing is overwritten."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from skills.models import Skill
from tests.browser.axe import findings
from tests.browser.test_review import sign_in
from tests.make import make_skill

pytestmark = pytest.mark.django_db(transaction=True)
DESCRIPTION = "Description: what it does"
ANNAS = "Books a flight and a seat"
BENS = "Books a flight and a hotel"


def draft(page: Page, site: LiveServer, skill: Skill, description: str) -> None:
    page.goto(f"{site.url}/skills/{skill.pk}/edit/")
    page.get_by_label(DESCRIPTION).fill(description)


def propose(page: Page) -> None:
    page.get_by_role("button", name="Propose this version").click()


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish a", exact=True).click()


def versions(skill: Skill) -> list[tuple[str, str]]:
    rows = skill.versions.order_by("number").values_list("fields__description", "status")
    return [(str(description), str(status)) for description, status in rows]


def test_a_draft_says_who_proposed_or_published_meanwhile_and_keeps_what_was_typed(
    browser: Browser, live_server: LiveServer
) -> None:
    skill = make_skill()
    anna, ben = sign_in(browser, live_server, "anna"), sign_in(browser, live_server, "ben")
    draft(ben, live_server, skill, BENS)
    draft(anna, live_server, skill, ANNAS)
    propose(anna)
    expect(anna.locator("#toast")).to_contain_text("Version 2 waits to be published.")
    propose(ben)
    expect(ben.get_by_role("alert")).to_contain_text("anna proposed version 2")
    expect(ben.get_by_role("alert")).to_contain_text("Nothing was overwritten")
    expect(ben.get_by_label(DESCRIPTION)).to_have_value(BENS)
    assert findings(ben) == []
    publish(anna)
    expect(anna.locator("#toast")).to_contain_text("Published")
    propose(ben)
    expect(ben.get_by_role("alert")).to_contain_text("anna published version 2")
    expect(ben.get_by_label(DESCRIPTION)).to_have_value(BENS)
    assert versions(skill) == [("Books a flight", "retired"), (ANNAS, "published")]


def test_who_publishes_what_another_person_has_published_is_told_by_whom(
    browser: Browser, live_server: LiveServer
) -> None:
    skill = make_skill(published=False)
    anna, ben = sign_in(browser, live_server, "anna"), sign_in(browser, live_server, "ben")
    for page in (anna, ben):
        page.goto(f"{live_server.url}/memories/{skill.pk}/")
    publish(anna)
    expect(anna.locator("#toast")).to_contain_text("Published")
    publish(ben)
    expect(ben.locator("#toast")).to_contain_text("Too late")
    expect(ben.get_by_text("anna published this")).to_be_visible()
    assert versions(skill) == [("Books a flight", "published")]


def test_who_rejects_a_version_that_another_person_has_published_is_told_by_whom(
    browser: Browser, live_server: LiveServer
) -> None:
    skill = make_skill()
    anna, ben = sign_in(browser, live_server, "anna"), sign_in(browser, live_server, "ben")
    draft(anna, live_server, skill, ANNAS)
    propose(anna)
    expect(anna.locator("#toast")).to_contain_text("Version 2 waits to be published.")
    ben.goto(f"{live_server.url}/memories/{skill.pk}/")
    publish(anna)
    expect(anna.locator("#toast")).to_contain_text("Published")
    ben.get_by_text("Reject version 2").first.click()
    ben.get_by_role("button", name="wrong").first.click()
    expect(ben.locator("#toast")).to_contain_text("Too late")
    expect(ben.get_by_text("anna published this")).to_be_visible()
    assert versions(skill) == [("Books a flight", "retired"), (ANNAS, "published")]
