"""Delete memories by SQL, with the rows of all rooms that belong to them, without loading any."""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import CASCADE, DO_NOTHING, SET_NULL, Model

from memories.models import Evidence, Memory

EVENTS = "DELETE FROM memories_event WHERE episode_id = ANY(%s)"


def remove(ids: Collection[UUID]) -> None:
    """Delete these in the caller's transaction, under its locks. Evidence for others stays, without its link."""
    Memory.objects.released(ids)
    with connection.cursor() as cursor:
        for statement in _statements():
            cursor.execute(statement, [list(ids)])


def remove_events(memory_id: UUID) -> None:
    """Delete the events of an episode, which may be many, before it is deleted by the ORM."""
    Memory.objects.released([memory_id])
    Evidence.objects.filter(episode=memory_id).update(episode=None, event=None)
    with connection.cursor() as cursor:
        cursor.execute(EVENTS, [[memory_id]])


@cache
def _statements() -> list[str]:
    """One for each foreign key that leads to a memory, however far: what hangs deepest goes first."""
    table = Memory._meta.db_table
    return [*_below(Memory, "id = ANY(%s)"), f"DELETE FROM {table} WHERE id = ANY(%s)"]  # noqa: S608 - our own names


def _below(model: type[Model], where: str) -> Iterator[str]:
    """`where` says which rows of the model go; it takes the ids of the memories."""
    table, key = model._meta.db_table, _key(model)
    for relation in model._meta.related_objects:
        child: type[Any] = relation.related_model
        column, becomes = relation.field.column, relation.on_delete
        same = where.startswith(f"{key} = ANY")
        of_these = f"{column} = ANY(%s)" if same else f"{column} IN (SELECT {key} FROM {table} WHERE {where})"  # noqa: S608
        if becomes is SET_NULL:
            yield f"UPDATE {child._meta.db_table} SET {column} = NULL WHERE {of_these}"  # noqa: S608
        elif becomes is CASCADE:
            yield from _below(child, of_these)
            yield f"DELETE FROM {child._meta.db_table} WHERE {of_these}"  # noqa: S608
        elif becomes is not DO_NOTHING:  # that the database does
            raise TypeError(f"what becomes of {child.__name__}.{relation.field.name} when its memory goes?")


def _key(model: type[Model]) -> str:
    assert model._meta.pk is not None
    return str(model._meta.pk.column)
