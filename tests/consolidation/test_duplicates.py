"""Memories that say the same, or contradict each other, wait for a person as one proposal; nothing is merged unseen."""

from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from consolidation.duplicates_run import find_duplicates
from consolidation.models import Run
from memories.models import Memory, Proposal, Relation
from memories.values.choices import LIVE, Hold, Origin, Permission, Sensitivity, Status
from memories.values.trust import everything
from memos_site import review
from tests.make import AT, BEN, caller, make_agent, make_memory
from tests.memories.storing import NET30, NET60, store
from tests.pages import HTMX

pytestmark = pytest.mark.django_db
AGAIN = "Acme pays net 30 terms"


def stored(key: str, content: str, **facts: Any) -> Memory:
    memory = store(content, key=key, trust=make_agent()[0].trust, **facts).memory
    assert memory is not None
    return memory


def find() -> Run:
    run = find_duplicates(trigger=Run.Trigger.COMMAND, at=AT)
    assert run is not None
    return run


def live() -> set[UUID]:
    return set(Memory.objects.filter(status__in=LIVE).values_list("pk", flat=True))


def test_the_same_claim_under_two_keys_is_one_merge_proposal_and_nothing_is_merged_yet() -> None:
    one, other = stored("terms", NET30), stored("acme-payment", AGAIN)
    run = find()
    proposal = Proposal.objects.get()
    assert (proposal.kind, set(proposal.subjects)) == (Proposal.Kind.MERGE, {one.pk, other.pk})
    assert (run.counters["merges_proposed"], live()) == (1, {one.pk, other.pk})


def test_a_merge_keeps_the_words_that_the_person_chose_and_can_be_undone() -> None:
    one, other = stored("terms", NET30), stored("acme-payment", AGAIN)
    find()
    proposal = Proposal.objects.get()
    batch = review.accept(everything(BEN), proposal.pk, at=AT, keep=other.pk)
    [merged] = Memory.objects.filter(status__in=LIVE)
    assert (merged.content, merged.evidence.count()) == (AGAIN, 2)
    review.undo(everything(BEN), batch, at=AT)
    assert live() == {one.pk, other.pk}


def test_a_contradiction_asks_which_one_holds() -> None:
    one, other = stored("terms", NET30), stored("acme-payment", NET60)
    assert find().counters["conflicts_proposed"] == 1
    proposal = Proposal.objects.get()
    answered = caller(permissions=[Permission.READ, Permission.REVIEW]).post(
        f"/api/v1/proposals/{proposal.pk}/accept", {"keep": str(other.pk)}, format="json"
    )
    one.refresh_from_db()
    other.refresh_from_db()
    assert (answered.status_code, one.status, other.status) == (200, Status.SUPERSEDED, Status.CANDIDATE)
    assert Relation.objects.filter(source=other, predicate="supersedes", target=one).exists()


@pytest.mark.parametrize(
    ("old", "new", "is_asked"),
    [
        ("Maria works at Initech", "Maria now works at Globex", True),
        ("张伟负责支付", "张伟现在负责物流", True),
        ("Acme pays by invoice", "Acme pays by card now.", True),
        ("Acme pays by invoice", "Acme pays by card since Monday.", True),
        ("客户用邮件联系", "如今客户用电话联系", True),
        ("仓库在上海", "现在仓库在苏州", True),
        ("Acme pays by invoice", "Globex pays by card now.", False),
        ("Maria prefers tea", "Maria now works at Globex", False),
        ("Maria works at Initech", "Maria works at Globex", False),
    ],
)
def test_what_says_that_it_is_new_asks_whether_the_older_one_holds(old: str, new: str, is_asked: bool) -> None:
    pair = {stored("old", old).pk, stored("new", new).pk}
    find()
    asked = [(proposal.kind, set(proposal.subjects)) for proposal in Proposal.objects.all()]
    assert asked == ([(Proposal.Kind.CONFLICT, pair)] if is_asked else [])


