"""Usage of a memory: the stored agent contexts that it went into."""

from typing import Any, NamedTuple

from memories.models import Injection, Memory
from memories.values.trust import Trust

MOST_SHOWN = 10


class Used(NamedTuple):
    """A context that a memory went into. `why`: the queries that found it, e.g. `words, company`."""

    injection: Injection
    why: str
    score: float


def contexts_of(memory: Memory, *, trust: Trust, most: int = MOST_SHOWN) -> list[Used]:
    """The latest contexts that the reader may see, without the other memories in them; one statement."""
    rows = Injection.objects.visible_to(trust).of(memory.pk)[:most]
    return [_used(row, str(memory.pk)) for row in rows]


def _used(injection: Injection, memory_id: str) -> Used:
    item: dict[str, Any] = next(item for item in injection.items if item.get("memory") == memory_id)
    return Used(injection, item.get("why", ""), item.get("score", 0.0))
