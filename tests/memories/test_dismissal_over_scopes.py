"""A claim that was dismissed in one scope is written where every scope reads it: it waits, and is withheld there."""

import codecs
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from memories import lifecycle
from memories.intake import claim_batch, claims, equal_claims, triples
from memories.intake.claims import Occasion, Statement, remember
from memories.intake.reports.claims import read, read_teaching
from memories.intake.reports.events import ObservationReport
from memories.models import Memory, Proposal, Tombstone
from memories.people import trust_of
from memories.values.choices import Category, Hold, Origin, Sensitivity, Status
from memories.values.trust import SYSTEM, Trust
from memos_site import review
from tests.make import ANNA, AT, make_memory, make_person
from tests.memories.revising import agent, ask, own
from tests.memories.storing import NET30, NET60, numbers, store

pytestmark = pytest.mark.django_db
PLACE = "project:q1"
SHARED = ["", "global"]
SAID = "it was dismissed in project:q1: it waits for a person, and is not offered there"


@pytest.fixture
def person() -> Trust:
    return trust_of(make_person())


def dismissed(content: str = NET30, scope: str = PLACE, **facts: Any) -> Memory:
    memory = make_memory(content, **{"scope": scope, "category": "fact", "key": "no", **facts})
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    return memory


def shared(content: str = NET30, **facts: Any) -> Memory:
    """A live row that every scope reads, which can be found."""
    made = store(content, **{"key": "shared", **facts}).memory
    assert made is not None
    return made


def withheld(memory: Memory) -> list[str]:
    memory.refresh_from_db()
    return memory.withheld_from


def observed(**facts: Any) -> ObservationReport:
    said = {"source": "P01", "subject": "Acme", "predicate": "pays", "object": "on net-30 terms"}
    return ObservationReport.model_validate(said | facts)


@pytest.mark.parametrize("scope", SHARED)
def test_it_is_stored_as_a_candidate_that_no_number_moves(scope: str) -> None:
    dismissed()
    first = store(scope=scope, confidence=100, direct=True, source="User")
    assert (first.created, first.suppressed, first.notice) == (True, False, SAID)
    assert numbers(first)[0] == Status.CANDIDATE
    for _ in range(6):
        again = store(scope=scope)
    assert numbers(again) == (Status.CANDIDATE, 100, 6)
    assert again.memory is not None
    assert withheld(again.memory) == [PLACE]
    assert Tombstone.objects.get().hits == 0


def test_it_is_stored_anywhere_else_as_ever() -> None:
    dismissed()
    assert numbers(store(scope="project:q2", confidence=100))[0] == Status.CONFIRMED
    assert store(scope=PLACE, key="other").suppressed
    assert Memory.objects.exclude(withheld_from=[]).count() == 0


def test_what_was_dismissed_where_all_read_it_is_suppressed_in_every_scope() -> None:
    dismissed(scope="global")
    assert all(store(scope=scope, key="other").suppressed for scope in ("", "global", PLACE))


def test_an_observation_of_it_is_not_confirmed_at_birth() -> None:
    dismissed("Acme pays on net-30 terms")
    alone = triples.observation(observed(), trust=agent(), at=AT).memory
    assert alone is not None
    assert (alone.status, alone.withheld_from) == (Status.CANDIDATE, [PLACE])


def test_among_many_stored_at_once_only_it_waits() -> None:
    dismissed()
    reports = [observed(subject="Bob", object="in cash"), observed(), observed(subject="Eve", object="by card")]
    notes = [
        read({"key": f"n{n}", "category": "fact", "content": said, "source": "P01", "confidence": 90})
        for n, said in enumerate([NET60, "Bob lives in Oslo", NET30])
    ]
    answers = claim_batch.store([*reports, *notes], trust=agent(), at=AT)
    stood = [answer.memory.status for answer in answers if not isinstance(answer, Exception) and answer.memory]
    assert stood == ["confirmed", "candidate", "confirmed", "candidate", "confirmed", "candidate"]
    assert Memory.objects.exclude(withheld_from=[]).count() == 2


def test_a_similar_claim_is_marked_and_waits_too() -> None:
    dismissed()
    stored = store(NET60, confidence=100)
    assert numbers(stored)[0] == Status.CANDIDATE
    assert stored.notice == "resembles one you dismissed"
    assert stored.memory is not None
    assert withheld(stored.memory) == []


def test_the_key_of_another_scope_says_nothing_about_another_claim() -> None:
    dismissed("Bob lives in Oslo", key="acme-terms")
    assert numbers(store(confidence=100))[0] == Status.CONFIRMED


