import re
from html import unescape
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory
from memories.values.choices import Sensitivity, Status, Type
from memos_site.web.inbox import FIRST_ROWS, MORE_ROWS
from skills.models import Skill, SkillVersion
from tests.make import make_memory, make_skill, make_version
from tests.pages import HTMX, candidate, signed_in

pytestmark = pytest.mark.django_db


def decide(client: Client, memory: Memory, decision: str, **more: object) -> str:
    response = client.post(f"/memories/{memory.pk}/decide/", {"decision": decision}, follow=True, **more)  # type: ignore[arg-type]
    return response.content.decode()


def rows_of(page: str) -> str:
    """What stands in the queue, without the form about several of them."""
    return page[page.index('<ul class="queue"') :]


def undo_link(page: str) -> str:
    found = re.search(r"/undo/[0-9a-f-]{36}/", page)
    assert found
    return found[0]


def test_a_stranger_is_asked_to_sign_in() -> None:
    response = Client().get("/")
    assert response.status_code == 302
    assert response.headers["Location"].startswith("/login/")


def test_the_inbox_shows_a_candidate_skill_with_its_record_and_why_it_is_proposed() -> None:
    skill = candidate()
    page = signed_in().get("/").content.decode()
    assert skill.title in page
    assert "2 distinct runs reached their goal this way; 1 with the same tools did not" in page
    record = page[page.index('class="rate"') :].split("</p>")[0]
    assert record.split()[1:2] == ["2"] and "of 3 runs" in " ".join(record.split())  # a share of so few says nothing


def test_a_skill_is_edited_on_the_page_of_its_fields() -> None:
    edit = f'href="/skills/{candidate().pk}/edit/" data-does="edit"'
    assert edit in signed_in().get("/").content.decode()
    assert edit not in signed_in("vera", group="viewer").get("/").content.decode()


def test_the_inbox_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    candidate("one")
    with django_assert_num_queries(13):
        client.get("/")
    for name in ("two", "three", "four"):
        candidate(name)
        make_memory(name)
    with django_assert_num_queries(13):
        client.get("/")


def test_what_is_above_the_clearance_is_not_in_the_inbox() -> None:
    make_memory("a secret", sensitivity=Sensitivity.HIGH)
    assert "a secret" not in signed_in().get("/").content.decode()


def test_an_empty_inbox_takes_a_file_and_its_rail_leads_to_the_import() -> None:
    client = signed_in()
    assert 'action="/import/"' in (page := client.get("/").content.decode())
    assert ("data-first-report" in page, 'href="/import/"' in page) == (True, True)
    assert 'aria-current="page"' in client.get("/import/").content.decode().split('href="/import/"')[1][:200]
    candidate("one")
    assert 'href="/import/"' not in client.get("/").content.decode() + client.get("/runs/").content.decode()


def test_the_rest_of_the_queue_follows_by_a_cursor() -> None:
    for n in range(FIRST_ROWS + 3):
        make_memory(f"claim number {n}")
    client = signed_in()
    first = client.get("/").content.decode()
    link = re.search(r'href="(\?cursor=[^"]+)"', first)
    assert link
    second = client.get("/" + unescape(link[1])).content.decode()
    shown = [set(re.findall(r"claim number \d+", page)) for page in (first, second)]
    assert len(shown[0]) == FIRST_ROWS
    assert shown[0] & shown[1] == set()
    assert len(shown[0] | shown[1]) == FIRST_ROWS + 3


