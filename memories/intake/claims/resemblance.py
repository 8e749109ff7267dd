"""What a waiting claim resembles: the dismissal, and its words where the reader may see them."""

from dataclasses import dataclass
from typing import Any

from memories.models import Memory, Tombstone
from memories.values.trust import Trust


@dataclass(frozen=True)
class Resemblance:
    """`tombstone` None: the reader may not see it, only that there is one. `memory` None: nor the words, or they are
    forgotten."""

    tombstone: Tombstone | None
    memory: Memory | None

    @property
    def as_json(self) -> dict[str, Any]:
        stone, row = self.tombstone, self.memory
        return {
            "tombstone": stone.pk if stone else None,
            "scope": stone.scope if stone else None,
            "memory_id": row.pk if row else None,
            "content": row.content if row else None,
        }


def resemblance_of(memory: Memory, trust: Trust) -> Resemblance | None:
    """The dismissal that this memory resembles; None without one."""
    if memory.resembles is None:
        return None
    stone = Tombstone.objects.visible_to(trust).filter(pk=memory.resembles).first()
    row = Memory.objects.visible_to(trust).filter(pk=stone.memory_id).first() if stone and stone.memory_id else None
    return Resemblance(stone, row)
