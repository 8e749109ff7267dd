"""What one memory tells of another: the ids that a revision left are shown only to who may see what they name."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from memories.models import Memory
from memories.trust import Trust

OF_A_MEMORY = ("payload", "revision", "relation", "provenance", "sources")
HOLDERS = ("results", "memory", "history", "before", "after", *OF_A_MEMORY)  # where they stand
NAMES = {
    "revision": ("superseded_by", "supersedes", "merged_into"),
    "relation": ("source", "target"),
    "sources": ("ref",),
}
OF_MEMORIES = ("supersede", "fork", "merge", "contest", "episode")  # other sources' `ref` is the caller's own word


def veil(answer: Any, trust: Trust) -> None:
    """Leaves those out of `answer`, in place. One query however long it is, and none where it names nothing."""
    named = [*_named(answer)]
    if not named:
        return
    ids = {value for holder, names in named for name in names if (value := _id(holder.get(name)))}
    seen = set(Memory.objects.visible_to(trust).filter(pk__in=ids).values_list("pk", flat=True))
    for holder, names in named:
        for name in names:
            if (value := _id(holder.get(name))) and value not in seen:
                del holder[name]


def _named(answer: Any, place: str = "") -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    if isinstance(answer, list):
        for item in answer:
            yield from _named(item, place)
    elif isinstance(answer, dict):
        if place in NAMES and (place != "sources" or answer.get("kind") in OF_MEMORIES):
            yield answer, NAMES[place]
        for name in HOLDERS:
            if name in answer:
                yield from _named(answer[name], name)


def _id(value: Any) -> UUID | None:
    try:
        return UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
