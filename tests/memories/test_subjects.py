"""Who or what memories are about: read at the gate, told within trust, merged by people and taken back."""

from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from consolidation import tasks
from memories.claims.named_things import subjects_in
from memories.lifecycle.forgetting import forget
from memories.models import AuditEntry, Memory, Mention, Subject
from memories.models.subject import subject_id
from memories.search import subjects
from memories.values.choices import Permission, Sensitivity, Status
from memories.values.exceptions import Conflict, NotFound
from memories.values.trust import Trust, everything
from memos_site import review
from tests.make import ANNA, AT, BEN, bearing, caller, make_agent, make_memory
from tests.memories.storing import agent, store

pytestmark = pytest.mark.django_db
READS: dict[str, Any] = {"permissions": [Permission.READ], "clearance": Sensitivity.MEDIUM}


def names(trust: Trust, **asked: Any) -> list[str]:
    return [one.title for one in subjects.subjects(trust, at=AT, **asked).order_by("name")]


def reader() -> APIClient:
    return bearing(make_agent("reader", **READS)[1])


def spelled(name: str) -> Subject:
    return Subject.objects.get(name=name)


def told(name: str, trust: Trust | None = None) -> list[str]:
    trust = trust or everything(ANNA)
    one = subjects.subject(subject_id(name), trust=trust, at=AT)
    return sorted(row.content for row in subjects.memories_of(one, trust=trust, at=AT))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("Acme pays on net-30 terms", [("Acme", "other", True)]),
        ("Our customer Globex, Inc. wants weekly reports", [("Globex, Inc.", "company", True)]),
        ("The host db-1.prod.example.com runs PostgreSQL 15", [("db-1.prod.example.com", "host", True)]),
        ("https://github.com/acme/shop uses pnpm", [("acme/shop", "repository", True)]),
        ("华为公司付款需要30天", [("华为公司", "company", True)]),
        ("Never send proposals on Fridays", []),
        ("User prefers dark mode", []),
        ("API must return JSON", []),
    ],
)
def test_a_claim_is_about_the_names_that_it_is_surely_about(content: str, found: list[tuple[str, str, bool]]) -> None:
    about = [(one.title, one.kind, one.is_topic) for one in subjects_in(content) if one.is_topic]
    assert about == found


def test_a_store_names_its_company_and_topic_and_joins_spellings_that_differ_in_capitals() -> None:
    store("ACME-corp pays on net-30 terms", company_id="Acme Corp")
    store("Invoices of Acme Corp are paid by Anna", key="anna")
    assert names(everything(ANNA)) == ["Acme Corp"]
    assert told("acme corp") == ["ACME-corp pays on net-30 terms", "Invoices of Acme Corp are paid by Anna"]


def test_a_name_that_is_only_mentioned_is_no_subject_until_a_claim_is_about_it() -> None:
    store("Refunds above $500 need approval by Bob", key="refunds")
    assert names(everything(ANNA)) == []
    store("Bob prefers short answers", key="bob")
    assert len(told("bob")) == 2


def test_an_edit_moves_its_names_and_its_undo_brings_them_back() -> None:
    memory = store("Acme pays on net-30 terms").memory
    assert memory is not None
    memory.edit({"content": "Globex pays on net-30 terms"}, by=ANNA, at=AT)
    assert names(everything(ANNA)) == ["Globex"]
    review.undo(everything(ANNA), AuditEntry.objects.latest("id").batch_id, at=AT)
    assert names(everything(ANNA)) == ["Acme"]


def test_who_sees_no_memory_of_a_subject_does_not_know_it() -> None:
    store("Acme pays on net-30 terms", scope="project:shop", trust=everything(ANNA))
    store("Globex is to be bought", key="globex", scope="project:shop", sensitivity="high", trust=everything(ANNA))
    in_shop, elsewhere = agent(scopes=["project:shop"]), agent("other", scopes=["project:bank"])
    assert (names(in_shop), names(elsewhere)) == (["Acme"], [])
    for name, trust in (("globex", in_shop), ("acme", elsewhere)):
        with pytest.raises(NotFound):
            told(name, trust)
    Memory.objects.filter(content__startswith="Acme").update(status=Status.DISMISSED)
    assert names(in_shop) == []


