"""Rows that go, with everything in any room that belongs to them and to nothing else."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection

from memories.models import Evidence, Memory

EVENTS = "DELETE FROM memories_event WHERE episode_id = ANY(%s)"


def remove(ids: Collection[UUID]) -> None:
    """In the caller's transaction, under its locks. Evidence for others stays, without its link."""
    remove_events(ids)
    Memory.objects.filter(pk__in=ids).only("pk").delete()


def remove_events(ids: Collection[UUID]) -> None:
    """Before their episodes: events are many, and the database takes them and their passages without a look at each.

    What else belongs to a memory, in whichever room, Django finds by its foreign keys.
    """
    Memory.objects.released(ids)
    Evidence.objects.filter(episode__in=ids).update(episode=None, event=None)
    with connection.cursor() as cursor:
        cursor.execute(EVENTS, [list(ids)])