def test_who_may_not_see_the_dismissal_is_told_of_none() -> None:
    dismissed(sensitivity=Sensitivity.HYPER)
    stored = store(confidence=100)
    assert (numbers(stored)[0], stored.notice) == (Status.CANDIDATE, None)


def test_a_program_that_stores_it_makes_a_candidate_that_waits() -> None:
    dismissed()
    statement = Statement(NET30, "found", "", "P01", 100, category=Category.FACT, origin=Origin.IMPORTED)
    stored = remember(statement, occasions=[Occasion.request(at=AT)], by=SYSTEM, at=AT)
    assert numbers(stored)[0] == Status.CANDIDATE


def test_it_does_not_replace_the_words_of_what_is_confirmed() -> None:
    dismissed("Green tea is what she likes")
    row = shared("Anna drinks coffee in the morning", key="drink", category="preference", confidence=70)
    said = store("Green tea is what she likes", key="drink", category="preference")
    assert said.proposal == Proposal.objects.get().pk
    row.refresh_from_db()
    assert (row.content, row.status, row.withheld_from) == ("Anna drinks coffee in the morning", "confirmed", [])


def test_a_candidate_that_becomes_it_waits_and_one_that_ceases_to_be_it_climbs() -> None:
    dismissed("Green tea is what she likes")
    row = shared("Anna drinks coffee in the morning", key="drink", category="preference")
    store("Green tea is what she likes", key="drink", category="preference", confidence=90)
    assert withheld(row) == [PLACE]
    for _ in range(6):
        store("Green tea is what she likes", key="drink", category="preference")
    row.refresh_from_db()
    assert (row.status, row.confidence) == (Status.CANDIDATE, 100)
    store("Anna has coffee in the evening", key="drink", category="preference")
    row.refresh_from_db()
    assert (row.status, row.withheld_from) == (Status.APPLIED, [])


def test_a_correction_by_it_inherits_no_status() -> None:
    dismissed()
    old = own(NET60, status=Status.CONFIRMED, confidence=80, category="fact", key="terms")
    new = ask("supersede", old, content=NET30).memory
    assert new is not None
    assert (new.status, new.withheld_from) == (Status.CANDIDATE, [PLACE])
    merged = ask("merge", own("A", category="fact", confidence=90), own("B", category="fact"), content=NET30).memory
    assert merged is not None
    assert (merged.status, merged.withheld_from) == (Status.CANDIDATE, [PLACE])


def test_an_equal_that_is_live_is_withheld_from_the_moment_of_the_dismissal(person: Trust) -> None:
    row, other = shared(confidence=70), shared(NET60, key="other")
    memory = make_memory(NET30, scope=PLACE, category="fact")
    decision = review.decide(person, memory.pk, "dismiss", at=AT, why="wrong")
    assert (withheld(row), row.status) == ([PLACE], Status.CONFIRMED)
    assert withheld(other) == []
    undone = review.undo(person, decision.batch, at=AT)
    assert withheld(row) == []
    review.undo(person, undone.batch, at=AT)
    assert withheld(row) == [PLACE]
    memory.refresh_from_db()
    memory.restore(by=ANNA, at=AT)
    assert withheld(row) == []


def test_a_live_equal_is_applied_by_no_further_number() -> None:
    row = shared(confidence=70)
    dismissed()
    for _ in range(6):
        store(key="shared")
    row.refresh_from_db()
    assert (row.status, row.confidence) == (Status.CONFIRMED, 100)


def test_it_is_offered_again_when_the_last_dismissal_of_it_is_lifted(person: Trust) -> None:
    row = shared()
    dismissed(), dismissed("Acme pays on net-30 terms.", key="again"), dismissed(scope="project:q2")
    stones = {stone.key: stone for stone in Tombstone.objects.filter(scope=PLACE)}
    assert withheld(row) == [PLACE, "project:q2"]
    review.lift(person, stones["no"].pk, at=AT)
    assert withheld(row) == [PLACE, "project:q2"]
    lifted = review.lift(person, stones["again"].pk, at=AT)
    assert withheld(row) == ["project:q2"]
    review.undo(person, lifted, at=AT)
    assert withheld(row) == [PLACE, "project:q2"]


def test_a_forgotten_claim_is_withheld_until_its_tombstone_is_lifted_or_erased(person: Trust) -> None:
    row, memory = shared(), make_memory(NET30, scope=PLACE, category="fact")
    lifecycle.forget(memory, trust=person, at=AT)
    assert withheld(row) == [PLACE]
    lifted = review.lift(person, Tombstone.objects.get().pk, at=AT)
    assert withheld(row) == []
    review.undo(person, lifted, at=AT)
    assert withheld(row) == [PLACE]
    lifecycle.erase(memory.pk, trust=person, at=AT)
    assert withheld(row) == []