def test_a_caller_that_sees_one_of_two_merged_spellings_reads_of_the_other_nothing() -> None:
    store("Acme pays on net-30 terms", scope="project:shop", trust=everything(ANNA))
    store("Falcon pays on net-60 terms", key="falcon", scope="project:bank", trust=everything(ANNA))
    spelled("falcon").merge(spelled("acme"), by=ANNA, at=AT, version=1)
    in_bank = agent(scopes=["project:bank"])
    assert names(in_bank) == ["Falcon"]
    one = subjects.subject(subject_id("falcon"), trust=in_bank, at=AT)
    assert (one.subject.title, len(one.spellings)) == ("Falcon", 1)
    assert told("falcon", in_bank) == ["Falcon pays on net-60 terms"]
    assert not AuditEntry.objects.visible_to(in_bank).filter(subject_kind="subject").exists()


def test_merged_spellings_are_one_subject_until_it_is_undone_and_again_when_that_is() -> None:
    store("Acme pays on net-30 terms")
    store("Acme Corp is in Berlin", key="berlin")
    entry = spelled("acme corp").merge(spelled("acme"), by=ANNA, at=AT, version=1)
    everyone = everything(ANNA)
    assert names(everyone) == ["Acme"]
    assert told("acme") == told("acme corp") == ["Acme Corp is in Berlin", "Acme pays on net-30 terms"]
    undone = review.undo(everyone, entry.batch_id, at=AT).batch
    assert (names(everyone), told("acme")) == (["Acme", "Acme Corp"], ["Acme pays on net-30 terms"])
    review.undo(everyone, undone, at=AT)
    assert names(everyone) == ["Acme"]


def test_a_merge_takes_along_what_was_merged_before_and_undo_gives_it_back() -> None:
    for key, name in (("a", "Acme"), ("b", "Bacme"), ("c", "Cacme")):
        store(f"{name} pays on net-30 terms", key=key)
    spelled("acme").merge(spelled("bacme"), by=ANNA, at=AT, version=1)
    last = spelled("bacme").merge(spelled("cacme"), by=ANNA, at=AT, version=1)
    assert (names(everything(ANNA)), len(told("acme"))) == (["Cacme"], 3)
    review.undo(everything(ANNA), last.batch_id, at=AT)
    assert (names(everything(ANNA)), len(told("acme")), len(told("cacme"))) == (["Bacme", "Cacme"], 2, 1)


def test_of_two_merges_of_one_spelling_the_second_finds_it_changed() -> None:
    for key, name in (("a", "Acme"), ("b", "Bacme"), ("c", "Cacme")):
        store(f"{name} pays on net-30 terms", key=key)
    entry = spelled("acme").merge(spelled("bacme"), by=ANNA, at=AT, version=1)
    with pytest.raises(Conflict):
        spelled("acme").merge(spelled("cacme"), by=BEN, at=AT, version=1)
    with pytest.raises(Conflict):
        spelled("cacme").merge(spelled("cacme"), by=BEN, at=AT, version=1)
    spelled("bacme").merge(spelled("cacme"), by=BEN, at=AT, version=1)
    with pytest.raises(Conflict, match="meanwhile"):
        review.undo(everything(ANNA), entry.batch_id, at=AT)


def test_forgetting_the_last_memory_of_a_subject_forgets_its_name_and_that_of_its_merges() -> None:
    store("Acme pays on net-30 terms")
    jane = store("Jane Roe prefers short answers", key="jane").memory
    assert jane is not None
    spelled("jane roe").merge(spelled("acme"), by=ANNA, at=AT, version=1)
    forget(jane, trust=everything(ANNA), at=AT)
    assert not Subject.objects.filter(name="jane roe").exists()
    assert not Mention.objects.filter(subject=subject_id("jane roe")).exists()
    assert not AuditEntry.objects.filter(label__icontains="jane").exists()


