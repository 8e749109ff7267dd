"""Rows by their ids, by a prepared statement: they are those that the ORM reads."""

from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Episode, Memory, Performance, rows_by_id
from memories.values.choices import Sensitivity, Type
from memories.values.trust import SYSTEM, Trust
from tests.make import AT, make_memory, make_skill

pytestmark = pytest.mark.django_db
READER = Trust(SYSTEM, Sensitivity.MEDIUM, frozenset(("project:shop",)))
BESIDE = ("episode", "performance")


def test_rows_are_those_of_the_orm_with_what_stands_beside_them_by_one_statement() -> None:
    claim = make_memory("Acme pays late", scope="project:shop", tags=["terms"], payload={"subject": "Acme"})
    episode = make_memory("A parcel", type=Type.EPISODIC, scope="project:shop")
    Episode.objects.create(
        memory=episode, scope="project:shop", title="A parcel", last_event_at=AT, environment={"by": "Anna"}
    )
    skill = make_skill().memory
    Performance.objects.update_or_create(memory=skill, defaults={"successes": 3})
    ids = [claim.pk, episode.pk, skill.pk, UUID(int=7)]
    with CaptureQueriesContext(connection) as queries:
        found = {row.pk: row for row in rows_by_id.read(Memory, ids, passing=READER.filter, beside=BESIDE)}
    assert len(queries) == 1
    expected = Memory.objects.visible_to(READER).filter(pk__in=ids).select_related(*BESIDE)
    assert {row.pk: _told(row) for row in expected} == {pk: _told(row) for pk, row in found.items()}
    with CaptureQueriesContext(connection) as queries:
        assert found[episode.pk].episode.memory is found[episode.pk]
        assert [hasattr(found[row.pk], "episode") for row in (claim, skill)] == [False, False]
        assert found[skill.pk].performance.successes == 3
    assert len(queries) == 0


def test_what_the_filter_does_not_pass_is_not_read() -> None:
    secret = make_memory("Acme pays late", scope="project:shop", sensitivity=Sensitivity.HIGH)
    elsewhere = make_memory("Ben pays late", scope="project:other")
    there = make_memory("Cleo pays late", scope="project:shop")
    found = rows_by_id.read(Memory, [secret.pk, elsewhere.pk, there.pk], passing=READER.filter)
    assert [row.pk for row in found] == [there.pk]


def test_of_no_ids_nothing_is_asked() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert rows_by_id.read(Memory, [], passing=READER.filter) == []
    assert len(queries) == 0


def _told(row: Memory) -> list[object]:
    beside = [getattr(row, name, None) for name in BESIDE]
    return [
        {field.name: getattr(one, field.attname) for field in one._meta.concrete_fields}
        for one in (row, *beside)
        if one
    ]
