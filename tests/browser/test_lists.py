"""Lists and long texts, in a real browser: a phone says who did what, and nothing is pushed out of sight."""

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from consolidation import schedules
from consolidation.models import Run
from memories.intake import evidence
from memories.intake.evidence import Witness
from memories.people import trust_of
from memories.values.choices import Outcome
from memories.web.memory_list import COLUMNS
from memos_site import review
from skills import publishing
from skills.manifest import Fields
from skills.models import SkillVersion
from tests.browser.conftest import LONGEST_WAIT
from tests.browser.test_review import sign_in
from tests.deciding import LATER
from tests.make import ANNA, AT, answer, call, make_agent, make_memory, make_person, make_run, make_skill, user

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_phone_tells_who_dismissed_from_who_allowed_it_again(browser: Browser, live_server: LiveServer) -> None:
    memory, trust = make_memory("Acme pays late"), trust_of(make_person("berta"))
    review.decide(trust, memory.pk, "dismiss", at=AT, why="noise")
    review.decide(trust, memory.pk, "restore", at=LATER)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(live_server.url + "/dismissed/?lifted=1")
    said = "cell => getComputedStyle(cell, '::before').content"
    assert "by" in page.locator("td", has_text="berta").first.evaluate(said)
    assert "allowed again by" in page.locator("td", has_text="berta").last.evaluate(said)


def test_a_long_text_is_edited_with_save_in_sight(browser: Browser, live_server: LiveServer) -> None:
    make_memory("The contract is checked first. " * 150)
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("#queue").get_by_role("link", name="Edit").click()
    words = page.get_by_label("What it says")
    expect(words).to_be_focused()
    assert words.evaluate("area => area.clientHeight") > 150
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_in_viewport()


def test_one_long_word_leaves_the_columns_of_the_admin_in_sight(browser: Browser, live_server: LiveServer) -> None:
    make_memory("Donaudampfschifffahrtsgesellschaft" * 8)
    make_person("olga", group="administrator")
    page = browser.new_context().new_page()
    page.set_default_timeout(LONGEST_WAIT * 1_000)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(live_server.url + "/login/")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Inbox", exact=True).wait_for()
    page.goto(live_server.url + "/admin/memories/memory/")
    expect(page.locator("#result_list tbody th")).to_be_visible()
    assert page.locator("#result_list").evaluate("list => list.getBoundingClientRect().right <= innerWidth")


def test_long_examples_sources_and_names_do_not_widen_their_pages(browser: Browser, live_server: LiveServer) -> None:
    skill, long_name = make_skill(), "agent-with-a-name-" * 6
    fields = Fields.model_validate({"name": skill.name, "description": "Books", "examples": ["a long line " * 60]})
    prepared = publishing.prepare(fields, scope=skill.scope, number=2)
    publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.UPLOAD, by=ANNA, at=AT)
    memory, other = (make_memory(text, source=long_name * 4) for text in ("Acme pays late", "Acme pays too late"))
    make_agent(long_name, scopes=[f"project:number-{n}" for n in range(9)], expires_at=LATER)
    page = sign_in(browser, live_server)
    addresses = [f"/memories/{skill.pk}/", f"/skills/{skill.pk}/2/", f"/memories/{memory.pk}/merge/?with={other.pk}"]
    for address in [*addresses, "/agents/?ended=1"]:
        page.goto(live_server.url + address)
        page.locator("main summary:has(h2)").evaluate_all("all => all.forEach(one => (one.parentElement.open = true))")
        for width in (390, 768, 1024):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (address, width)


def test_the_tables_of_runs_skills_and_tools_fit_a_tablet(browser: Browser, live_server: LiveServer) -> None:
    schedules.ensure()
    counters = {"episodes_read": 12_345, "facts_created": 7, "set_aside": 2}
    Run.objects.create(kind="consolidate", trigger="schedule", scope="y" * 120, counters=counters, status="succeeded")
    skill, tool = make_skill(), "book_" + "flight" * 40
    ran = make_run(outcome="success", messages=[user("Book me a flight"), call(tool), answer({"booked": True})])
    evidence.count(skill.memory, [Witness(ran.pk, Outcome.SUCCESS, AT, ran.content)], at=AT, founding=True)
    page = sign_in(browser, live_server)
    for address in ("/runs/", "/skills/", "/skills/tools/", f"/memories/{skill.pk}/"):
        page.goto(live_server.url + address)
        for width in (390, 768, 1024):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (address, width)


def test_a_table_with_every_column_scrolls_beside_what_narrows_it(browser: Browser, live_server: LiveServer) -> None:
    for number, scope in enumerate(("project:shop", "project:travel")):
        make_memory(f"Acme pays late, as invoice {number} shows", scope=scope, key=f"acme-pays-late-{number}")
    page = sign_in(browser, live_server)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/memories/?{'&'.join(f'column={name}' for name in COLUMNS)}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    table, aside = (page.locator(name).bounding_box() for name in (".listing > .found", ".listing > .aside"))
    assert table and aside and table["x"] + table["width"] <= aside["x"]
