"""The page of the first ten minutes: each step is a plain form, and shows only what the person may do."""

import pytest
from django.test import Client

from memories.models import Agent, Memory
from memos_site import demo
from tests.make import make_memory, make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
STEPS = 4


def page_of(client: Client) -> str:
    answer = client.get("/welcome/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_empty_inbox_leads_here() -> None:
    assert 'href="/welcome/"' in signed_in().get("/").content.decode()


def test_an_inbox_of_an_empty_store_offers_the_demo_team_to_who_may_load_it() -> None:
    assert 'action="/welcome/demo/"' in signed_in("root", group="administrator").get("/").content.decode()
    assert 'action="/welcome/demo/"' not in signed_in("rita").get("/").content.decode()
    viewer = signed_in("vera", group="viewer").get("/").content.decode()
    assert 'href="/welcome/"' in viewer and "manage.py" not in viewer
    make_run()
    page = signed_in("olga", group="administrator").get("/").content.decode()
    assert "Nothing waits for you" in page and 'action="/welcome/demo/"' not in page


def test_an_administrator_does_all_steps_by_forms_without_scripts() -> None:
    page = page_of(signed_in("root", group="administrator"))
    for action in ("/welcome/demo/", "/import/", "/runs/start/", "/agents/"):
        assert f'action="{action}"' in page, action
    assert 'class="step-done"' not in page
    assert 'name="beside"' not in page, "nothing is here that it would come beside"


def test_a_step_that_is_done_says_so() -> None:
    make_run()
    page = page_of(signed_in("root", group="administrator"))
    assert page.count('class="step-done"') == 1 and 'name="beside"' in page


def test_who_may_not_do_a_step_gets_no_form_for_it() -> None:
    assert "<form" not in page_of(signed_in("v", group="viewer")).split('<main id="main">')[1].split("</main>")[0]
    reviewer = signed_in("r")
    page = page_of(reviewer)
    assert 'action="/import/"' in page and 'action="/agents/"' not in page and 'action="/welcome/demo/"' not in page
    assert reviewer.post("/welcome/demo/").status_code == 403
    assert reviewer.post("/welcome/demo/remove/").status_code == 403


def test_an_agent_is_made_in_one_field() -> None:
    root = signed_in("root", group="administrator")
    form = {"name": "helper", "clearance": "2", "expires": "", "permissions": ["read", "ingest", "report", "skills"]}
    answer = root.post("/agents/", form)
    assert b'id="token"' in answer.content and Agent.objects.filter(name="helper").exists()


def test_the_demo_comes_beside_other_data_only_when_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    own = make_memory()
    root = signed_in("root", group="administrator")
    answer = root.post("/welcome/demo/", follow=True)
    assert b"holds other data" in answer.content and list(Memory.objects.all()) == [own]
    monkeypatch.setattr(demo, "load", lambda *, at, beside_others: not seen.append(beside_others))  # type: ignore[func-returns-value]
    assert root.post("/welcome/demo/", {"beside": "on"})["Location"] == "/"
    assert seen == [True]
