"""Remove from answers the ids of memories that the caller may not see (left there by revisions)."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from uuid import UUID

from memories.models import Adaptation, Memory, Proposal, Tombstone
from memories.values.choices import Sensitivity
from memories.values.trust import Trust

OF_A_MEMORY = ("payload", "revision", "relation", "provenance", "sources")
HOLDERS = ("results", "memory", "history", "before", "after", *OF_A_MEMORY)  # where they stand
NAMES = {
    "revision": ("superseded_by", "supersedes", "merged_into"),
    "relation": ("source", "target"),
    "sources": ("ref",),
}
OF_MEMORIES = ("supersede", "fork", "merge", "contest", "episode")  # other sources' `ref` is the caller's own word
COLUMNS = ("payload", "provenance", "before", "after")  # of rows, where such ids stand


def redact(answer: Any, trust: Trust) -> None:
    """Remove these ids from `answer`, in place, by one query; by none where it names no memory."""
    references = [*_references(answer)]
    if not references:
        return
    ids = {value for holder, fields in references for name in fields if (value := _id(holder.get(name)))}
    seen = set(Memory.objects.visible_to(trust).filter(pk__in=ids).values_list("pk", flat=True))
    for holder, fields in references:
        for name in fields:
            if (value := _id(holder.get(name))) and value not in seen:
                del holder[name]


def redacted_payload(memory: Memory, trust: Trust) -> dict[str, Any]:
    """A copy of the payload without these ids, for a page."""
    payload: dict[str, Any] = deepcopy(memory.payload)
    redact({"payload": payload}, trust)
    return payload


def hidden_ids(answer: Any, trust: Trust) -> set[UUID]:
    """The ids in a stored answer that the caller may not see now. Rows that the caller made, and that
    have the sensitivity they had, are not among them."""
    levels = dict(_shown_levels(answer))
    if not levels:
        return set()
    memories = Memory.objects.exclude(trust.visible()).filter(pk__in=levels)
    hidden = {
        pk
        for pk, maker, level in memories.values_list("pk", "created_by_id", "sensitivity")
        if maker != trust.actor.identity or Sensitivity(level).label != levels[pk]
    }
    for model in (Proposal, Tombstone, Adaptation):
        rows = model._default_manager.exclude(trust.visible()).filter(pk__in=levels)
        hidden |= set(rows.values_list("pk", flat=True))
    return hidden


def _shown_levels(answer: Any) -> Iterator[tuple[UUID, Any]]:
    """(id, sensitivity) of the rows that an answer shows."""
    rows = answer.get("results", [answer]) if isinstance(answer, dict) else []
    for row in rows:
        for shown in (row, row.get("memory"), row.get("episode")):
            if isinstance(shown, dict) and (id := _id(shown.get("id"))):
                yield id, shown.get("sensitivity")


def _references(answer: Any, place: str = "") -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    if isinstance(answer, list):
        for item in answer:
            yield from _references(item, place)
    elif isinstance(answer, dict):
        if place in NAMES and (place != "sources" or answer.get("kind") in OF_MEMORIES):
            yield answer, NAMES[place]
        for name in HOLDERS:
            if name in answer:
                yield from _references(answer[name], name)


def _id(value: Any) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
