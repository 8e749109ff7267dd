"""Runs judged by the keyboard, in a real browser: faster than the answers, past what the page came with, and undone."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Episode
from memos_site.web.judging import FIRST
from tests.browser.conftest import Held, press
from tests.browser.test_review import sign_in
from tests.browser.test_settling import watched
from tests.make import make_run

pytestmark = pytest.mark.django_db(transaction=True)
WAITING = FIRST + 4  # more than come with the page


def test_runs_are_judged_by_keys_that_come_before_answers_and_the_last_one_is_undone(
    browser: Browser, live_server: LiveServer
) -> None:
    for n in range(WAITING):
        make_run(id=f"r{n}", title=f"Run {n}")
    probably_failed = make_run(id="doubted", title="Doubted", outcome="success")
    Episode.objects.filter(pk=probably_failed.pk).update(verdict="high", risk=0.99)
    page = sign_in(browser, live_server)
    complaints, held = watched(page), Held(page, "**/outcomes/judge/")
    page.goto(f"{live_server.url}/outcomes/")
    shown = page.locator("[data-run]:not([hidden])")
    expect(shown).to_contain_text("about 99 % failed")
    press(page, "f", *"sp" * (WAITING // 2))
    expect(page.get_by_role("heading", name="No run waits to be judged")).to_be_visible()
    expect(page.locator("#judged")).to_contain_text(f"{WAITING + 1} judged here · saving")
    assert not Episode.objects.filter(outcome_source="person").exists()
    held.let_go()
    expect(page.locator("#judged")).to_have_text(f"{WAITING + 1} judged here", use_inner_text=True)
    expect(page.locator("#to-judge")).to_have_text("0")
    judged = Episode.objects.filter(outcome_source="person")
    assert [judged.filter(outcome=one).count() for one in ("failure", "success", "partial")] == [1, 5, 5]

    press(page, "z")
    expect(page.locator("#to-judge")).to_have_text("1")
    expect(shown).to_have_count(1)
    assert judged.count() == WAITING
    press(page, "x")
    expect(page.locator("#to-judge")).to_have_text("0")
    assert judged.filter(outcome=None).count() == 1
    assert complaints == []
