"""Names of memories as text, as far as the reader may see them."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.utils.translation import ngettext

from memories.models import Memory, Proposal, Subject
from memories.values.trust import Trust
from memos_site.web.words import as_list

MAX_NAMED = 3
MAX_NAME = 60


def names_text(ids: Collection[UUID], trust: Trust) -> str:
    """Return the names of the first MAX_NAMED memories, and how many more there are."""
    first = list(ids)[:MAX_NAMED]
    names = list(names_of(first, trust).values())
    return as_list(names) + and_more(len(ids) - len(names))


def and_more(n: int) -> str:
    """Return how many more there are than were named, as a text; '' for none."""
    return ngettext(" and %(n)s more", " and %(n)s more", n) % {"n": n} if n else ""


def names_of(ids: Collection[UUID], trust: Trust) -> dict[UUID, str]:
    """Return id -> quoted name of the memories that the reader may see."""
    return {pk: f"“{name}”" for pk, name in plain_names_of(ids, trust, longest=MAX_NAME).items()}


def plain_names_of(ids: Collection[UUID], trust: Trust, *, longest: int) -> dict[UUID, str]:
    """Return id -> name of the memories, the subjects, and what proposals are about, as far as the reader may see
    them, for a list."""
    rows: Any = Memory.objects.visible_to(trust).select_related("skill").in_bulk(ids)
    other_ids = [pk for pk in ids if pk not in rows]
    proposals: Any = (
        Proposal.objects.visible_to(trust).select_related("memory__skill").in_bulk(other_ids) if other_ids else {}
    )
    subjects = Subject.objects.within(trust).in_bulk(other_ids) if other_ids else {}
    names = {pk: short_name(row, longest) for pk, row in rows.items()} | {pk: str(row) for pk, row in subjects.items()}
    names |= {pk: short_name(row.memory, longest) for pk, row in proposals.items()}
    return {pk: names[pk] for pk in ids if pk in names}


def short_name(memory: Memory, longest: int) -> str:
    """Return the title of a skill or the content of another memory, cut to `longest` characters."""
    skill = getattr(memory, "skill", None)
    text: str = skill.title if skill else memory.content
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
