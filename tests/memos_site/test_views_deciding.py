"""The forms of the desk: edit, snooze, apply, many at once, proposals, adaptations, tombstones; without scripts too."""

import re
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories.models import Adaptation, Memory, Proposal, Tombstone
from memories.values.choices import Status
from memos_site.web.inbox import FIRST_ROWS
from memos_site.web.word_diff import word_pieces
from tests.deciding import make_applied, propose
from tests.make import ANNA, AT, make_memory, make_skill, make_version
from tests.pages import HTMX, signed_in

pytestmark = pytest.mark.django_db


def decide(client: Client, memory: Memory, decision: str, **more: Any) -> Any:
    headers = more.pop("headers", None)
    return client.post(f"/memories/{memory.pk}/decide/", {"decision": decision, **more}, headers=headers, follow=True)


def undo(client: Client, page: str) -> None:
    found = re.search(r"/undo/[0-9a-f-]{36}/", page)
    assert found
    client.post(found[0])


def test_promoted_to_applied_it_stands_among_the_adaptations_and_is_reverted_there(reviewer: Client) -> None:
    memory = make_memory("Reply in German", category="preference")
    assert "Applied" in decide(reviewer, memory, "promote applied").content.decode()
    page = reviewer.get("/adaptations/").content.decode()
    assert "Now following the preference: Reply in German" in page
    path = f"/adaptations/{Adaptation.objects.get().pk}/revert/"
    page = reviewer.post(path, {"decision": "keep", "next": "/adaptations/"}, follow=True).content.decode()
    assert "No memory changes behaviour" in page
    assert Memory.objects.get().status == Status.CONFIRMED
    assert "user revert" in reviewer.get("/adaptations/?past=1").content.decode()
    undo(reviewer, page)
    assert Adaptation.objects.active().exists()
    reviewer.post(path, {"decision": "dismiss"})
    assert Memory.objects.get().status == Status.DISMISSED


