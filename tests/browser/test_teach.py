"""A person teaches, in a real browser: what is understood appears while typing, doubles are asked about."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from tests.browser.test_review import sign_in
from tests.memories.test_views_teach import known

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_understood_appears_while_typing_and_enter_in_a_field_teaches(
    browser: Browser, live_server: LiveServer
) -> None:
    row = known()
    page = sign_in(browser, live_server)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{live_server.url}/memories/")
    page.get_by_role("link", name="Teach").click()
    words = page.get_by_label("What should your agents know or do?")
    expect(words).to_be_focused()
    page.wait_for_load_state()  # what is typed before the scripts are there is understood by nobody
    words.press_sequentially("Acme pays on net-60 terms")
    expect(page.get_by_label("Category")).to_have_value("fact")
    expect(page.get_by_label("Key", exact=True)).to_have_value("acme-pays-on-net-60-terms")
    expect(page.get_by_role("button", name="Update this")).to_be_visible()
    page.get_by_label("Company").fill("acme")
    page.get_by_label("Company").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Is it one of these?")
    page.get_by_role("button", name="Update this").click()
    expect(page.get_by_role("heading", name="Acme pays on net-60 terms", level=1)).to_be_visible()
    assert Memory.objects.get(pk=row.pk).content == "Acme pays on net-60 terms"
    assert [said for said in complaints if "409" not in said] == []


@pytest.mark.parametrize("scope", ["", "project:b"])
def test_a_duplicate_in_another_scope_is_named_with_it_and_taught_here_too(
    browser: Browser, live_server: LiveServer, scope: str
) -> None:
    known(scope="project:a")
    page = sign_in(browser, live_server)
    page.goto(f"{live_server.url}/memories/teach/")
    page.get_by_label("Scope").fill("project:a")
    page.get_by_label("What should your agents know or do?").press_sequentially("Acme pays on net-60 terms")
    near = page.locator("#near")
    expect(near.get_by_role("heading")).to_have_text("A similar memory exists")
    page.get_by_label("Scope").fill(scope)  # it is looked up again
    expect(near.get_by_role("heading")).to_have_text("A similar memory exists in another scope")
    expect(near.get_by_role("button", name="Update this in project:a")).to_be_visible()
    place = f"in {scope}" if scope else "in every scope"
    near.get_by_role("button", name=f"Teach it {place} too").click()
    expect(page.locator("#toast")).to_contain_text("Learned")
    rows = dict(Memory.objects.values_list("scope", "content"))
    assert rows == {"project:a": "Acme pays on net-30 terms", scope: "Acme pays on net-60 terms"}


def test_it_works_without_scripts(browser: Browser, live_server: LiveServer) -> None:
    page = sign_in(browser, live_server, scripts=False)
    page.goto(f"{live_server.url}/memories/teach/")
    page.get_by_label("What should your agents know or do?").fill("Never send proposals on Fridays")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_label("Category")).to_have_value("preference")
    page.get_by_role("button", name="Teach", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Learned")
    assert Memory.objects.get().status == "confirmed"
