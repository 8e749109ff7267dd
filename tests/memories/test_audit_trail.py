"""The audit trail only grows: the database itself refuses to change or remove a row."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from memories.models import AuditEntry, Memory
from memories.models.audit import LONGEST_TEXT
from memos_site.platform.correlation import request_id
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db


def make_entry(**facts: Any) -> AuditEntry:
    entry = make_memory().audit("edit", by=ANNA, at=AT, **facts)
    entry.save(force_insert=True)
    return entry


@pytest.mark.parametrize(
    "change",
    [
        {"actor": "ben"},
        {"rationale": "because"},
        {"after": {"status": "applied"}},
        {"sensitivity": 0},
        {"sensitivity": 4, "actor": "ben"},
    ],
)
def test_no_row_can_be_changed(change: dict[str, Any]) -> None:
    entry = make_entry()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEntry.objects.filter(pk=entry.pk).update(**change)
    assert AuditEntry.objects.get().actor == "anna"


def test_no_row_can_be_removed() -> None:
    entry = make_entry()
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        entry.delete()
    assert AuditEntry.objects.exists()


def test_its_sensitivity_may_rise_with_its_subjects() -> None:
    make_entry()
    AuditEntry.objects.update(sensitivity=4)
    assert AuditEntry.objects.get().sensitivity == 4


def test_only_who_erases_may_change_it_and_only_in_that_transaction() -> None:
    make_entry()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL memos.erasing = 'on'")
        AuditEntry.objects.update(label="")
        cursor.execute("SET LOCAL memos.erasing = ''")
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEntry.objects.update(label="x")


def test_it_outlives_what_it_speaks_of() -> None:
    entry = make_entry()
    Memory.objects.all().delete()
    assert AuditEntry.objects.about("memory", entry.subject_id).get() == entry


def test_long_texts_leave_their_length_and_hash() -> None:
    entry = make_entry(before={"content": "x" * (LONGEST_TEXT + 1)}, after={"content": "x" * LONGEST_TEXT})
    assert entry.before["content"]["length"] == LONGEST_TEXT + 1
    assert entry.after["content"] == "x" * LONGEST_TEXT


def test_it_names_the_request_that_did_it() -> None:
    token = request_id.set("request-1")
    assert make_entry().request_id == "request-1"
    request_id.reset(token)
