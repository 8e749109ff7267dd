"""A skill as a draft that people edit, in a real browser: what changes is on the screen before anybody publishes it."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.axe import findings
from tests.browser.test_review import sign_in
from tests.browser.test_settling import watched
from tests.make import make_skill

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_it_is_edited_looked_at_proposed_and_published_and_the_package_says_so(
    browser: Browser, live_server: LiveServer, tmp_path: Path, scripts: bool
) -> None:
    skill = make_skill()
    page = sign_in(browser, live_server, scripts=scripts)
    complaints = watched(page)
    page.goto(f"{live_server.url}/memories/{skill.pk}/")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Description: what it does").fill("Books a flight and a seat")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview ins")).to_contain_text("and a seat")
    assert skill.versions.count() == 1, "a preview writes nothing"
    if scripts:
        page.evaluate("scrollTo(0, 0)")  # the button led to the preview
        assert findings(page) == []
    page.get_by_label("What it changes, for the person who publishes it").fill("seats are booked too")
    page.get_by_role("button", name="Propose this version").click()
    expect(page.locator("#toast")).to_contain_text("Version 2 waits to be published.")
    expect(page.locator("#changes ins")).to_contain_text("and a seat")
    page.get_by_role("button", name="Publish a" if scripts else "Publish", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Published")
    expect(page.locator("#changes")).to_have_count(0)
    assert list(skill.versions.order_by("number").values_list("status", flat=True)) == ["retired", "published"]
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / "skill.zip")
    with zipfile.ZipFile(tmp_path / "skill.zip") as package:
        assert "Books a flight and a seat" in package.read(f"{skill.name}/SKILL.md").decode()
    assert complaints == []


def test_what_changes_is_shown_while_it_is_typed(browser: Browser, live_server: LiveServer) -> None:
    skill = make_skill()
    page = sign_in(browser, live_server)
    complaints = watched(page)
    page.goto(f"{live_server.url}/skills/{skill.pk}/edit/")
    expect(page.locator("#preview")).to_be_hidden()
    page.get_by_label("Description: what it does").fill("Books a flight and a seat")
    expect(page.locator("#preview ins")).to_contain_text("and a seat")
    page.get_by_label("Description: what it does").fill(" ")
    expect(page.locator("#preview .errors")).to_be_visible()
    assert (skill.versions.count(), complaints) == (1, [])
