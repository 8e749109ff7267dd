"""Provenance of learned memories: adds the episodes behind them to answers."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memories.models import Evidence
from memories.values.choices import Origin, Type
from memories.values.trust import Trust

HOLDERS = ("results", "memory", "episode")  # members of an answer that hold memories
LEARNED = (Type.COMPETENCE, Type.PLAN_GRAPH)
MOST_NAMED = 100


def add_episodes(answer: Any, trust: Trust) -> None:
    """Add the first visible source episodes to each learned memory in an answer, in place.

    One query however long the answer is, and none where nothing was learned.
    """
    memories_by_id = {UUID(str(memory["id"])): memory for memory in _learned_memories(answer)}
    if not memories_by_id:
        return
    moments = [memory["as_of"]["at"] for memory in memories_by_id.values() if "as_of" in memory]
    sources = _episodes(memories_by_id, trust, min(moments, default=None))
    for memory in _learned_memories(answer):
        memory["provenance"]["sources"] += sources[UUID(str(memory["id"]))]


def _learned_memories(answer: Any) -> Iterator[dict[str, Any]]:
    if isinstance(answer, list):
        for item in answer:
            yield from _learned_memories(item)
    elif isinstance(answer, dict):
        if answer.get("origin") == Origin.CONSOLIDATED and answer.get("type") in LEARNED and "provenance" in answer:
            yield answer
        for name in HOLDERS:
            if name in answer:
                yield from _learned_memories(answer[name])


def _episodes(ids: Any, trust: Trust, until: datetime | None) -> dict[UUID, list[dict[str, Any]]]:
    """Source entries by memory, at most MOST_NAMED each. `until`: only evidence stored by that instant; None: all."""
    earliest = Window(RowNumber(), partition_by="memory", order_by=("at", "pk"))
    visible = Evidence.objects.filter(memory__in=list(ids), episode__isnull=False).of_visible_episodes(trust)
    visible = visible if until is None else visible.filter(created_at__lte=until)
    rows = visible.annotate(number=earliest, source=F("episode__source")).filter(number__lte=MOST_NAMED)
    sources = defaultdict(list)
    for memory_id, episode_id, source, at in rows.order_by("number").values_list("memory", "episode", "source", "at"):
        source_entry = {"kind": "episode", "ref": str(episode_id), "created_by": source, "timestamp": at}
        sources[memory_id].append(source_entry)
    return sources
