"""The page of a memory as it stood: reached from its history, by links and a form, without scripts."""

import re
from datetime import timedelta
from html import unescape

import pytest

from memories.models import FormerState
from memories.values.choices import Sensitivity, Status
from tests.make import ANNA, AT, make_memory, make_run
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def test_each_decision_in_the_history_leads_to_what_it_was_made_on() -> None:
    row = make_memory("Acme pays within thirty days", status=Status.CONFIRMED, confidence=70)
    row.audit("create", by=ANNA, at=AT).save(force_insert=True)
    row.edit({"content": "Acme pays within sixty days"}, by=ANNA, at=AT + DAY)
    row.promote(by=ANNA, to=Status.APPLIED, at=AT + 2 * DAY)
    client = signed_in()
    page = client.get(f"/memories/{row.pk}/").content.decode().split('id="history"')[1]
    addresses = [unescape(found) for found in re.findall(r'href="([^"]+as_of=[^"]+)"', page)]
    promoted, edited = (client.get(address).content.decode() for address in addresses)
    assert "<h1>Acme pays within sixty days</h1>" in promoted
    assert "<h1>Acme pays within thirty days</h1>" in edited
    assert "As it stood on 2 Mar 2026, 11:59:59" in edited
    assert re.search(r"<del>.*thirty.*</del>", edited) and re.search(r"<ins>.*sixty.*</ins>", edited)
    assert re.search(r"confirmed\s*<strong>→ applied</strong>", edited)
    assert "csrf" not in edited.split('id="main"')[1]  # nothing there can be changed


def test_one_goes_from_state_to_state_and_to_any_time_by_a_form() -> None:
    row = make_memory("Acme pays within thirty days")
    for number, days in enumerate(("sixty", "ninety"), start=1):
        row.edit({"content": f"Acme pays within {days} days"}, by=ANNA, at=AT + number * DAY)
    client, address = signed_in(), f"/memories/{row.pk}/as-of/"
    page = client.get(address, {"as_of": "2026-03-02T18:00"}).content.decode()  # as a form sends it, without a zone
    assert "<h1>Acme pays within sixty days</h1>" in page
    before, after = (address + unescape(found) for found in re.findall(r'href="(\?as_of=[^"]+)"', page))
    assert "<h1>Acme pays within thirty days</h1>" in client.get(before).content.decode()
    assert "<h1>Acme pays within ninety days</h1>" in client.get(after).content.decode()
    assert "it was not there yet" in client.get(address, {"as_of": "2026-02-01T00:00:00Z"}).content.decode()


@pytest.mark.parametrize("text", ["", "yesterday", "2999-01-01T00:00:00Z", "2999-01-01T00:00", "0001-01-01T00:00"])
def test_a_time_that_has_not_passed_is_refused_in_words(text: str) -> None:
    answer = signed_in().get(f"/memories/{make_memory().pk}/as-of/", {"as_of": text})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_a_state_that_was_not_recorded_says_so() -> None:
    row = make_memory()
    row.edit({"content": "Acme pays late"}, by=ANNA, at=AT + DAY)
    client, asked = signed_in(), {"as_of": "2026-03-01T18:00:00Z"}
    assert "were not recorded yet" not in client.get(f"/memories/{row.pk}/as-of/", asked).content.decode()
    FormerState.objects.update(recorded=False)
    assert "were not recorded yet" in client.get(f"/memories/{row.pk}/as-of/", asked).content.decode()


def test_what_was_above_a_person_then_is_not_shown_to_them() -> None:
    row = make_memory("The safe opens with 4711", sensitivity=Sensitivity.HYPER)
    row.edit({"content": "The safe has a new code", "sensitivity": Sensitivity.LOW}, by=ANNA, at=AT + DAY)
    page = signed_in(group="viewer").get(f"/memories/{row.pk}/as-of/", {"as_of": "2026-03-01T18:00:00Z"})
    assert (page.status_code, b"4711" in page.content) == (200, False)
    later = signed_in("ben", group="viewer").get(f"/memories/{row.pk}/as-of/", {"as_of": "2026-03-02T18:00:00Z"})
    assert b"4711" not in later.content and b"as_of=2026-03-02T11" not in later.content


def test_the_facts_of_then_are_in_the_language_of_the_reader() -> None:
    row = make_memory(sensitivity=Sensitivity.LOW)
    asked = {"as_of": "2026-03-01T18:00:00Z"}
    page = signed_in().get(f"/memories/{row.pk}/as-of/", asked, headers={"Accept-Language": "zh-hans"})
    facts = page.content.decode().split("敏感级别")[1].split("</dd>")[0]
    assert "低" in facts and "low" not in facts


def test_an_episode_and_what_is_gone_have_no_such_page() -> None:
    gone, episode = make_memory(), make_run()
    client, asked = signed_in(), {"as_of": "2026-03-01T18:00:00Z"}
    pk = gone.pk
    gone.delete()
    assert [client.get(f"/memories/{one}/as-of/", asked).status_code for one in (pk, episode.pk)] == [404, 404]
