"""What says the same or contradicts each other, decided in a real browser."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memories.values.choices import LIVE
from tests.browser.conftest import press
from tests.browser.test_review import sign_in
from tests.consolidation.test_duplicates import AGAIN, find, stored
from tests.memories.storing import NET30, NET60

pytestmark = pytest.mark.django_db(transaction=True)


def live_words() -> list[str]:
    return sorted(Memory.objects.filter(status__in=LIVE).values_list("content", flat=True))


def test_the_winner_of_a_contradiction_is_chosen_beside_its_words_and_the_choice_undone(
    browser: Browser, live_server: LiveServer
) -> None:
    stored("terms", NET30)
    winner = stored("acme-payment", NET60)
    find()
    page = sign_in(browser, live_server)
    expect(page.locator("#queue").get_by_role("button", name="This one holds")).to_have_count(0)  # the pane has them
    expect(page.locator("#pane").get_by_role("button", name="This one holds")).to_have_count(2)
    press(page, "a")
    expect(page.locator("#pane").get_by_role("button", name="This one holds").first).to_be_focused()
    assert live_words() == [NET30, NET60], "which one is for the person to say"
    page.locator("#pane").locator(f"button[value='accept {winner.pk}']").click()
    expect(page.locator("#toast")).to_contain_text(f"Decided that this one holds: “{NET60}”")
    assert live_words() == [NET60]
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone")
    assert live_words() == [NET30, NET60]


def test_where_there_is_no_room_for_a_pane_the_row_has_the_choice(browser: Browser, live_server: LiveServer) -> None:
    stored("terms", NET30)
    winner = stored("acme-payment", NET60)
    find()
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    page.locator("#queue").locator(f"button[value='accept {winner.pk}']").click()
    expect(page.locator("#toast")).to_contain_text(f"Decided that this one holds: “{NET60}”")
    assert live_words() == [NET60]


def test_without_scripts_duplicates_are_merged_in_the_words_that_were_chosen(
    browser: Browser, live_server: LiveServer
) -> None:
    stored("terms", NET30)
    chosen = stored("acme-payment", AGAIN)
    find()
    page = sign_in(browser, live_server, scripts=False)
    page.locator("#queue").locator(f"button[value='accept {chosen.pk}']").click()
    expect(page.get_by_text("Accepted", exact=True)).to_be_visible()
    assert live_words() == [AGAIN]
