import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.models import Adaptation, Proposal
from memories.values.choices import Category, DeletionPolicy, Sensitivity, Status, Type
from tests.make import ANNA, AT, BEN, make_memory, make_run, make_skill, make_version
from tests.memories.storing import agent, store
from tests.pages import candidate, signed_in, support
from tests.skills.using import report

pytestmark = pytest.mark.django_db


def test_the_list_shows_what_is_known_but_not_the_episodes() -> None:
    make_memory("Acme pays late")
    make_run(title="A long conversation")
    page = signed_in().get("/memories/").content.decode()
    assert "Acme pays late" in page
    assert "A long conversation" not in page


def test_nothing_is_decided_about_a_working_state() -> None:
    state = make_memory("planning", type=Type.WORKING, category=None)
    browser = signed_in()
    for memory, offers in ((state, False), (make_memory(), True)):
        page = browser.get(f"/memories/{memory.pk}/").content.decode()
        assert ('value="promote' in page, 'value="dismiss' in page) == (offers, offers)


def test_the_list_is_filtered_by_type_status_and_scope() -> None:
    make_memory("one", scope="project:a")
    make_memory("two", status=Status.CONFIRMED)
    make_memory("three", type=Type.WORKING)
    client = signed_in()
    asked = {"one": {"scope": "project:a"}, "two": {"status": "confirmed"}, "three": {"type": "working"}}
    for content, query in asked.items():
        page = client.get("/memories/", query).content.decode()
        assert [word for word in ("one", "two", "three") if re.search(rf">\s*{word}\s*<", page)] == [content]


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    make_memory()
    with django_assert_num_queries(6):
        client.get("/memories/")
    for n in range(10):
        make_memory(f"claim {n}")
        candidate(f"skill-{n}")
    with django_assert_num_queries(6):
        client.get("/memories/")


def test_the_page_of_a_skill_shows_what_an_agent_reads_and_the_runs_behind_it() -> None:
    skill = candidate()
    page = signed_in().get(f"/memories/{skill.pk}/").content.decode()
    assert "SKILL.md" in page
    assert "<h1>" in page.split('id="skill-md"')[1]
    assert page.count('class="outcome is-success"') >= 2
    assert 'class="bad" title="failed"' in page
    assert f"/skills/{skill.pk}/1.zip" in page
    assert "create" in page.split('id="history"')[1] or "propose" in page


def test_a_proposed_version_is_shown_with_what_it_changes() -> None:
    skill = make_skill()
    make_version(skill, description="Books a flight and a seat")
    page = signed_in().get(f"/memories/{skill.pk}/").content.decode()
    assert "What changes from version 1" in page
    assert "Books a flight<ins>" in page
    assert " and a seat</ins>" in page