def test_the_choice_is_undone_as_one() -> None:
    one, other = stored("terms", NET30), stored("acme-payment", NET60)
    find()
    batch = review.accept(everything(BEN), Proposal.objects.get().pk, at=AT, keep=one.pk)
    review.undo(everything(BEN), batch, at=AT)
    assert live() == {one.pk, other.pk}
    assert not Relation.objects.exists()
    assert Proposal.objects.open().count() == 1


def test_accepting_a_choice_without_saying_which_names_the_field_and_changes_nothing() -> None:
    stored("terms", NET30)
    stored("acme-payment", NET60)
    find()
    before = live()
    agent = caller(permissions=[Permission.READ, Permission.REVIEW])
    url = f"/api/v1/proposals/{Proposal.objects.get().pk}/accept"
    for body in ({}, {"keep": str(make_agent()[0].pk)}):
        answered = agent.post(url, body, format="json")
        assert (answered.status_code, answered.json()["errors"][0]["pointer"]) == (400, "/keep")
    assert (live(), Proposal.objects.open().count()) == (before, 1)


def test_a_rejected_pair_is_not_asked_about_again_until_one_is_reworded() -> None:
    stored("terms", NET30)
    other = stored("acme-payment", NET60)
    find()
    review.reject(everything(BEN), Proposal.objects.get().pk, at=AT)
    assert find().counters.get("conflicts_proposed", 0) == 0
    other.revise("revise", {"content": "Acme pays on net-90 terms"}, by=BEN, why="", at=AT)
    assert find().counters["conflicts_proposed"] == 1


def test_a_second_look_proposes_nothing_twice() -> None:
    stored("terms", NET30)
    stored("acme-payment", AGAIN)
    find()
    assert find().counters.get("merges_proposed", 0) == 0
    assert Proposal.objects.count() == 1


def test_a_third_of_the_same_takes_the_place_of_the_open_proposal() -> None:
    rows = {stored("terms", NET30).pk, stored("acme-payment", AGAIN).pk}
    find()
    rows.add(stored("acme-invoices", "Acme pays on net 30 terms").pk)
    find()
    assert set(Proposal.objects.open().get().subjects) == rows


@pytest.mark.parametrize("facts", [{"scope": "other"}, {"category": "preference"}])
def test_another_scope_or_category_is_no_duplicate(facts: dict[str, str]) -> None:
    stored("terms", NET30)
    stored("acme-payment", AGAIN, **facts)
    find()
    assert not Proposal.objects.exists()


def test_when_one_is_dismissed_the_question_is_withdrawn_and_returns_with_its_undo() -> None:
    stored("terms", NET30)
    other = stored("acme-payment", NET60)
    find()
    decision = review.decide(everything(BEN), other.pk, "dismiss", at=AT, why="wrong")
    assert not Proposal.objects.open().exists()
    review.undo(everything(BEN), decision.batch, at=AT)
    assert Proposal.objects.open().count() == 1


def test_a_proposal_is_as_secret_as_the_more_secret_of_both() -> None:
    stored("terms", NET30)
    other = stored("acme-payment", NET60)
    Memory.objects.filter(pk=other.pk).update(sensitivity=Sensitivity.HIGH)
    find()
    proposal = Proposal.objects.get()
    low = caller(permissions=[Permission.READ, Permission.REVIEW])
    assert low.get("/api/v1/inbox?kind=conflict").json()["results"] == []
    assert low.post(f"/api/v1/proposals/{proposal.pk}/accept", {}, format="json").status_code == 404


def test_the_inbox_shows_both_texts_and_a_button_for_each(admin_client: Client) -> None:
    one, other = stored("terms", NET30), stored("acme-payment", NET60)
    find()
    proposal = Proposal.objects.get()
    page = admin_client.get("/").content.decode()
    for row in (one, other):
        assert f'value="accept {row.pk}"' in page
    body = {"decision": f"accept {other.pk}"}
    answered = admin_client.post(f"/proposals/{proposal.pk}/decide/", body, follow=True).content.decode()
    assert f"Decided that this one holds: “{NET60}”" in answered
    assert live() == {other.pk}


def test_that_both_hold_is_told_in_the_words_of_the_button(admin_client: Client) -> None:
    stored("terms", NET30)
    stored("acme-payment", NET60)
    find()
    path = f"/proposals/{Proposal.objects.get().pk}/decide/"
    answered = admin_client.post(path, {"decision": "reject"}, headers=HTMX).content.decode()
    assert "Keep both" in answered
    assert len(live()) == 2


