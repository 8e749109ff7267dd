"""The page of a memory as it stood: reached from its history, by links and a form, without scripts.

What the pages say of the grounds of a memory: runs told apart, and no speakers where nobody spoke.
The page that asks before something is forgotten.
"""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from memories.models import AuditEntry, Episode, FormerState, Memory
from memories.values.choices import DeletionPolicy, Origin, Outcome, Sensitivity, Status
from memories.values.trust import everything
from memos_site.templatetags.episode import run_name, says_more
from skills import outcomes
from tests.consolidation.plugins import EMAIL, MORNING, days, live, ran, ruled
from tests.make import ANNA, AT, make_memory, make_person, make_run, make_skill
from tests.pages import candidate, signed_in

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
    assert "State of 2 Mar 2026, 11:59:59" in edited
    assert re.search(r"<del>.*thirty.*</del>", edited) and re.search(r"<ins>.*sixty.*</ins>", edited)
    assert re.search(r"confirmed\s*<strong>→ applied</strong>", edited)
    assert "csrf" not in edited.split('id="main"')[1]  # nothing there can be changed


def test_one_goes_from_state_to_state_and_to_any_time_by_a_form() -> None:
    row = make_memory("Acme pays within thirty days")
    for number, told in enumerate(("sixty", "ninety"), start=1):
        row.edit({"content": f"Acme pays within {told} days"}, by=ANNA, at=AT + number * DAY)
    client, address = signed_in(), f"/memories/{row.pk}/as-of/"
    page = client.get(address, {"as_of": "2026-03-02T18:00"}).content.decode()  # as a form sends it, without a zone
    assert "<h1>Acme pays within sixty days</h1>" in page
    before, after = (address + unescape(found) for found in re.findall(r'href="(\?as_of=[^"]+)"', page))
    assert "<h1>Acme pays within thirty days</h1>" in client.get(before).content.decode()
    assert "<h1>Acme pays within ninety days</h1>" in client.get(after).content.decode()
    assert "it did not exist yet" in client.get(address, {"as_of": "2026-02-01T00:00:00Z"}).content.decode()


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


def pattern_of_three_runs() -> tuple[str, list[str]]:
    """The id of a pattern over three runs of a plugin, and what the runs were about."""
    runs = [ran(at=MORNING + days(n), **EMAIL) for n in range(3)]
    ruled()
    pattern = live("p01-acmecorp-action-required")
    assert pattern is not None
    return str(pattern.pk), [run.content.split(" ", 1)[1] for run in runs]


def test_runs_of_a_plugin_are_told_apart_by_what_they_are_about() -> None:
    memory, refs = pattern_of_three_runs()
    client = signed_in()
    for address in (f"/memories/{memory}/", f"/memories/{memory}/evidence/", f"/memories/{memory}/pane/"):
        page = client.get(address).content.decode()
        assert all(f"Plugin run: {ref}" in " ".join(page.split()) for ref in refs), address


def test_of_a_skill_nobody_is_said_to_have_said_it() -> None:
    skill = candidate()
    page = " ".join(signed_in().get(f"/memories/{skill.pk}/pane/").content.decode().split())
    assert "Where it was seen" in page and "2 sessions" in page and "was the first to show it" in page
    assert "speaker" not in page and "said it" not in page


def test_a_skill_that_a_person_brought_in_says_so_and_that_agents_used_it() -> None:
    skill = make_skill(origin=Origin.IMPORTED, created_by="ben", source="ben")
    outcomes.report(skill, outcomes.Use(Outcome.SUCCESS), trust=everything(ANNA), at=AT)
    page = " ".join(signed_in().get(f"/memories/{skill.pk}/pane/").content.decode().split())
    said = page.split('<ol class="said-by">')[1].split("</ol>")[0]
    assert "<strong>ben</strong> brought it in" in said and "<strong>anna</strong> used it" in said
    assert "Where it was used" in page and "the first to show it" not in page


def test_a_quote_is_left_out_only_where_the_name_of_the_run_says_it() -> None:
    untitled, titled = Episode(source="P01"), Episode(source="P01", title="Where is")
    untitled.opening = "Where is my\nparcel?"  # type: ignore[attr-defined]
    words = "Where is my parcel? It is late."
    assert not says_more(words, untitled) and says_more("It is late.", untitled)
    assert says_more(words, titled) and not says_more("Where is", titled)
    assert says_more(words, None) and not says_more("", None)


def test_the_tags_around_a_task_are_no_part_of_its_name() -> None:
    task = Episode(source="P01")
    task.opening = "<task>\n<pr_description>\nMend the <b> tag"  # type: ignore[attr-defined]
    assert run_name(task) == "Mend the <b> tag"
    assert not says_more("<task> <pr_description> Mend the <b> tag, please", task)
    task.opening = "<task>"  # type: ignore[attr-defined]
    assert run_name(task) == "<task>"


def test_what_was_learned_from_runs_says_so_in_words() -> None:
    learned = make_memory("Run the tests with -n 2", source="consolidation", origin=Origin.CONSOLIDATED)
    told = make_memory("Acme pays late", source="P01", status=Status.CONFIRMED)
    client = signed_in()
    page = client.get(f"/memories/{learned.pk}/").content.decode()
    assert "learned from recorded runs" in page and "consolidated" not in page
    inbox = client.get("/").content.decode()
    assert "<span>from runs</span>" in inbox and "consolidation</span>" not in inbox
    assert "learned from recorded runs" not in client.get(f"/memories/{told.pk}/").content.decode()


def test_it_says_what_would_go_and_does_nothing(reviewer: Client) -> None:
    page = reviewer.get(f"/memories/{make_run().pk}/forget/")
    assert "2 events" in page.content.decode()
    assert Memory.objects.exists()


def test_the_word_is_taken_once_and_the_reason_is_kept(reviewer: Client) -> None:
    memory = make_memory()
    answer = reviewer.post(f"/memories/{memory.pk}/forget/", {"why": "they asked for it"}, follow=True)
    assert answer.redirect_chain == [("/memories/", 302)]
    assert "Forgotten." in answer.content.decode()
    assert AuditEntry.objects.about("memory", memory.pk).get().rationale == "they asked for it"
    assert reviewer.post(f"/memories/{memory.pk}/forget/").status_code == 404


def test_a_refusal_says_why(reviewer: Client) -> None:
    memory = make_memory(deletion_policy=DeletionPolicy.NEVER)
    for answer in (reviewer.get(f"/memories/{memory.pk}/forget/"), reviewer.post(f"/memories/{memory.pk}/forget/")):
        assert answer.status_code == 409
        assert "never" in answer.content.decode()
    assert Memory.objects.exists()


def test_it_is_for_those_who_decide_and_may_see_it(reviewer: Client) -> None:
    secret = make_memory(sensitivity=Sensitivity.HYPER)
    assert reviewer.get(f"/memories/{secret.pk}/forget/").status_code == 404
    viewer = Client()
    viewer.force_login(make_person("ben", group="viewer"))
    assert viewer.post(f"/memories/{make_memory().pk}/forget/").status_code == 403
    assert Memory.objects.count() == 2