def test_the_page_needs_the_same_queries_however_many_runs_speak_for_it(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client, skill = signed_in(), make_skill()
    support(skill.memory)
    report()
    with django_assert_num_queries(13):
        client.get(f"/memories/{skill.pk}/")
    support(skill.memory, successes=6)
    make_version(skill, description="Books a flight and a seat")
    report("failure")
    with django_assert_num_queries(13):
        client.get(f"/memories/{skill.pk}/")


def test_the_page_of_an_applied_memory_with_an_open_proposal_needs_twelve_queries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    memory = make_memory("Greet customers by name", status=Status.APPLIED, category=Category.PREFERENCE, times_used=3)
    Adaptation.objects.open(memory, by=ANNA, at=AT, again=False)
    support(memory)
    make_memory("Greet customers by their last name", status=Status.CONFIRMED)
    facts: dict[str, Any] = {"change": {"verb": "edit", "content": "Greet nobody"}, "made_by": "P01", "sensitivity": 1}
    Proposal.objects.create(memory=memory, kind=Proposal.Kind.REVISION, fingerprint=b"x", opened_at=AT, **facts)
    with django_assert_num_queries(12):
        page = client.get(f"/memories/{memory.pk}/").content.decode()
    assert "nobody</ins>" in page and "Now following" in page


def test_the_page_of_a_fact_says_how_sure_it_is() -> None:
    memory = make_memory(category=Category.FACT, key="acme-terms", confidence=50)
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    assert "confirmed at 60" in page
    assert "acme-terms" in page


def test_all_occasions_stand_on_a_page_of_their_own() -> None:
    skill = candidate()
    support(skill.memory, successes=14)
    client = signed_in()
    assert "All 18 occasions" in client.get(f"/memories/{skill.pk}/").content.decode()
    assert client.get(f"/memories/{skill.pk}/evidence/").content.decode().count("Book me a flight") == 18


def test_what_is_above_the_clearance_or_not_there_is_the_same_404() -> None:
    hidden, client = make_memory("a secret", sensitivity=Sensitivity.HIGH), signed_in()
    assert client.get(f"/memories/{hidden.pk}/").status_code == 404
    assert client.get(f"/memories/{hidden.pk}/evidence/").status_code == 404
    assert client.get(f"/memories/{uuid4()}/").status_code == 404
    assert "a secret" not in client.get("/memories/").content.decode()


def test_a_run_above_the_clearance_is_evidence_without_its_trace() -> None:
    memory = make_memory()
    (run,) = support(memory, successes=1, failures=0)
    type(run).objects.filter(pk=run.pk).update(sensitivity=Sensitivity.HIGH)
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    assert "you may not see" in page
    assert "book_flight" not in page


def test_an_episode_addressed_as_a_memory_leads_to_its_page() -> None:
    run = make_run()
    assert signed_in().get(f"/memories/{run.pk}/").headers["Location"] == f"/episodes/{run.pk}/"


def test_markup_in_a_memory_is_text() -> None:
    memory = make_memory("<script>alert(1)</script>")
    assert "<script>alert" not in signed_in().get(f"/memories/{memory.pk}/").content.decode()


def test_the_list_is_searched_by_words_and_by_key() -> None:
    trust = agent()
    store("Acme pays its invoices late", key="acme-terms", trust=trust)
    store("Globex is on time", key="globex-terms", trust=trust)
    client = signed_in()
    for words, found, other in (("invoice", "Acme", "Globex"), ("globex-t", "Globex", "Acme")):
        page = client.get("/memories/", {"q": words}).content.decode()
        assert found in page
        assert f"{other} " not in page
    assert "Nothing matches" in client.get("/memories/", {"q": "umbrella"}).content.decode()


def test_forgetting_is_offered_to_who_may_and_where_it_may_be() -> None:
    memory, kept, run = make_memory(), make_memory(deletion_policy=DeletionPolicy.NEVER), make_run()
    reviewer, viewer = signed_in(), signed_in("victor", group="viewer")
    for address, row in ((f"/memories/{memory.pk}/", memory), (f"/episodes/{run.pk}/", run)):
        link = f"/memories/{row.pk}/forget/"
        assert link in reviewer.get(address).content.decode()
        assert link not in viewer.get(address).content.decode()
    assert "/forget/" not in reviewer.get(f"/memories/{kept.pk}/").content.decode()


def test_who_said_it_without_an_episode_is_named() -> None:
    memory = store("Acme pays late", trust=agent("mail-assistant")).memory
    assert memory is not None
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    assert re.search(r"mail-assistant</span>\s*said it first", page)
    assert "you may not see" not in page


def test_the_list_and_its_export_are_filtered_by_tag() -> None:
    make_memory("Acme pays late", tags=["billing", "eu"])
    make_memory("Globex is on time", tags=["crm"])
    client = signed_in()
    page = client.get("/memories/", {"tag": "billing"}).content.decode()
    assert ("Acme pays late" in page, "Globex" in page) == (True, False)
    csv: Any = client.get("/memories/export.csv", {"tag": "billing"})
    assert b"Globex" not in b"".join(csv.streaming_content)


def test_the_history_says_in_plain_words_what_was_done() -> None:
    memory = make_memory()
    memory.promote(by=ANNA, at=AT)
    page = signed_in("ben").get(f"/memories/{memory.pk}/").content.decode()
    assert "promoted → confirmed" in page


def test_the_undo_of_what_was_decided_with_others_says_that_these_come_along() -> None:
    client, rows = signed_in(), [make_memory(f"Acme pays invoice {n} late") for n in range(3)]
    client.post("/bulk/", {"decision": "dismiss noise", "chosen": "\n".join(str(row.pk) for row in rows[:2])})
    client.post("/bulk/", {"decision": "dismiss noise", "chosen": str(rows[2].pk)})
    told = [client.get(f"/memories/{row.pk}/").content.decode().split('id="history"')[1] for row in rows]
    assert ["Undo, with the others" in history for history in told] == [True, True, False]


def test_of_many_tags_the_first_are_shown_and_the_others_folded_away() -> None:
    memory = make_memory(tags=[f"tag-{n}-" for n in range(60)])
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    first, _summary, others = page.partition("All 60 tags")
    assert "tag-11-</span>" in first and "tag-12-</span>" not in first and "tag-59-</span>" in others


@pytest.mark.parametrize(("words", "is_folded"), [(100, False), (3_000, True)])
def test_a_long_text_is_cut_until_all_of_it_is_asked_for(words: int, is_folded: bool) -> None:
    memory = make_memory("Acme pays " * words)
    page = signed_in().get(f"/memories/{memory.pk}/").content.decode()
    assert ("Show all" in page) is is_folded


def test_a_plan_is_not_said_to_be_confirmed_by_its_confidence() -> None:
    plan = make_memory("get_order → refund", type=Type.PLAN_GRAPH, category=None, status=Status.CANDIDATE)
    claim = make_memory("Acme pays late", status=Status.CANDIDATE)
    client, said = signed_in(), "confirmed at 60"
    pages = [client.get(f"/memories/{row.pk}/").content.decode() for row in (plan, claim)]
    assert [said in page for page in pages] == [False, True]


def test_no_decision_of_a_long_history_is_out_of_reach() -> None:
    row = make_memory("Acme pays late")
    for number in range(31):
        row.edit({"content": f"Acme pays on day {number}"}, by=ANNA if number else BEN, at=AT + timedelta(days=number))
    client, first = signed_in(), "<td>ben</td>"
    page = client.get(f"/memories/{row.pk}/").content.decode()
    assert first not in page and 'href="?history=all#history"' in page
    whole = client.get(f"/memories/{row.pk}/?history=all").content.decode()
    assert first in whole and "Older decisions too" not in whole