def test_names_of_memories_that_were_there_before_are_read_by_the_job_once() -> None:
    long_ago = AT - timedelta(days=1)
    make_memory("Acme pays on net-30 terms", created_at=long_ago)
    make_memory("Anything without a name", created_at=long_ago)
    assert names(everything(ANNA)) == []
    assert tasks.subjects() == "2 memories read, 1 names"
    assert names(everything(ANNA)) == ["Acme"]
    assert tasks.subjects() == "nothing new"


def test_the_list_is_paged_by_name_and_found_by_words_and_kind() -> None:
    for number in range(5):
        store(f"Acme{number} Corp pays on net-30 terms", key=f"k{number}")
    store("Anna Schmidt prefers short answers", key="anna", category="preference")
    client = reader()
    first = client.get("/api/v1/subjects?limit=4").json()
    assert [one["title"] for one in first["results"]] == [f"Acme{n} Corp" for n in range(4)]
    rest = client.get(first["next"]).json()
    assert [one["title"] for one in rest["results"]] == ["Acme4 Corp", "Anna Schmidt"]
    found = client.get("/api/v1/subjects?q=acme3&kind=company").json()["results"]
    assert [(one["title"], one["memories"]) for one in found] == [("Acme3 Corp", 1)]
    assert [one["title"] for one in client.get("/api/v1/subjects?kind=person").json()["results"]] == ["Anna Schmidt"]


def test_one_subject_tells_its_memories_who_said_them_conflicts_and_episodes() -> None:
    store("Acme pays on net-30 terms")
    contested = store("Acme Corp is in Berlin", key="berlin", company_id="Acme", source="P02").memory
    assert contested is not None
    Memory.objects.filter(pk=contested.pk).update(status=Status.CONTESTED)
    client = reader()
    one = client.get(f"/api/v1/subjects/{subject_id('acme')}").json()
    assert [row["content"] for row in one["results"]] == ["Acme Corp is in Berlin", "Acme pays on net-30 terms"]
    assert {(said["source"], said["memories"]) for said in one["said_by"]} == {("P01", 1), ("P02", 1)}
    assert one["conflicts"] == [str(contested.pk)]
    assert (one["title"], [each["title"] for each in one["spellings"]]) == ("Acme", ["Acme"])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"subjects/{subject_id('nobody')}", 404),
        ("subjects/no-id", 404),
        ("subjects?kind=planet", 400),
        ("subjects?cursor=x", 400),
        ("subjects?limit=0", 400),
        ("subjects?unknown=1", 400),
    ],
)
def test_bad_input_is_refused(path: str, status: int) -> None:
    assert reader().get(f"/api/v1/{path}").status_code == status


def test_a_reviewer_of_all_scopes_merges_spellings_and_takes_it_back() -> None:
    store("Acme pays on net-30 terms")
    store("Acme Corp is in Berlin", key="berlin")
    acme, corp = (str(subject_id(name)) for name in ("acme", "acme corp"))
    client = caller(permissions=["read", "review"])

    def merge(id: str, client: APIClient = client) -> Any:
        return client.post(f"/api/v1/subjects/{acme}/merge", {"id": id}, format="json")

    for limited in (caller(), caller(permissions=["review"], scopes=["project:shop"])):
        assert merge(corp, limited).status_code == 403
    assert [merge(id).status_code for id in ("x", str(subject_id("nobody")))] == [400, 404]
    itself = merge(acme)
    assert (itself.status_code, [error["pointer"] for error in itself.json()["errors"]]) == (400, ["/id"])
    assert itself.json()["detail"] == "id: a subject cannot be merged with itself"
    merged = merge(corp).json()
    assert (merged["title"], [each["title"] for each in merged["spellings"]]) == ("Acme", ["Acme", "Acme Corp"])
    assert len(client.get(f"/api/v1/subjects/{corp}").json()["results"]) == 2
    assert merge(corp).status_code == 409
    assert client.post(f"/api/v1/audit/{merged['batch']}/undo").status_code == 200
    assert len(client.get(f"/api/v1/subjects/{corp}").json()["results"]) == 1
