"""A revision is undone as one: the new memory goes, the old one comes back with its key, or nothing happens."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memories import lifecycle
from memories.intake.reports.events import ObservationReport, check
from memories.intake.triples import observation
from memories.models import Adaptation, AuditEntry, Memory
from memories.values.choices import Sensitivity, Status
from memories.values.exceptions import Conflict
from memories.values.trust import everything
from memos_site import review
from tests.make import AT, make_memory
from tests.memories.revising import JUDGE, agent, ask, made, own, person, relations

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(hours=1)


def statuses() -> dict[UUID, str]:
    return dict(Memory.objects.values_list("pk", "status"))


def undo(batch: Any) -> UUID:
    return review.undo(person(), batch, at=LATER).batch


def revise(verb: str) -> Any:
    first = own("a", key="a", status="confirmed", confidence=60, category="preference")
    second = own("b", key="b")
    if verb == "merge":
        return ask("merge", first, second, content="ab")
    return ask(verb, first, ref=str(second.pk), content="ab")


@pytest.mark.parametrize("verb", ["supersede", "fork", "contest", "retract", "merge"])
def test_undo_brings_all_back_and_undo_of_undo_does_it_again(verb: str) -> None:
    revised = revise(verb)
    done, linked = statuses(), relations()
    undone = undo(revised.batch)
    assert sorted(statuses().values()) == sorted(
        ["candidate", "confirmed", *(["retracted"] if verb in ("supersede", "fork", "merge") else [])]
    )
    assert relations() == set()
    redone = undo(undone)
    assert (statuses(), relations()) == (done, linked)
    undo(redone)
    assert relations() == set()


def test_a_fork_stands_in_the_history_of_its_source_and_moves_nothing_of_it() -> None:
    old = own("a", status="confirmed", confidence=60)
    revised = ask("fork", old, content="b", sensitivity="medium")
    new, trail = made(revised), AuditEntry.objects.about("memory", old.pk)
    told = trail.get()
    assert (told.action, told.rationale, told.batch_id) == ("fork", "because", revised.batch)
    assert told.after == {"relation": {"source": str(new.pk), "predicate": "derived_from", "target": str(old.pk)}}
    assert (told.sensitivity, Memory.objects.get(pk=old.pk).version) == (new.sensitivity, old.version)
    old.promote(to=Status.APPLIED, by=person().actor, at=AT)
    redone = undo(undo(revised.batch))
    assert [entry.action for entry in trail] == ["fork", "promote", "undo", "redo"]
    assert (statuses()[old.pk], relations()) == ("applied", {(new.pk, "derived_from", old.pk)})
    assert Memory.objects.get(pk=old.pk).version == old.version
    undo(redone)
    assert (statuses()[new.pk], relations()) == ("retracted", set())


def test_decisions_about_the_source_are_undone_whatever_was_forked_meanwhile() -> None:
    old = own("a", status="candidate")
    promoted = old.promote(by=person().actor, at=AT).batch_id
    demoted = old.demote(by=person().actor, at=AT).batch_id
    forked = ask("fork", old, content="b", trust=person()).batch
    undo(demoted)
    undo(forked)
    undo(promoted)
    assert statuses()[old.pk] == "candidate"


def test_a_fork_is_undone_though_its_source_is_forgotten() -> None:
    old = own("a")
    revised = ask("fork", old, content="b")
    lifecycle.forget(old, trust=person(), at=LATER)
    undo(revised.batch)
    assert statuses() == {made(revised).pk: "retracted"}


def test_a_forked_observation_stands_in_the_history_of_what_it_stands_beside() -> None:
    said = {"source": "P01", "subject": "user", "predicate": "likes", "revision_policy": "fork"}
    first, second = (
        observation(check(ObservationReport, said | {"object": name}), trust=agent(), at=AT).memory
        for name in ("Go", "Rust")
    )
    assert first is not None
    assert second is not None
    told = AuditEntry.objects.about("memory", first.pk).get(action="fork")
    assert (told.actor, told.rationale) == ("P01", "P01 observed user likes Rust")
    undo(told.batch_id)
    assert relations() == set()


def test_undo_gives_the_key_and_the_behaviour_back() -> None:
    old = make_memory("Never on Fridays", key="fridays", status="applied", category="preference", hold="floor")
    Adaptation.objects.open(old, by=person().actor, at=AT, again=False)
    revised = ask("supersede", old, content="Never on Mondays", trust=person())
    undo(revised.batch)
    assert Adaptation.objects.active().get().memory_id == old.pk
    assert Memory.objects.live().get(key="fridays").pk == old.pk


def test_what_was_changed_since_is_not_undone_by_half() -> None:
    old = own("a", status="confirmed")
    revised = ask("supersede", old, content="b")
    made(revised).promote(to=Status.APPLIED, by=person().actor, at=AT)
    before = statuses()
    with pytest.raises(Conflict):
        undo(revised.batch)
    assert (statuses(), len(relations())) == (before, 1)


@pytest.mark.parametrize("higher", [0, 1])
def test_of_what_was_merged_nothing_is_undone_where_one_source_is_above_the_caller(higher: int) -> None:
    sources = [own("a", key="a"), own("b", key="b")]
    batch = ask("merge", *sources, content="ab").batch
    assert batch is not None
    Memory.objects.filter(pk=sources[higher].pk).update(sensitivity=Sensitivity.HYPER)
    AuditEntry.objects.raise_about([sources[higher].pk], Sensitivity.HYPER)
    before = statuses()
    with pytest.raises(Conflict, match="you may not see all of it"):
        undo(batch)
    assert statuses() == before
    assert review.undo(everything(JUDGE), batch, at=LATER).refused == []


def test_the_trail_says_what_stands_against_what() -> None:
    old = own("a")
    new = made(ask("supersede", old, content="b"))
    entry = AuditEntry.objects.about("memory", old.pk).get()
    assert entry.after["relation"] == {"source": str(new.pk), "predicate": "supersedes", "target": str(old.pk)}


def test_an_observation_that_replaced_another_is_undone_with_it() -> None:
    for spoken in ("Go", "Rust"):
        said = {"source": "P01", "subject": "user", "predicate": "prefers", "object": spoken}
        observation(check(ObservationReport, said), trust=agent(), at=AT)
    old, new = Memory.objects.order_by("pk")
    assert (old.status, new.status) == ("superseded", "confirmed")
    undo(AuditEntry.objects.get(action="supersede", subject_id=old.pk).batch_id)
    assert statuses() == {old.pk: "confirmed", new.pk: "retracted"}


@pytest.mark.parametrize("gone", ["it", "what speaks against it"])
def test_redone_with_one_end_forgotten_there_is_no_relation(gone: str) -> None:
    first, second = own("a", key="a"), own("b", key="b")
    undone = undo(ask("contest", first, ref=str(second.pk)).batch)
    lifecycle.forget(first if gone == "it" else second, trust=person(), at=LATER)
    if gone == "it":
        with pytest.raises(Conflict, match="forgotten meanwhile"):
            undo(undone)
    else:
        undo(undone)
        assert statuses() == {first.pk: "contested"}
    assert relations() == set()
