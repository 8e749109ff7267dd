"""Back and forth through one's decisions by keys, in a real browser: rows and toast say what the server says."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from memos_site import review
from tests.browser.conftest import Held, press
from tests.browser.test_review import sign_in, status_of
from tests.deciding import TRUST, propose
from tests.make import BEN, make_memory

pytestmark = pytest.mark.django_db(transaction=True)


def three(browser: Browser, site: LiveServer) -> tuple[Page, list[Memory], list[str]]:
    memories = [make_memory(f"Claim {n}", confidence=9 - n) for n in range(3)]
    page, complaints = sign_in(browser, site), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{site.url}/?sort=surest")
    return page, memories, complaints


def stand(memories: list[Memory]) -> list[str]:
    return [status_of(memory)[:2] for memory in memories]


def test_z_takes_the_decision_before_and_shift_z_does_them_again(browser: Browser, live_server: LiveServer) -> None:
    page, memories, complaints = three(browser, live_server)
    toast = page.locator("#toast")
    press(page, "j", "a")
    expect(page.locator(".done")).to_have_count(1)
    press(page, "d", "1")
    expect(page.locator(".done")).to_have_count(2)
    assert stand(memories) == ["co", "di", "ca"]

    press(page, "z")
    expect(toast).to_contain_text("Undone: “Claim 1”")
    expect(page.locator(f"#row-{memories[1].pk}")).to_be_focused()
    press(page, "z")
    expect(toast).to_contain_text("Undone: “Claim 0”")
    expect(page.locator(".row")).to_have_count(3)
    expect(page.locator("#waiting")).to_have_text("3")
    expect(toast.get_by_role("button", name="Undo")).to_have_count(0)
    assert stand(memories) == ["ca", "ca", "ca"]

    press(page, "Shift+Z")
    expect(toast).to_contain_text("Redone: “Claim 0”")
    expect(page.locator(f"#row-{memories[0].pk}")).to_contain_text("confirmed")
    press(page, "Shift+Z")
    expect(toast).to_contain_text("Redone: “Claim 1”")
    expect(page.locator(".done")).to_have_count(2)
    expect(toast.get_by_role("button", name="Redo")).to_have_count(0)
    press(page, "z")
    expect(toast).to_contain_text("Undone: “Claim 1”")
    assert stand(memories) == ["co", "ca", "ca"]
    assert complaints == []


def test_keys_that_come_before_the_answers_are_done_in_their_order(browser: Browser, live_server: LiveServer) -> None:
    page, memories, complaints = three(browser, live_server)
    held = Held(page, "**/decide/")
    page.reload()
    press(page, "j", "a", "a", "z", "z", "Shift+Z")
    held.let_go(2)  # the server has them at the same moment: either may be the first
    expect(page.locator("#toast")).to_contain_text("Redone: “Claim ")
    expect(page.locator(".done")).to_have_count(1)
    kept = [status_of(memory) == "confirmed" for memory in memories].index(True)
    expect(page.locator("#toast")).to_contain_text(f"Redone: “Claim {kept}”")
    expect(page.locator(f"#row-{memories[kept].pk}")).to_contain_text("confirmed")
    assert stand(memories) == ["co" if n == kept else "ca" for n in range(3)]
    assert complaints == []


def test_a_row_that_was_taken_back_by_hand_while_another_was_decided_leaves_the_keys_on(
    browser: Browser, live_server: LiveServer
) -> None:
    page, memories, complaints = three(browser, live_server)
    held = Held(page, "**/undo/**")
    page.reload()
    toast = page.locator("#toast")
    press(page, "j", "a")
    toast.get_by_role("button", name="Undo").click()
    held.seen()
    page.locator(f"#row-{memories[1].pk}").get_by_role("button", name="Promote a").click()
    expect(toast).to_contain_text("Promoted")  # with a button of its own: the one that was pressed is gone
    expect(page.locator(".done")).to_have_count(2)
    held.let_go()
    expect(toast).to_contain_text("Undone: “Claim 0”")
    press(page, "Shift+Z")
    expect(toast).to_contain_text("Redone: “Claim 0”")
    assert stand(memories) == ["co", "co", "ca"]
    assert complaints == []


def test_after_a_redo_the_keys_go_on_where_it_was(browser: Browser, live_server: LiveServer) -> None:
    page, memories, complaints = three(browser, live_server)
    press(page, "j", "j", "a")
    expect(page.locator("#toast")).to_contain_text("Promoted")
    press(page, "z")
    expect(page.locator(f"#row-{memories[1].pk}")).to_be_focused()
    press(page, "Shift+Z")
    expect(page.locator(f"#row-{memories[2].pk}")).to_be_focused()
    press(page, "a")
    expect(page.locator(".done")).to_have_count(2)
    assert stand(memories) == ["ca", "co", "co"]
    assert complaints == []


def test_what_somebody_else_changed_is_told_and_the_one_before_is_next(
    browser: Browser, live_server: LiveServer
) -> None:
    page, memories, _complaints = three(browser, live_server)
    press(page, "j", "a")
    expect(page.locator(".done")).to_have_count(1)
    press(page, "a")
    expect(page.locator(".done")).to_have_count(2)
    Memory.objects.get(pk=memories[1].pk).demote(by=BEN, at=Memory.objects.get(pk=memories[1].pk).updated_at)
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Not undone: cannot undo: it was changed since")
    press(page, "z")
    expect(page.locator("#toast")).to_contain_text("Undone: “Claim 0”")
    assert stand(memories) == ["ca", "ca", "ca"]


def test_a_row_that_is_not_on_the_page_comes_first(browser: Browser, live_server: LiveServer) -> None:
    page, memories, complaints = three(browser, live_server)
    press(page, "j", "x", "Shift+J", "d", "1")
    expect(page.locator("#toast")).to_contain_text("Dismissed 2: “Claim 0”, “Claim 1”")
    expect(page.locator(".row")).to_have_count(1)
    press(page, "z")
    expect(page.locator(".row")).to_have_count(3)
    expect(page.locator("#toast")).to_contain_text("Undone: ")
    assert stand(memories) == ["ca", "ca", "ca"]
    press(page, "Shift+Z")
    expect(page.locator(".done")).to_have_count(2)
    assert stand(memories) == ["di", "di", "ca"]
    assert complaints == []


def test_the_last_one_comes_back_into_an_empty_inbox(browser: Browser, live_server: LiveServer) -> None:
    memory = make_memory()
    page = sign_in(browser, live_server)
    page.get_by_role("checkbox", name="Select", exact=True).check()
    press(page, "s", "1")
    expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
    press(page, "z")
    expect(page.locator(f"#row-{memory.pk}")).to_be_visible()


def test_back_and_forth_without_scripts_and_through_proposals(browser: Browser, live_server: LiveServer) -> None:
    memory, proposed = make_memory("Acme pays late"), make_memory(status="confirmed")
    proposal = propose(proposed)
    page = sign_in(browser, live_server, scripts=False)
    page.locator(f"#row-{memory.pk}").get_by_role("button", name="Promote", exact=True).click()
    page.locator(f"#row-{proposal.pk}").get_by_role("button", name="Reject").click()
    toast = page.locator("#toast")
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_contain_text("Undone: “Acme pays on net-30 terms”")
    expect(page.locator(f"#row-{proposal.pk}")).to_be_visible()
    toast.get_by_role("button", name="Undo one more").click()
    expect(toast).to_contain_text("Undone: “Acme pays late”")
    toast.get_by_role("button", name="Redo").click()
    expect(toast).to_contain_text("Redone: “Acme pays late”")
    toast.get_by_role("button", name="Redo").click()
    expect(toast).to_contain_text("Redone: “Acme pays on net-30 terms”")
    assert not review.open_proposals(TRUST, at=proposal.opened_at).exists()
