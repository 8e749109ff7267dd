"""Memories as they stood at an instant: from the states that the database keeps at every change."""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connection

from memories.lifecycle import confidence_decay
from memories.models import FormerState, Memory
from memories.models.as_of import LONG, STATE_COLUMNS, AsOf
from memories.values.choices import Sensitivity, Status
from memories.values.trust import SYSTEM
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db
MIGRATION = import_module("memories.migrations.0018_former_states")
KEEPING = import_module("memories.migrations.0050_speakers")
MINUTE = timedelta(minutes=1)
NEITHER_SHOWN_NOR_ASKED_FOR = {
    *("snoozed_until", "ttl", "idle_since", "decay_steps", "decay_due_at", "evidence_of_live", "fingerprint"),
    *("resembles", "times_used", "last_used_at"),
}
OF_TODAY = {"withheld_from"}  # as the level above which nothing is shown: a dismissal is about then too
NEVER_CHANGED = {
    *("id", "type", "scope", "key", "source", "origin", "thread_id", "half_life", "min_salience", "max_age"),
    *("reinforcement_gain", "created_by", "created_by_id", "created_at"),
}


def then(row: Memory, at: datetime, *, ceiling: int = Sensitivity.HYPER) -> Memory | None:
    return Memory.objects.as_of(AsOf(at, ceiling)).filter(pk=row.pk).first()


def seen(row: Memory, at: datetime) -> dict[str, Any]:
    former = then(row, at)
    assert former is not None
    return {name: getattr(former, name) for name in (*STATE_COLUMNS, *LONG, "fades_at")}


def test_every_column_is_kept_or_there_is_a_reason_why_not() -> None:
    columns = {str(field.column) for field in Memory._meta.concrete_fields if not field.generated}
    assert columns == {*STATE_COLUMNS, *LONG} | NEITHER_SHOWN_NOR_ASKED_FOR | OF_TODAY | NEVER_CHANGED
    assert [*KEEPING.KEPT, *KEEPING.LONG] == [*STATE_COLUMNS, *LONG]


def test_between_two_edits_the_first_words_stand() -> None:
    row = make_memory("Acme pays within 30 days")
    row.edit({"content": "Acme pays within 45 days"}, by=ANNA, at=AT + 2 * MINUTE)
    row.edit({"content": "Acme pays within 60 days"}, by=ANNA, at=AT + 4 * MINUTE)
    words = [seen(row, AT + n * MINUTE)["content"] for n in range(6)]
    assert [text.split()[3] for text in words] == ["30", "30", "45", "45", "60", "60"]


def test_every_kind_of_change_is_found_again() -> None:
    row, at, steps = make_memory(tags=["a"], payload={"kind": "semantic", "x": 1}), AT, {}
    changes: list[dict[str, Any]] = [
        {"status": "confirmed", "confidence": 60, "updated_at": 1},
        {"content": "Acme pays on net-60 terms", "category": "fact", "updated_at": 1},
        {"payload": {"kind": "semantic", "x": 2}, "tags": ["a", "b"], "updated_at": 1},
        {"salience": 0.5, "salience_at": 1},
        {"sensitivity": 3, "flags": ["secret"], "updated_at": 1},
        {"provenance": {"sources": []}, "pinned": True, "updated_at": 1},
        {"expires_at": AT + timedelta(days=9), "company_id": "acme", "reinforced_at": 1},
        {"content": "Acme pays on net-90 terms", "payload": {}, "times_confirmed": 4, "updated_at": 1},
    ]
    for change in changes:
        row.refresh_from_db()
        steps[at] = {name: getattr(row, name) for name in (*STATE_COLUMNS, *LONG, "fades_at")}
        at += MINUTE
        Memory.objects.filter(pk=row.pk).update(
            **{n: at if v == 1 and n.endswith("_at") else v for n, v in change.items()}
        )
    assert {moment: seen(row, moment) for moment in steps} == steps
    assert {moment: seen(row, moment + MINUTE / 2) for moment in steps} == steps


