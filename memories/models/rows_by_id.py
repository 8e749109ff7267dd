"""Rows by their ids, with what stands beside each: one prepared statement, without the ORM's compiler and constructor.

Every search loads its results so. The planner looks at all indexes of a table of memories for each statement that it
meets for the first time, which takes the database longer than to read ten rows.
"""

from collections.abc import Collection, Sequence
from functools import cache
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, OneToOneRel

from memories.models import bulk_rows
from memories.values.conditions import Filter

M = TypeVar("M", bound=Model)


def read(model: type[M], ids: Collection[UUID], *, passing: Filter, beside: Sequence[str] = ()) -> list[M]:
    """The rows with these ids that pass a filter, in any order.

    `beside`: names of one-to-one rows to load with them, as `select_related` does.
    """
    if not ids:
        return []
    statement = _statement(model, passing.sql("found"), tuple(beside))
    with bulk_rows.prepared() as cursor:
        cursor.execute(statement, {**passing.values(), "ids": list(ids)})
        return [_joined(model, beside, values) for values in cursor.fetchall()]


def _joined(model: type[M], beside: Sequence[str], values: Sequence[Any]) -> M:
    column = iter(values)
    row = bulk_rows.instance(model, list(islice(column, bulk_rows.width(model))))
    for name in beside:
        relation = _relation(model, name)
        other = list(islice(column, bulk_rows.width(relation.related_model)))
        is_there = other[bulk_rows.position(relation.related_model, relation.field.attname)] is not None
        there = bulk_rows.instance(relation.related_model, other) if is_there else None
        row._state.fields_cache[name] = there
        if there is not None:
            there._state.fields_cache[relation.field.name] = row
    return row


@cache
def _statement(model: type[Model], passing: str, beside: tuple[str, ...]) -> str:
    relations = [_relation(model, name) for name in beside]
    columns = [bulk_rows.columns(model, "found")]
    columns += [bulk_rows.columns(one.related_model, one.name) for one in relations]
    tables = [f"{model._meta.db_table} AS found"]
    tables += [
        f"LEFT JOIN {one.related_model._meta.db_table} AS {one.name} ON {one.name}.{one.field.column} = found.id"
        for one in relations
    ]
    return f"SELECT {', '.join(columns)} FROM {' '.join(tables)} WHERE found.id = ANY(%(ids)s) AND {passing}"  # noqa: S608


def _relation(model: type[Model], name: str) -> OneToOneRel:
    relation = model._meta.get_field(name)
    assert isinstance(relation, OneToOneRel)
    return relation
