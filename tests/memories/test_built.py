"""Querysets whose statement is built once: they answer as the queryset does, at any instant and for any ids.

`any` answers as `in` does, for every kind of column, with one parameter.
"""

from datetime import datetime, timedelta
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Episode, Event, Evidence, Memory
from memories.models.built import IDS, INSTANT, BuiltRows, ask, statement_of
from memories.models.evidence import with_support
from memories.models.memory import MemoryQuerySet
from memories.values.choices import Status
from memories.values.trust import everything
from tests.make import AT, make_memory, make_run, make_skill

pytestmark = pytest.mark.django_db
LATER = AT + timedelta(hours=2)


def rows_of(at: datetime, ids: list[UUID]) -> MemoryQuerySet:
    rows = with_support(Memory.objects.visible_to(everything()).unexpired(at)).select_related("skill", "performance")
    shown: MemoryQuerySet = rows.filter(pk__any=ids).order_by("-created_at", "-pk")[:3]
    return shown


@pytest.mark.parametrize("prepared", [False, True])
def test_rows_are_those_of_the_queryset_with_what_it_joins_and_annotates_by_one_statement(prepared: bool) -> None:
    expiring = make_memory("Acme pays late", expires_at=AT + timedelta(hours=1))
    memories = [expiring, make_skill().memory, *(make_memory(f"claim {n}") for n in range(3))]
    built = BuiltRows(rows_of(INSTANT, IDS), prepared=prepared)
    for at in (AT, LATER):
        for some in (memories, memories[:2], memories[3:], []):
            ids = [memory.pk for memory in some]
            expected = list(rows_of(at, ids))
            with CaptureQueriesContext(connection) as queries:
                found = built.read(at=at, ids=ids)
                assert [row.pk for row in found] == [row.pk for row in expected]
                assert [row.support_count for row in found] == [row.support_count for row in expected]  # type: ignore[attr-defined]
                assert [hasattr(row, "skill") for row in found] == [hasattr(row, "skill") for row in expected]
            assert len(queries) == 1


def test_rows_are_read_as_they_are_now() -> None:
    memory = make_memory("Acme pays late")
    built = BuiltRows(rows_of(INSTANT, IDS))
    assert [row.status for row in built.read(at=AT, ids=[memory.pk])] == [Status.CANDIDATE]
    Memory.objects.update(status=Status.CONFIRMED)
    assert [row.status for row in built.read(at=AT, ids=[memory.pk])] == [Status.CONFIRMED]


def test_of_nothing_there_is_nothing() -> None:
    make_memory("Acme pays late")
    assert BuiltRows(Memory.objects.none()).read() == []
    assert ask(statement_of(Memory.objects.none()), AT) == []


@pytest.mark.django_db(transaction=True)
def test_each_thread_asks_by_its_own_connection() -> None:
    memory = make_memory("Acme pays late")
    built, found = BuiltRows(rows_of(INSTANT, IDS)), []

    def read() -> None:
        found.extend(built.read(at=AT, ids=[memory.pk]))
        connection.close()

    thread = Thread(target=read)
    thread.start()
    thread.join()
    assert [*found, *built.read(at=AT, ids=[memory.pk])] == [memory, memory]


HOSTILE = ("a,b}", '{"x"}', "'; DROP TABLE x --", "back\\slash", 'quo"te', "NULL", "", "中文, {x}", "line\nbreak")


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_found_whatever_they_hold(text: str) -> None:
    named, _ = make_memory("x", source=text), make_memory("y", source="other")
    assert list(Memory.objects.filter(source__any=[text, "third"])) == [named]


def test_ids_numbers_and_links_are_found_and_nothing_among_none() -> None:
    one, _ = make_run(), make_run()
    events = list(Event.objects.filter(episode=one.pk))
    asked: list[tuple[Any, str, list[Any]]] = [
        (Episode.objects, "pk", [one.pk, uuid4()]),
        (Event.objects, "episode", [one.pk]),
        (Event.objects, "episode_id", [one.pk, one.pk]),
        (Event.objects, "position", [0, 2]),
        (Evidence.objects, "occasion", ["episode:x"]),
    ]
    for rows, name, values in asked:
        assert set(rows.filter(**{f"{name}__any": values})) == set(rows.filter(**{f"{name}__in": values})), name
        assert not rows.filter(**{f"{name}__any": []}).exists()
    assert Event.objects.filter(episode__any=[one.pk]).count() == len(events) > 0


def test_hundreds_of_ids_are_one_parameter() -> None:
    ids: list[UUID] = [uuid4() for _ in range(300)]
    with CaptureQueriesContext(connection) as queries:
        assert list(Episode.objects.filter(pk__any=ids)) == []
    assert queries[0]["sql"].count("'") == 2