def test_adaptations_say_which_a_rule_applied_and_cost_the_same_queries(
    reviewer: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_applied()
    with django_assert_num_queries(6):
        assert "applied by rule" not in reviewer.get("/adaptations/").content.decode()
    for n in range(3):
        make_applied(f"Reply in language {n}", source=f"agent-{n}")
    Memory.objects.update(hold="")
    make_applied("a secret rule", sensitivity=4)
    with django_assert_num_queries(6):
        page = reviewer.get("/adaptations/").content.decode()
    assert page.count("applied by rule") == 4
    assert "a secret rule" not in page
    assert reviewer.get("/adaptations/?plugin=agent-1").content.decode().count("data-row") == 1


def test_an_edit_is_saved_and_undone_and_the_row_stays(reviewer: Client) -> None:
    memory = make_memory()
    assert 'name="content"' in reviewer.get(f"/memories/{memory.pk}/edit/").content.decode()
    page = decide(reviewer, memory, "edit", content="Acme pays late", headers=HTMX).content.decode()
    assert f'id="row-{memory.pk}"' in page
    assert 'value="promote"' in page
    assert "Saved" in page
    undo(reviewer, page)
    assert Memory.objects.get().content == memory.content
    decide(reviewer, memory, "promote", content="Acme pays late")
    assert Memory.objects.values_list("content", "status").get() == ("Acme pays late", "confirmed")


def test_what_was_typed_is_not_lost_when_somebody_was_faster(reviewer: Client) -> None:
    memory = make_memory()
    memory.edit({"content": "Acme pays on net-60 terms"}, by=ANNA, at=AT)
    for headers in ({}, HTMX):
        told = decide(reviewer, memory, "edit", content="Acme pays early", seen="1.", headers=headers)
        page = told.content.decode()
        assert told.status_code == 409
        assert "Acme pays early" in page
        assert "it has changed since you saw it" in page
        assert 'name="seen" value="2."' in page
    assert Memory.objects.get().content == "Acme pays on net-60 terms"


def test_an_empty_text_is_refused_with_a_reason(reviewer: Client) -> None:
    told = decide(reviewer, make_memory(), "edit", content="  ")
    assert "content: must say something" in told.content.decode()
    assert Memory.objects.get().version == 1


def test_category_tags_and_sensitivity_are_edited_on_the_page(reviewer: Client) -> None:
    memory = make_memory(category="fact")
    decide(reviewer, memory, "edit", content=memory.content, category="contact", tags="a, b,", sensitivity="medium")
    assert Memory.objects.values_list("category", "tags", "sensitivity").get() == ("contact", ["a", "b"], 2)


@pytest.mark.parametrize("decision", ["snooze tomorrow", "snooze week"])
def test_what_is_snoozed_leaves_the_queue_and_undo_brings_it_back(reviewer: Client, decision: str) -> None:
    memory = make_memory("Acme pays late")
    page = decide(reviewer, memory, decision).content.decode()
    assert "Nothing waits for you" in page
    undo(reviewer, page)
    assert "Acme pays late" in reviewer.get("/").content.decode()


def test_demoted_pinned_and_woken_on_the_page(reviewer: Client) -> None:
    memory = make_applied()
    decide(reviewer, memory, "demote confirmed")
    decide(reviewer, memory, "pin")
    assert Memory.objects.values_list("status", "hold", "pinned").get() == ("confirmed", "fixed", True)
    decide(reviewer, memory, "pin off")
    decide(reviewer, memory, "snooze tomorrow")
    decide(reviewer, memory, "snooze wake")
    assert Memory.objects.values_list("pinned", "snoozed_until").get() == (False, None)
    assert "fixed by a person" in reviewer.get(f"/memories/{memory.pk}/").content.decode()


def test_those_that_are_ticked_are_decided_as_one_batch_and_each_that_was_not_is_named(reviewer: Client) -> None:
    one, other, changed = (make_memory(f"claim {n}") for n in range(3))
    changed.edit({"content": "changed by a colleague"}, by=ANNA, at=AT)
    body = {"decision": "dismiss noise", "chosen": [f"{memory.pk} 1." for memory in (one, other, changed)]}
    page = reviewer.post("/bulk/", body, follow=True).content.decode()
    assert "Dismissed 2: “claim 0”, “claim 1”. 1 not" in page
    assert "changed by a colleague" in page
    assert Memory.objects.filter(status="dismissed").count() == 2
    undo(reviewer, page)
    assert not Memory.objects.filter(status="dismissed").exists()


def test_all_that_match_are_those_that_waited_when_the_page_was_shown(reviewer: Client) -> None:
    ids = [make_memory(f"claim {n}").pk for n in range(FIRST_ROWS + 1)]
    skill = make_skill()
    make_version(skill, description="Otherwise")
    page = reviewer.get("/?kind=semantic").content.decode()
    assert f"All {len(ids)} that match" in page
    as_of = re.search(r'name="as_of" value="([^"]+)"', page)
    assert as_of
    late = make_memory("came later", created_at="2999-01-01T00:00:00Z", updated_at="2999-01-01T00:00:00Z")
    body = {"decision": "promote", "matching": "1", "kind": "semantic", "as_of": as_of[1].replace("&#x2B;", "+")}
    assert f"Promoted {len(ids)}" in reviewer.post("/bulk/", body, follow=True).content.decode()
    assert set(Memory.objects.filter(status="confirmed").values_list("pk", flat=True)) == {*ids, skill.pk}
    assert Memory.objects.get(pk=late.pk).status == "candidate"


@pytest.mark.parametrize("body", [{"chosen": "x 1."}, {"matching": "1", "as_of": "yesterday"}, {"decision": "explode"}])
def test_a_form_that_cannot_be_read_is_refused(reviewer: Client, body: dict[str, str]) -> None:
    make_memory()
    assert reviewer.post("/bulk/", {"decision": "promote", **body}).status_code == 400
    assert reviewer.post("/bulk/", {"decision": "promote"}, follow=True).status_code == 200
    assert Memory.objects.get().version == 1


def test_a_proposal_stands_in_the_queue_with_its_words_and_is_accepted_once(reviewer: Client) -> None:
    proposal = propose(make_memory(status="confirmed"))
    page = reviewer.get("/").content.decode()
    assert re.search(r"<del>.*?30</del><ins>.*?60</ins>", page, re.S)
    path = f"/proposals/{proposal.pk}/decide/"
    page = reviewer.post(path, {"decision": "accept", "seen": "1"}, headers=HTMX).content.decode()
    assert "Accepted" in page
    assert Memory.objects.get().content == "Acme pays on net-60 terms"
    late = reviewer.post(path, {"decision": "reject"}, headers=HTMX)
    assert late.status_code == 409
    assert "accepted by anna" in late.content.decode()
    undo(reviewer, page)
    assert Proposal.objects.open().exists()
    assert reviewer.post(path, {"decision": "explode"}).status_code == 400


def test_undoing_a_rejection_brings_the_row_back(reviewer: Client) -> None:
    proposal = propose(make_memory(status="confirmed"))
    page = reviewer.post(f"/proposals/{proposal.pk}/decide/", {"decision": "reject"}, headers=HTMX).content.decode()
    link = re.search(r"/undo/[0-9a-f-]{36}/", page)
    assert link
    assert f'id="row-{proposal.pk}"' in reviewer.post(link[0], headers=HTMX).content.decode()


def test_the_page_says_how_often_it_was_kept_out_and_lifts_that(reviewer: Client) -> None:
    memory = make_memory()
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    Tombstone.objects.update(hits=7, last_hit_at=AT)
    assert "Blocked 7 times" in reviewer.get(f"/memories/{memory.pk}/").content.decode()
    path = f"/tombstones/{Tombstone.objects.get().pk}/lift/"
    page = reviewer.post(path, {"next": f"/memories/{memory.pk}/"}, follow=True).content.decode()
    assert "It may come back" in page
    assert "Too late" in reviewer.post(path, follow=True).content.decode()


def test_the_page_shows_what_would_change_it_what_it_changed_and_what_was_edited(reviewer: Client) -> None:
    memory = make_applied()
    memory.edit({"content": "Reply in Italian"}, by=ANNA, at=AT)
    propose(memory, content="Reply in French")
    page = reviewer.get(f"/memories/{memory.pk}/").content.decode()
    for words in ("Proposed changes", "French</ins>", "What it changed", "superseded", "Italian</ins>"):
        assert words in page


def test_a_viewer_sees_the_queue_and_decides_nothing() -> None:
    memory = make_applied()
    proposal = propose(memory)
    viewer = signed_in("viewer", group="viewer")
    assert "/bulk/" not in viewer.get("/").content.decode()
    for path in (
        "/bulk/",
        f"/proposals/{proposal.pk}/decide/",
        f"/adaptations/{Adaptation.objects.get().pk}/revert/",
    ):
        assert viewer.post(path, {"decision": "accept"}).status_code in (400, 403)
    assert Proposal.objects.open().exists()


def test_words_that_changed_stand_side_by_side_and_long_stretches_are_cut() -> None:
    assert list(word_pieces("pays on net-30 terms", "pays on net-60 days")) == [
        ("same", "pays on "),
        ("removed", "net-30 terms"),
        ("added", "net-60 days"),
    ]
    many = " ".join(f"w{n}" for n in range(200))
    assert list(word_pieces("发货后30天内付款", "发货后60天内付款")) == [
        ("same", "发货后"),
        ("removed", "30"),
        ("added", "60"),
        ("same", "天内付款"),
    ]
    pieces = word_pieces(f"a {many} b", f"a {many} c")
    assert len("".join(text for _kind, text in pieces)) < 200
    assert [kind for kind, _text in word_pieces("x " * 5_000, "y " * 5_000)] == ["removed", "added"]


def test_a_proposal_is_snoozed_and_woken_by_undo(reviewer: Client) -> None:
    proposal = propose(make_memory(status="confirmed"))
    path = f"/proposals/{proposal.pk}/decide/"
    page = reviewer.post(path, {"decision": "snooze week"}, headers=HTMX).content.decode()
    assert "Snoozed" in page
    assert f"row-{proposal.pk}" not in reviewer.get("/").content.decode()
    assert Proposal.objects.open().exists()
    undo(reviewer, page)
    assert f"row-{proposal.pk}" in reviewer.get("/").content.decode()
    assert reviewer.post(path, {"decision": "snooze forever"}).status_code == 400
    reviewer.post(path, {"decision": "reject"}, headers=HTMX)
    late = reviewer.post(path, {"decision": "snooze tomorrow"}, headers=HTMX)
    assert late.status_code == 409
    assert "rejected by anna" in late.content.decode()


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_of_two_who_snooze_what_they_saw_the_second_is_told(reviewer: Client, headers: dict[str, str]) -> None:
    memory, proposal = make_memory(), propose(make_memory("Reply in German", status="confirmed"))
    page = reviewer.get("/").content.decode()
    for row, path in ((memory, f"/memories/{memory.pk}/decide/"), (proposal, f"/proposals/{proposal.pk}/decide/")):
        [seen] = re.findall(r'name="seen" value="([^"]*)"', page.split(f'id="row-{row.pk}"')[1].split("</form>")[0])
        assert reviewer.post(path, {"decision": "snooze tomorrow", "seen": seen}, headers=HTMX).status_code == 200
        until = type(row).objects.values_list("snoozed_until", flat=True).get(pk=row.pk)
        late = reviewer.post(path, {"decision": "snooze week", "seen": seen}, headers=headers, follow=True)
        assert "Too late" in late.content.decode()
        assert late.status_code == (409 if headers else 200)
        assert type(row).objects.values_list("snoozed_until", flat=True).get(pk=row.pk) == until


def test_what_was_ticked_before_somebody_snoozed_it_is_not_snoozed_again(reviewer: Client) -> None:
    memory = make_memory()
    body = {"decision": "snooze week", "chosen": f"{memory.pk} 1."}
    assert "Snoozed 1" in reviewer.post("/bulk/", body, follow=True).content.decode()
    assert "has changed since you saw it" in reviewer.post("/bulk/", body, follow=True).content.decode()
    assert Memory.objects.get().version == 2


def test_a_proposed_version_is_rejected_in_the_queue_and_on_its_page(reviewer: Client) -> None:
    skill = make_skill()
    make_version(skill, description="Books a flight and a seat")
    for path in ("/", f"/memories/{skill.pk}/"):
        assert 'value="reject wrong"' in reviewer.get(path).content.decode()
    page = decide(reviewer, skill.memory, "reject wrong", note="seats cost extra", next=f"/memories/{skill.pk}/")
    told = page.content.decode()
    assert "Version rejected as wrong" in told and "wrong: seats cost extra" in told
    assert 'value="reject wrong"' not in told
    assert skill.versions.get(number=2).status == "rejected"
    assert f"row-{skill.pk}" not in reviewer.get("/").content.decode()
    undo(reviewer, told)
    page = decide(reviewer, skill.memory, "reject noise", headers=HTMX)
    assert f'id="row-{skill.pk}"' in page.content.decode() and "confirmed" in page.content.decode()
    assert Memory.objects.get(pk=skill.pk).status == Status.CONFIRMED


def test_what_was_never_published_is_dismissed_and_not_rejected(reviewer: Client) -> None:
    skill = make_skill(published=False)
    for path in ("/", f"/memories/{skill.pk}/"):
        assert "reject wrong" not in reviewer.get(path).content.decode()
