"""Skills of one name that wait in several scopes: one group of the queue, below the first of them."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef

from memories.models.evidence import with_doubt
from memories.values.keyset import Order
from memories.values.trust import Trust
from memos_site import review
from skills.models import Skill

MOST_IN_GROUP = 12  # rows; further ones stand where they would without it


def same_named() -> ArraySubquery:
    """The ids of other skills of the name of a memory's skill, in whatever scope; none of one that is no skill."""
    named = Skill.objects.filter(name=OuterRef("skill__name")).exclude(pk=OuterRef("pk"))
    return ArraySubquery(named.order_by().values("pk"))


def grouped(rows: list[Any], trust: Trust, filters: dict[str, str], order: Order, *, at: datetime) -> list[Any]:
    """Put below each row the waiting skills of its name, and leave out what stands below a row of another page.

    `rows`: of a page, with `same_named`. The first of a group gets its `group_size`, the others `is_member`.
    """
    ids = {pk for row in rows for pk in getattr(row, "same_named", ())}
    if not ids:
        return rows
    waiting = review.waiting_memories(trust, at=at, **filters).filter(pk__in=ids)
    known = {row.pk: row for row in with_doubt(waiting)} | {row.pk: row for row in rows}
    groups = _groups(list(known.values()), order)
    shown: list[Any] = []
    for row in rows:
        group = groups.get(row.pk, [row])
        shown += group if group[0] is row else []
    return shown


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
        first, *others = group[:MOST_IN_GROUP]
        first.group_size = len(others) + 1 if others else 0
        for one in others:
            one.is_member = True
        groups |= {row.pk: [first, *others] for row in (first, *others)}
    return groups
