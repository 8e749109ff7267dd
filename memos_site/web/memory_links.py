"""Memories by name in one sentence, as far as the reader may see them."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.utils.translation import ngettext

from memories.models import Memory
from memories.values.trust import Trust

MOST_NAMED = 3
LONGEST_NAME = 60


def named(ids: Collection[UUID], trust: Trust) -> str:
    """The first few, and how many more there are."""
    first = list(ids)[:MOST_NAMED]
    names = list(names_of(first, trust).values())
    more = len(ids) - len(names)
    return ", ".join(names) + (ngettext(" and %(n)s more", " and %(n)s more", more) % {"n": more} if more else "")


def names_of(ids: Collection[UUID], trust: Trust) -> dict[UUID, str]:
    rows: Any = Memory.objects.visible_to(trust).select_related("skill").in_bulk(ids)
    return {pk: f"“{_name(rows[pk])}”" for pk in ids if pk in rows}


def _name(memory: Memory) -> str:
    skill = getattr(memory, "skill", None)
    words = skill.title if skill else memory.content
    return words if len(words) <= LONGEST_NAME else f"{words[: LONGEST_NAME - 1].rstrip()}…"