def test_findings_of_rules_that_differ_in_a_word_are_no_contradiction() -> None:
    make_memory("In sympy `bin/test` starts (5 of 5 runs)", category="fact", origin=Origin.CONSOLIDATED)
    make_memory("In sympy `bin/doctest` starts (4 of 4 runs)", category="fact", origin=Origin.CONSOLIDATED)
    find()
    assert not Proposal.objects.exists()


PORT = "The staging server of {} listens on port {}"


@pytest.mark.parametrize(
    "contents",
    [
        [PORT.format(name, port) for name, port in (("billing", 8001), ("search", 8002), ("zorbel", 8003))],
        [f"Acme {n} pays on net-{n} terms" for n in range(3, 9)],
        ["柏林的办公室9点开门", "巴黎的办公室8点开门", "上海的办公室7点开门"],
    ],
)
def test_members_of_a_series_are_no_question(contents: list[str]) -> None:
    for number, content in enumerate(contents):
        stored(f"k{number}", content)
    find()
    assert list(Proposal.objects.all()) == []


def test_another_value_of_a_member_of_a_series_is_a_question() -> None:
    for name, port in (("billing", 8001), ("search", 8002), ("mail", 8003)):
        stored(name, PORT.format(name, port))
    other = stored("mail-2", PORT.format("mail", 9001))
    find()
    assert set(Proposal.objects.get().subjects) == {Memory.objects.get(key="mail").pk, other.pk}


def test_members_that_share_their_value_are_no_question() -> None:
    for name, port in (("billing", 8001), ("search", 8002), ("mail", 8003), ("zorbel", 8003)):
        stored(name, PORT.format(name, port))
    find()
    assert list(Proposal.objects.all()) == []


def test_who_contradicts_itself_many_times_asks_seldom_and_another_voice_is_heard() -> None:
    careless, careful = make_agent("careless")[0].trust, make_agent("careful")[0].trust
    for port in range(8001, 8021):
        store(PORT.format("billing", port), key=f"port-{port}", trust=careless)
    find()
    asked = Proposal.objects.filter(kind=Proposal.Kind.CONFLICT)
    assert 1 <= asked.count() <= 4
    other = store(PORT.format("billing", 9001), key="port-9001", trust=careful).memory
    assert other is not None
    find()
    assert asked.among([other.pk]).count() == 1


@pytest.mark.parametrize("confidence", [20, 70])
def test_what_people_hold_is_asked_about_once_beside_twenty_claims_of_one_agent_and_once_beside_another(
    confidence: int,
) -> None:
    holds = stored("port", PORT.format("billing", 9001))
    Memory.objects.filter(pk=holds.pk).update(status=Status.CONFIRMED, hold=Hold.FLOOR)
    careless = make_agent("careless")[0].trust
    for port in range(8001, 8021):
        store(PORT.format("billing", port), key=f"port-{port}", trust=careless, confidence=confidence)
        if port % 5 == 0:
            find()
    asked = Proposal.objects.filter(kind=Proposal.Kind.CONFLICT).among([holds.pk])
    assert asked.count() == 1
    store(PORT.format("billing", 7001), key="port-7001", trust=make_agent("careful")[0].trust)
    find()
    assert asked.count() == 2


def test_a_second_contradiction_of_one_agent_is_asked_about_when_the_first_is_decided() -> None:
    trust = make_agent()[0].trust
    for days in (30, 60):
        store(f"Acme pays on net-{days} terms", key=f"net-{days}", trust=trust)
    find()
    review.reject(everything(BEN), Proposal.objects.get().pk, at=AT)
    third = store("Acme pays on net-90 terms", key="net-90", trust=trust).memory
    assert third is not None
    find()
    assert third.pk in Proposal.objects.open().get().subjects


def test_a_swap_is_a_question_although_two_places_differ() -> None:
    stored("a", "The team prefers Slack over email")
    stored("b", "The team prefers email over Slack")
    assert find().counters["conflicts_proposed"] == 1