def test_two_changes_of_one_instant_are_one_step() -> None:
    row, at = make_memory("Acme pays within 30 days"), AT + MINUTE
    row.promote(by=ANNA, at=at)
    row.edit({"content": "Acme pays within 45 days"}, by=ANNA, at=at)
    row.edit({"content": "Acme pays within 60 days"}, by=ANNA, at=at)
    before, after = seen(row, at - timedelta(microseconds=1)), seen(row, at)
    assert (before["content"], before["status"]) == ("Acme pays within 30 days", "candidate")
    assert (after["content"], after["status"]) == ("Acme pays within 60 days", "confirmed")
    assert FormerState.objects.count() == 1


def test_a_change_that_lost_a_race_takes_effect_with_the_one_that_won() -> None:
    row = make_memory("Acme pays within 30 days")
    row.edit({"content": "Acme pays within 45 days"}, by=ANNA, at=AT + 2 * MINUTE)
    row.edit({"content": "Acme pays within 60 days"}, by=ANNA, at=AT + MINUTE)
    assert seen(row, AT + MINUTE)["content"] == "Acme pays within 30 days"
    assert seen(row, AT + 2 * MINUTE)["content"] == "Acme pays within 60 days"


def test_what_was_created_later_or_is_above_the_caller_today_is_not_there() -> None:
    row = make_memory()
    row.edit({"sensitivity": Sensitivity.HYPER}, by=ANNA, at=AT + MINUTE)
    assert then(row, AT - MINUTE) is None
    assert then(row, AT, ceiling=Sensitivity.HIGH) is None
    former = then(row, AT)
    assert former is not None and former.sensitivity == Sensitivity.LOW


def test_a_use_keeps_no_state_and_a_step_of_decay_does() -> None:
    row = make_memory(confidence=80, status=Status.CONFIRMED, idle_since=AT, decay_due_at=AT + timedelta(days=30))
    Memory.objects.count_use([row.pk], at=AT + MINUTE)
    assert not FormerState.objects.exists()
    confidence_decay.settle(at=AT + timedelta(days=37))
    before, after = seen(row, AT + timedelta(days=36)), seen(row, AT + timedelta(days=37))
    assert (before["confidence"], after["confidence"]) == (80, 75)
    assert before["updated_at"] == after["updated_at"]


def test_states_go_with_their_memory() -> None:
    row = make_memory()
    row.edit({"content": "Acme pays within 45 days"}, by=ANNA, at=AT + MINUTE)
    row.delete()
    assert not FormerState.objects.exists()


def test_without_an_instant_the_statement_is_the_ordinary_one() -> None:
    assert str(Memory.objects.as_of(None).query) == str(Memory.objects.all().query)


def test_states_before_the_trigger_are_put_together_from_the_audit_trail() -> None:
    """Long texts too, which the trail holds as hashes; marked as not recorded."""
    row, at, steps = make_memory("30 days " * 400), AT, {}
    row.audit("create", by=SYSTEM, at=AT).save(force_insert=True)
    for change in ({"content": "45 days"}, {"tags": ["a"]}, {"content": "60 days", "sensitivity": Sensitivity.HIGH}):
        steps[at] = seen(row, at)
        row.edit(change, by=ANNA, at=(at := at + MINUTE))
    row.promote(by=ANNA, at=at)
    row.dismiss(by=ANNA, why="wrong", at=at + MINUTE)
    steps |= {at: seen(row, at), at + MINUTE: seen(row, at + MINUTE)}
    FormerState.objects.all().delete()
    with connection.cursor() as cursor:
        for statement in (MIGRATION.OVERLAY, MIGRATION.FROM_AUDIT, MIGRATION.UNTIL_NOW):
            cursor.execute(statement)
    found = {moment: seen(row, moment) for moment in steps}
    for told in (*found.values(), *steps.values()):
        del told["speakers"]  # of them the trail tells nothing
    assert found == steps
    assert not FormerState.objects.filter(recorded=True).exists()
    assert FormerState.objects.filter(until__gt=at + MINUTE).count() == 1
