"""Reviewers and stores at the same instant, each with a connection of its own: one wins, one is told, none hangs."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F

from consolidation import run_queue
from consolidation.models import BulkOrder
from memories.models import AuditEntry, Memory, Proposal, Tombstone, claim_locks
from memories.people import trust_of
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, everything
from memos_site import review
from tests.at_once import at_once
from tests.deciding import LATER, make_applied, propose
from tests.make import ANNA, BEN, make_memory, make_person
from tests.memos_site.processes import until

pytestmark = pytest.mark.django_db(transaction=True)


def pressing(by: Actor, press: Callable[..., Any], *of: Any, **how: Any) -> Callable[[], str]:
    def pressed() -> str:
        try:
            press(everything(by), *of, at=LATER, **how)
        except Conflict as conflict:
            return str(conflict)
        return by.name

    return pressed


def test_of_two_reviewers_who_dismiss_at_once_one_wins_and_one_is_told() -> None:
    memory = make_applied()
    before = AuditEntry.objects.count()
    said = at_once(*[pressing(by, review.decide, memory.pk, "dismiss", why="wrong") for by in (ANNA, BEN)])
    [winner] = [one for one in said if one in ("anna", "ben")]
    assert f"cannot dismiss a memory that is dismissed (dismiss by {winner})" in said
    assert AuditEntry.objects.count() == before + 1
    assert Tombstone.objects.count() == 1


def test_of_two_batches_about_the_same_ones_each_row_is_decided_once() -> None:
    ids = [make_memory(f"claim {n}", scope=f"project:{n % 3}").pk for n in range(30)]
    seen = dict.fromkeys(ids, "1.")
    calls = [
        lambda: review.by_ids(everything(ANNA), ids, "dismiss", at=LATER, why="noise", tokens=seen),
        lambda: review.by_ids(everything(BEN), ids[::-1], "promote", at=LATER, tokens=seen),
    ]
    first, second = at_once(*calls)
    assert sorted([*first.done, *second.done]) == sorted(ids)
    assert len(first.failed) + len(second.failed) == 30
    assert AuditEntry.objects.count() == 30


def test_of_two_who_decide_a_proposal_at_once_one_wins() -> None:
    proposal = propose(make_memory(status="confirmed"))
    said = at_once(pressing(ANNA, review.accept, proposal.pk), pressing(BEN, review.reject, proposal.pk))
    [winner] = [one for one in said if one in ("anna", "ben")]
    decision = {"anna": "accepted", "ben": "rejected"}[winner]
    assert Proposal.objects.get().decision == decision
    assert any(f"a proposal that is {decision} by {winner}" in one for one in said)


def test_of_two_who_undo_at_once_one_wins() -> None:
    memory = make_memory()
    batch = review.decide(everything(ANNA), memory.pk, "promote", at=LATER).batch
    said = at_once(pressing(ANNA, review.undo, batch), pressing(BEN, review.undo, batch))
    assert sum(one in ("anna", "ben") for one in said) == 1
    assert Memory.objects.get().status == "candidate"
    assert AuditEntry.objects.count() == 2


def storing(memory: Memory) -> Callable[[], str]:
    """A store that meets the row: its scope's lock first, shared, then the row."""

    def store() -> str:
        with transaction.atomic():
            claim_locks.to_store(memory.scope)
            Memory.objects.filter(pk=memory.pk).update(times_confirmed=F("times_confirmed") + 1)
        return "stored"

    return store


def test_decisions_and_stores_about_one_claim_never_wait_for_each_other_in_a_circle() -> None:
    memories = [make_memory(f"claim {n}", scope="project:a") for n in range(4)]
    ids = [memory.pk for memory in memories]
    for verb in ("dismiss", "restore") * 4:
        decide = [pressing(ANNA, review.decide, pk, verb, why="wrong") for pk in ids[:2]]
        many = pressing(BEN, review.by_ids, ids, verb, why="wrong")
        said = at_once(*decide, many, *(storing(memory) for memory in memories))
        assert said.count("stored") == 4
    assert set(Memory.objects.values_list("times_confirmed", flat=True)) == {8}


def test_of_two_who_undo_a_large_batch_at_once_one_queues_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "async_task", lambda _task: None)
    anna, ben = make_person(), make_person("ben")
    ids = [make_memory(f"claim {n}").pk for n in range(3)]
    batch = review.by_ids(trust_of(anna), ids, "dismiss", at=LATER, why="noise").batch

    def undone_by_ben() -> str:
        try:
            review.order_undo(ben, batch, at=LATER)
        except Conflict as conflict:
            return str(conflict)
        finally:
            connection.close()
        return "queued"

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            review.order_undo(anna, batch, at=LATER)
            second = pool.submit(undone_by_ben)
            until(lambda: second.done() or somebody_waits(), what="the second one to meet the first")
        assert second.result() == "it is being undone already"
    assert BulkOrder.objects.get().person == anna


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.fetchone() != (0,))