def test_what_follows_is_rows_alone_and_needs_fewer_queries(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for n in range(FIRST_ROWS + MORE_ROWS):
        make_memory(f"claim number {n}")
    client = signed_in()
    link = re.search(r'href="(\?cursor=[^"]+)"', client.get("/").content.decode())
    assert link
    with django_assert_max_num_queries(7):
        more = client.get("/" + unescape(link[1]), headers=HTMX).content.decode()
    assert more.count('class="row"') == MORE_ROWS
    assert "<html" not in more and "cursor=" not in more


def test_a_cursor_of_another_list_is_not_found() -> None:
    assert signed_in().get("/", {"cursor": "nonsense"}).status_code == 404


def test_the_kinds_can_be_looked_at_one_by_one() -> None:
    candidate("a-skill")
    make_memory("a fact")
    page = signed_in().get("/", {"kind": Type.SEMANTIC}).content.decode()
    assert "a fact" in page
    assert "a skill" not in page


def test_promoting_a_skill_publishes_its_version_and_can_be_undone_without_scripts() -> None:
    skill, client = candidate(), signed_in()
    page = decide(client, skill.memory, "promote")
    assert "Published" in page
    assert Memory.objects.get(pk=skill.pk).status == Status.CONFIRMED
    assert SkillVersion.objects.get(skill=skill).status == SkillVersion.Status.PUBLISHED
    page = client.post(undo_link(page), follow=True).content.decode()
    assert "Undone" in page
    assert Memory.objects.get(pk=skill.pk).status == Status.CANDIDATE
    assert SkillVersion.objects.get(skill=skill).status == SkillVersion.Status.PROPOSED


def test_a_dismissal_keeps_its_reason_and_note() -> None:
    memory, client = make_memory(), signed_in()
    client.post(f"/memories/{memory.pk}/decide/", {"decision": "dismiss wrong", "note": "it is net-60"})
    assert Memory.objects.get(pk=memory.pk).status == Status.DISMISSED
    assert "wrong: it is net-60" in client.get(f"/memories/{memory.pk}/").content.decode()


def test_htmx_gets_the_row_the_toast_and_the_count() -> None:
    memory = make_memory()
    page = decide(signed_in(), memory, "dismiss noise", headers=HTMX)
    assert f'id="row-{memory.pk}"' in page
    assert "Dismissed as noise" in page
    assert 'id="waiting" hx-swap-oob="true">0<' in page
    assert "<html" not in page


def test_who_comes_second_is_told_what_happened_and_changes_nothing() -> None:
    memory, anna, ben = make_memory(), signed_in("anna"), signed_in("ben")
    decide(anna, memory, "dismiss wrong")
    response = ben.post(f"/memories/{memory.pk}/decide/", {"decision": "promote"}, headers=HTMX)
    assert response.status_code == 409
    assert "anna dismissed this" in response.content.decode()
    assert Memory.objects.get(pk=memory.pk).status == Status.DISMISSED


def test_who_comes_second_without_scripts_is_told_so_on_the_page() -> None:
    memory, anna, ben = make_memory(), signed_in("anna"), signed_in("ben")
    decide(anna, memory, "promote")
    assert "Too late" in decide(ben, memory, "promote")


def test_nobody_decides_on_what_changed_after_the_page_was_shown() -> None:
    memory, client = make_memory(), signed_in()
    decide(signed_in("ben"), memory, "promote")
    body = {"decision": "dismiss wrong", "seen": "1."}
    response = client.post(f"/memories/{memory.pk}/decide/", body, headers=HTMX)
    assert response.status_code == 409
    assert "ben promoted this" in response.content.decode()
    assert Memory.objects.get(pk=memory.pk).status == Status.CONFIRMED


def test_nobody_publishes_a_version_that_took_the_place_of_the_one_shown() -> None:
    skill, client = candidate(), signed_in()
    seen = re.search(r'name="seen" value="([^"]+)"', client.get("/").content.decode())
    assert seen
    make_version(skill, description="Books a flight and pays for it")
    body = {"decision": "promote", "seen": seen[1]}
    assert client.post(f"/memories/{skill.pk}/decide/", body, headers=HTMX).status_code == 409
    assert not SkillVersion.objects.filter(skill=skill, status=SkillVersion.Status.PUBLISHED).exists()


def test_a_skill_with_a_critical_finding_is_read_before_it_is_published_and_the_reason_is_kept() -> None:
    skill, client = candidate(), signed_in()
    finding = {
        "severity": "critical",
        "rule": "download-and-run",
        "file": "SKILL.md",
        "line": 3,
        "excerpt": "curl | sh",
    }
    SkillVersion.objects.filter(skill=skill).update(scan={"findings": [finding]})
    page = client.get("/").content.decode()
    assert "critical finding" in page
    assert 'value="promote"' not in rows_of(page)
    assert f'href="/memories/{skill.pk}/?queue" data-does="promote"' in page, "from there on to the next in the queue"
    page = client.get(f"/memories/{skill.pk}/").content.decode()
    assert "Publish despite the findings" in page
    client.post(f"/memories/{skill.pk}/decide/", {"decision": "promote", "note": "our own mirror"})
    assert "our own mirror" in client.get(f"/memories/{skill.pk}/").content.decode()


def test_an_undo_that_comes_too_late_says_why() -> None:
    memory, anna, ben = make_memory(), signed_in("anna"), signed_in("ben")
    link = undo_link(decide(anna, memory, "promote"))
    decide(ben, memory, "dismiss stale")
    response = anna.post(link, headers=HTMX)
    assert response.status_code == 409
    assert "Not undone" in response.content.decode()


def test_what_is_undone_comes_back_as_a_row() -> None:
    memory, client = make_memory(), signed_in()
    link = undo_link(decide(client, memory, "promote", headers=HTMX))
    page = client.post(link, headers=HTMX).content.decode()
    assert f'id="row-{memory.pk}"' in page
    assert "hx-swap-oob" in page


def test_a_viewer_may_read_but_not_decide() -> None:
    memory, client = make_memory(), signed_in(group="viewer")
    for path in ("/", f"/memories/{memory.pk}/"):
        page = client.get(path).content.decode()
        assert memory.content in page
        assert "/decide/" not in page
    assert client.post(f"/memories/{memory.pk}/decide/", {"decision": "promote"}).status_code == 403


def test_a_decision_on_what_one_may_not_see_is_not_found() -> None:
    hidden = make_memory(sensitivity=Sensitivity.HYPER)
    client = signed_in()
    assert client.post(f"/memories/{hidden.pk}/decide/", {"decision": "promote"}).status_code == 404
    assert client.post(f"/undo/{uuid4()}/").status_code == 404


def test_a_dismissal_without_a_reason_and_an_unknown_verb_are_refused() -> None:
    memory, client = make_memory(), signed_in()
    for decision in ("dismiss", "explode", ""):
        assert client.post(f"/memories/{memory.pk}/decide/", {"decision": decision}).status_code == 400
    assert Memory.objects.get(pk=memory.pk).status == Status.CANDIDATE


def test_nobody_is_sent_to_another_site_after_a_decision() -> None:
    memory = make_memory()
    body = {"decision": "promote", "next": "https://evil.example/"}
    assert signed_in().post(f"/memories/{memory.pk}/decide/", body).headers["Location"] == "/"


def test_a_new_version_of_a_published_skill_waits_and_says_which_one_agents_use() -> None:
    skill: Skill = make_skill()
    make_version(skill, description="Books a flight and a seat")
    page = signed_in().get("/").content.decode()
    assert "skill, version 2" in page
    assert "Agents use version 1 until this one" in page
    assert "dismiss wrong" not in rows_of(page)  # that would take the whole skill from the agents, not this version


def test_who_comes_to_a_forms_address_by_a_link_is_led_to_the_inbox() -> None:
    client = signed_in()
    for path in (f"/memories/{uuid4()}/decide/", f"/undo/{uuid4()}/"):
        assert client.get(path, follow=True).redirect_chain == [("/", 302)]


@pytest.mark.parametrize("path", ["/?kind=%00", "/episodes/?source=%00", "/memories/?scope=a%00b"])
def test_a_nul_character_in_a_pages_address_is_a_bad_request(path: str) -> None:
    assert signed_in().get(path).status_code == 400


def test_who_cancels_an_edit_is_back_in_the_inbox_as_it_was_narrowed() -> None:
    memory, client = make_memory(), signed_in()
    headers = HTMX | {"HX-Current-URL": "http://testserver/?kind=semantic&sort=newest#row"}
    back = 'href="/?kind=semantic&amp;sort=newest" data-does="cancel"'
    assert back in client.get(f"/memories/{memory.pk}/edit/", headers=headers).content.decode()
    body = {"decision": "edit", "content": " ", "seen": "1."}
    refused = client.post(f"/memories/{memory.pk}/decide/", body, headers=headers)
    assert refused.status_code == 409
    assert back in refused.content.decode()
