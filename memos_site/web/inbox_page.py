"""One page of the inbox: which rows it has, and what it shows of them.

The statements depend on trust, filters and order alone, so they are built once (`memories.models.built`); only
those that say where a page begins in the middle of the queue are built for it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Prefetch, QuerySet, prefetch_related_objects

from memories.models import Memory, Proposal, Relation
from memories.models.built import IDS, INSTANT, BuiltRows
from memories.models.evidence import with_doubt
from memories.values import keyset
from memories.values.keyset import Order
from memories.values.trust import Trust
from memos_site import review
from skills.models import Skill, SkillVersion

Filters = tuple[tuple[str, str], ...]
MOST_BUILT = 64  # of each kind of statement


def page_of_waiting(
    trust: Trust,
    filters: dict[str, str],
    order: keyset.Order,
    *,
    limit: int,
    at: datetime,
    cursor: keyset.Cursor | None,
    last: str = "",
) -> keyset.Page[Any]:
    """The page of waiting memories and proposals after the cursor, with their relations. Invalid: a foreign cursor.

    `last`: as of `review.waiting_memories`.
    """
    directed_order, values = keyset.directed_by(order, cursor)
    filter_items, most = tuple(filters.items()), limit + 1
    if values is None:
        memories = _first_memories(trust, filter_items, directed_order, most, last).read(at=at)
        proposals = _first_proposals(trust, filter_items, directed_order, most, last).read(at=at)
    else:
        heads = _heads(trust, filter_items, directed_order, most, at, values, last)
        memories = _memories(trust, directed_order, most, last).read(ids=[row["pk"] for row in heads])
        proposal_rows = review.open_proposals(trust, at=at, last=last, **filters)
        proposals = list(keyset.after(proposal_rows, directed_order, values)[:most])
    page = keyset.page_of([*memories, *proposals], order, limit=limit, at=at, cursor=cursor, is_merged=True)
    rows = group_by_name(page.rows, trust, filters, order, at=at)
    _attach([row for row in rows if isinstance(row, Memory)], trust, at)
    return replace(page, rows=rows)


def _attach(memories: list[Memory], trust: Trust, at: datetime) -> None:
    """Set the versions of skills, and the relations that contest each memory as its `contests`."""
    prefetch_related_objects(memories, Prefetch("skill__versions", SkillVersion.objects.for_lists()))
    contests: dict[UUID, list[Relation]] = defaultdict(list)
    for relation in _contests(trust).read(at=at, ids=[row.pk for row in memories]) if memories else ():
        contests[relation.source_id].append(relation)
    for row in memories:
        row.contests = contests[row.pk]  # type: ignore[attr-defined]  # for the template alone


def _heads(
    trust: Trust, filter_items: Filters, order: keyset.Order, most: int, at: datetime, values: Any, last: str
) -> Any:
    """The ids of the first memories of each part of the queue."""
    parts = [keyset.Part(rows) for rows in review.waiting_parts(trust, at=at, last=last, **dict(filter_items)).values()]
    return keyset.heads(parts, order, most, values) if parts else Memory.objects.none().values("pk")


@lru_cache(maxsize=MOST_BUILT)
def _first_memories(
    trust: Trust, filter_items: Filters, order: keyset.Order, most: int, last: str
) -> BuiltRows[Memory]:
    heads = _heads(trust, filter_items, order, most, INSTANT, None, last)
    return BuiltRows(_rows_to_show(trust, order, last).filter(pk__in=heads)[:most])


@lru_cache(maxsize=MOST_BUILT)
def _memories(trust: Trust, order: keyset.Order, most: int, last: str) -> BuiltRows[Memory]:
    return BuiltRows(_rows_to_show(trust, order, last).filter(pk__any=IDS)[:most])


def _rows_to_show(trust: Trust, order: keyset.Order, last: str) -> QuerySet[Memory]:
    rows = with_doubt(review.rows_of_parts(trust, last=last)).annotate(same_named=same_named())
    return keyset.after(rows, order, None)


@lru_cache(maxsize=MOST_BUILT)
def _first_proposals(
    trust: Trust, filter_items: Filters, order: keyset.Order, most: int, last: str
) -> BuiltRows[Proposal]:
    rows = review.open_proposals(trust, at=INSTANT, last=last, **dict(filter_items))
    return BuiltRows(keyset.after(rows, order, None)[:most])


@lru_cache(maxsize=MOST_BUILT)
def _contests(trust: Trust) -> BuiltRows[Relation]:
    return BuiltRows(Relation.objects.contests(trust, at=INSTANT).filter(source__any=IDS))


MOST_IN_GROUP = 12  # rows; further ones stand where they would without it


def same_named() -> ArraySubquery:
    """Subquery of the ids of other skills with the name of a memory's skill, in any scope; [] where it is no skill."""
    skills = Skill.objects.filter(name=OuterRef("skill__name")).exclude(pk=OuterRef("pk"))
    return ArraySubquery(skills.order_by().values("pk"))


def group_by_name(rows: list[Any], trust: Trust, filters: dict[str, str], order: Order, *, at: datetime) -> list[Any]:
    """Put below each row the waiting skills of its name, and leave out what stands below a row of another page.

    `rows`: of a page, with `same_named`. The first of a group gets its `group_size`, the others `is_member`.
    """
    ids = {pk for row in rows for pk in getattr(row, "same_named", ())}
    if not ids:
        return rows
    waiting_rows = review.waiting_memories(trust, at=at, **filters).filter(pk__in=ids)
    row_by_id = {row.pk: row for row in with_doubt(waiting_rows)} | {row.pk: row for row in rows}
    groups = _groups(list(row_by_id.values()), order)
    rows_of_page: list[Any] = []
    for row in rows:
        group = groups.get(row.pk, [row])
        rows_of_page += group if group[0] is row else []
    return rows_of_page


def _groups(rows: Sequence[Any], order: Order) -> dict[UUID, list[Any]]:
    """Id -> the rows of its group in the order of the queue, of groups with several."""
    by_name: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        if skill := getattr(row, "skill", None):
            by_name[skill.name].append(row)
    groups: dict[UUID, list[Any]] = {}
    for group in by_name.values():
        for column in reversed(order):
            group.sort(key=attrgetter(column.lstrip("-")), reverse=column.startswith("-"))
        first, *members = group[:MOST_IN_GROUP]
        first.group_size = len(members) + 1 if members else 0
        for other_row in members:
            other_row.is_member = True
        groups |= {row.pk: [first, *members] for row in (first, *members)}
    return groups