def test_what_an_agent_deletes_and_what_is_a_duplicate_withholds_nothing() -> None:
    row = shared()
    mine = own(NET30, scope=PLACE, category="fact")
    lifecycle.forget(mine, trust=agent(), at=AT)
    make_memory(NET30, scope=PLACE, category="fact").dismiss(by=ANNA, why="duplicate", at=AT, duplicate=True)
    assert withheld(row) == []


def test_other_words_and_a_return_to_life_are_compared_too() -> None:
    row = shared(NET60)
    dismissed()
    row.edit({"content": NET30}, by=ANNA, at=AT)
    assert withheld(row) == [PLACE]
    row.edit({"content": NET60}, by=ANNA, at=AT)
    assert withheld(row) == []
    row.dismiss(by=ANNA, why="wrong", at=AT)
    dismissed(NET60, scope="project:q2")
    row.restore(by=ANNA, at=AT)
    assert withheld(row) == ["project:q2"]


def test_a_person_decides_about_the_shared_row_and_the_no_in_the_scope_holds(person: Trust) -> None:
    dismissed()
    row = shared()
    row.promote(by=ANNA, at=AT)
    assert (row.status, withheld(row)) == (Status.CONFIRMED, [PLACE])
    Memory.objects.filter(pk=row.pk).delete()
    taught = claims.teach(read_teaching({"content": NET30}), trust=person, at=AT)
    assert taught.memory is not None
    assert (taught.memory.status, taught.memory.hold, withheld(taught.memory)) == ("confirmed", Hold.FLOOR, [PLACE])
    assert taught.notice == "it was dismissed in project:q1: it is not offered there"


def test_the_upgrade_withholds_what_stood_beside_an_older_dismissal() -> None:
    shared_row, other = shared(), shared(NET60, key="other")
    kept = shared("Never send proposals on Fridays", key="rule", scope="global")
    dismissed(), dismissed("On Fridays, never send proposals", PLACE, key="rule too")
    dismissed(scope="project:q3", key="double")
    Tombstone.objects.filter(scope="project:q3").update(duplicate=True)
    Memory.objects.update(withheld_from=[])
    with connection.schema_editor() as editor:
        import_module("memories.migrations.0055_withhold_beside_older_dismissals").withhold(apps, editor)
    assert [withheld(row) for row in (shared_row, other, kept)] == [[PLACE], [], [PLACE]]


def test_a_dismissal_says_where_else_the_same_is_known_and_leaves_it_there(person: Trust) -> None:
    here, there = shared(scope=PLACE, key="no"), shared("Acme pays on net 30 terms", scope="project:q2", key="q2")
    everywhere, hidden = shared(key="all"), shared(scope="project:q5", key="q5")
    shared(NET60, scope="project:q4", key="q4")
    Memory.objects.filter(pk=hidden.pk).update(sensitivity=Sensitivity.HYPER)
    here.dismiss(by=ANNA, why="wrong", at=AT)
    known = equal_claims.also_known(here, person, why="wrong", at=AT)
    assert [(one.memory.pk, one.may_be_dismissed) for one in known] == [(everywhere.pk, True), (there.pk, True)]
    assert hidden.pk not in {one.memory.pk for one in known}
    confined = replace(person, scopes=frozenset({PLACE, "project:q2"}))
    known = equal_claims.also_known(here, confined, why="wrong", at=AT)
    assert [(one.memory.pk, one.may_be_dismissed) for one in known] == [(everywhere.pk, False), (there.pk, True)]
    assert equal_claims.also_known(here, person, why="duplicate: of all", at=AT) == []


def test_what_one_tombstone_says_of_scopes_is_what_the_database_says() -> None:
    for scope in (PLACE, "project:q2", *SHARED):
        dismissed(scope=scope)
    for scopes in ([PLACE], ["project:q2", "project:q3"], ["project:q3"], SHARED[:1], [PLACE, "global"], []):
        met = {stone for stone in Tombstone.objects.all() if stone.is_met_in(scopes)}
        assert met == set(Tombstone.objects.met_in(*scopes)), scopes


@pytest.mark.parametrize("read", ["backwards", "rot13"])
@pytest.mark.parametrize(
    "said", ["Lumina Rail pays invoices by transfer to account 5622-8821", "供应商东方物流的付款期限是31天"]
)
def test_a_cipher_hides_no_claim(read: str, said: str) -> None:
    if read == "rot13" and not said.isascii():
        return
    dismissed(said, PLACE)
    hidden = said[::-1] if read == "backwards" else codecs.encode(said, "rot13")
    assert store(hidden, scope=PLACE, key="other").suppressed
