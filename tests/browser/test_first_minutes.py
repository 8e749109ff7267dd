"""The first ten minutes in a real browser: a file in, a run, a skill, an agent; and the figures of it all."""

import json
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from consolidation import run_queue
from consolidation.insights import day_counts
from consolidation.models import DailyCount
from memories.models import Agent, Memory
from memos_site.demo.claims import SHOP
from memos_site.demo.recorded import conversations
from tests.browser.conftest import LONGEST_WAIT
from tests.make import make_memory, make_person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page orders is done by the test, once the page has been seen waiting for it."""
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)


@pytest.fixture
def complaints() -> list[str]:
    return []


def administrator(browser: Browser, site: LiveServer, complaints: list[str], *, scripts: bool = True) -> Page:
    make_person("olga", group="administrator")
    page = browser.new_context(java_script_enabled=scripts, locale="en").new_page()
    page.set_default_timeout(LONGEST_WAIT * 1_000)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{site.url}/login/")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    return page


def runs_of_the_shop(directory: Path) -> Path:
    """A file as an agent's developer has it, with one line that is none."""
    bodies = [one.body for one in conversations() if one.body["scope"] == SHOP]
    lines = [json.dumps({name: value for name, value in body.items() if name != "scope"}) for body in bodies]
    path = directory / "runs.jsonl"
    path.write_text("\n".join([*lines, "{broken"]))
    return path


@pytest.mark.parametrize("scripts", [True, False])
def test_from_an_empty_store_to_the_first_answer(
    browser: Browser, live_server: LiveServer, tmp_path: Path, complaints: list[str], scripts: bool
) -> None:
    page = administrator(browser, live_server, complaints, scripts=scripts)
    page.get_by_role("link", name="The first ten minutes").click()
    page.get_by_label("Drop a JSON lines file here, or choose one").set_input_files(runs_of_the_shop(tmp_path))
    page.get_by_label("Scope, where a line names none").fill("project:shop")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("line 36")).to_be_visible()
    assert not Memory.objects.exists(), "nothing has come in yet"
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("queued")).to_be_visible()
    run_queue.work()
    page.reload()
    expect(page.get_by_text("What came in:")).to_be_visible()
    assert Memory.objects.count() == 35
    page.goto(f"{live_server.url}/welcome/")
    page.get_by_role("button", name="Learn from new episodes").click()
    expect(page.get_by_text("queued").first).to_be_visible()
    run_queue.work()
    page.reload()
    expect(page.get_by_role("link", name="Learn from new episodes")).to_be_visible()
    page.goto(live_server.url)
    expect(page.get_by_text("refund", exact=False).first).to_be_visible()
    page.goto(f"{live_server.url}/welcome/")
    page.get_by_label("Name", exact=True).fill("refund-agent")
    page.get_by_role("button", name="Create an agent").click()
    expect(page.locator("#token")).to_contain_text("memos_")
    assert Agent.objects.filter(name="refund-agent").exists()
    assert complaints == []


def test_charts_are_drawn_in_both_schemes_and_their_tables_open(
    browser: Browser, live_server: LiveServer, complaints: list[str]
) -> None:
    make_memory(created_at=timezone.now())
    day_counts.count(at=timezone.now())
    assert DailyCount.objects.exists()
    page = administrator(browser, live_server, complaints)
    page.goto(f"{live_server.url}/insights/")
    figure = page.locator("#chart-memories")
    expect(figure.locator("canvas")).to_be_visible()
    expect(figure.get_by_role("table")).to_be_hidden()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        expect(figure.locator("canvas")).to_be_visible()
    figure.get_by_text("As a table").click()
    expect(figure.get_by_role("table")).to_be_visible()
    with page.expect_download() as download:
        figure.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "memories.csv"
    assert complaints == []
