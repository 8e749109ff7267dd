"""What is past its time is removed, and the trail and tombstones say what they would say of each row."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from memories import lifecycle
from memories.intake.reports.events import ObservationReport, check
from memories.intake.triples import observation
from memories.models import AuditEntry, Memory, Tombstone
from memories.values.choices import LIVE, DeletionPolicy, Status, Type
from memories.values.trust import SYSTEM, everything
from tests.make import ANNA, AT, make_memory

DAY = timedelta(days=1)


@pytest.mark.django_db
@pytest.mark.parametrize("type", [Type.SEMANTIC, Type.WORKING])
def test_what_is_past_its_ttl_is_removed(type: Type) -> None:
    make_memory(type=type, expires_at=AT)
    make_memory(expires_at=AT + DAY)
    kept = make_memory(expires_at=AT, deletion_policy=DeletionPolicy.NEVER)
    assert lifecycle.expire(at=AT) == {"expired": 1}
    assert Memory.objects.filter(pk=kept.pk).exists()
    assert AuditEntry.objects.get().action == "expire"
    assert Tombstone.objects.count() == (type == Type.SEMANTIC)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "facts",
    [
        {"key": "acme.terms", "scope": "project:a", "sensitivity": 3, "category": "preference", "version": 4},
        {"content": "合同 ''%s 🙂" * 80, "confidence": 3, "status": Status.CONTESTED},
        {"type": Type.COMPETENCE, "payload": {"skill_name": "refund an order"}, "status": Status.CONFIRMED},
        {"type": Type.PLAN_GRAPH, "key": "release"},
        {"type": Type.WORKING, "key": "note"},
        {"status": Status.SUPERSEDED},
    ],
)
def test_what_expired_left_a_trail_and_live_claims_a_tombstone(facts: dict[str, Any]) -> None:
    row = make_memory(expires_at=AT, **facts)
    why = "its time was over"
    entry = row.audit("expire", by=SYSTEM, at=AT, before={"status": row.status, "confidence": row.confidence}, why=why)
    stone = Tombstone.over(row, by=SYSTEM, why="", at=AT, blocks=False)
    lifecycle.expire(at=AT)
    assert [_said(one) for one in AuditEntry.objects.all()] == [_said(entry)]
    leaves_one = row.is_claim and row.status in LIVE
    assert [_said(one) for one in Tombstone.objects.all()] == ([_said(stone)] if leaves_one else [])


def _said(row: Model) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if name not in {"id", "batch_id", "_state"}}


@pytest.mark.django_db
def test_each_of_many_has_an_entry_of_its_own_in_one_batch() -> None:
    rows = [make_memory(f"claim {number}", expires_at=AT) for number in range(3)]
    lifecycle.expire(at=AT)
    assert set(AuditEntry.objects.values_list("subject_id", "label")) == {(row.pk, row.content) for row in rows}
    assert len(set(AuditEntry.objects.values_list("batch_id", flat=True))) == 1
    assert set(Tombstone.objects.values_list("memory_id", flat=True)) == {row.pk for row in rows}


@pytest.mark.django_db
def test_of_claims_that_expire_nothing_is_asked_that_only_episodes_have() -> None:
    make_memory(expires_at=AT)
    with CaptureQueriesContext(connection) as asked:
        assert lifecycle.expire(at=AT) == {"expired": 1}
    statements = [query["sql"] for query in asked]
    assert not [sql for sql in statements if "memories_event" in sql]


@pytest.mark.django_db
def test_the_dismissal_of_what_expired_still_holds() -> None:
    memory = make_memory(expires_at=AT + DAY)
    memory.dismiss(by=ANNA, why="wrong", at=AT)
    lifecycle.expire(at=AT + 2 * DAY)
    assert [stone.blocks for stone in Tombstone.objects.all()] == [True]


@pytest.mark.django_db
@pytest.mark.parametrize("days", ["30", "60"])
def test_an_observation_confirms_and_replaces_nothing_whose_time_is_over(days: str) -> None:
    stated = {"source": "ci", "subject": "acme", "predicate": "pays_in", "object": "30"}
    over = observation(check(ObservationReport, stated), trust=everything(ANNA), at=AT - 2 * DAY).memory
    Memory.objects.update(expires_at=AT - DAY, ttl=DAY.total_seconds())
    later = observation(check(ObservationReport, stated | {"object": days}), trust=everything(ANNA), at=AT)
    assert (later.created, later.changed, later.memory == over) == (True, False, False)
    assert Memory.objects.get() == later.memory
