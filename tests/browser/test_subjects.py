"""Two spellings become one page and two again, by hand in a real browser, without a complaint of the console."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Subject
from memories.models.subject import subject_id
from memories.values.trust import everything
from tests.browser.test_review import sign_in
from tests.make import ANNA
from tests.memories.storing import store

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_merge_of_two_spellings_is_undone_by_the_toast_and_by_the_list(
    browser: Browser, live_server: LiveServer
) -> None:
    store("Acme pays on net-30 terms", trust=everything(ANNA))
    store("Acme Corp is in Berlin", key="berlin", trust=everything(ANNA))
    page, complaints = sign_in(browser, live_server), []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"{live_server.url}/subjects/{subject_id('acme')}/")
    for undo in ("Undo", "Separate"):
        page.get_by_role("button", name="“Acme Corp” is the same").click()
        expect(page.locator(".toast")).to_contain_text("“Acme Corp” is now another spelling of “Acme”.")
        expect(page.locator("main")).to_contain_text("Acme Corp is in Berlin")
        page.get_by_role("button", name=undo).first.click()
        expect(page.locator(".toast")).to_contain_text("Undone: “Acme Corp”")
        expect(page.locator("main")).not_to_contain_text("Acme Corp is in Berlin")
    assert not Subject.objects.exclude(same_as=None).exists()
    assert complaints == []
