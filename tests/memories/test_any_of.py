"""`any` answers as `in` does, for every kind of column, with one parameter."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Episode, Event, Evidence, Memory
from tests.make import make_memory, make_run

pytestmark = pytest.mark.django_db
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
