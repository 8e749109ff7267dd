"""What belongs to one memory, in whichever room: found by the foreign keys that lead to it."""

from copy import copy
from typing import Any

from django.db.models.deletion import Collector

from memories.models import Memory


class Belongings(Collector):
    """Each row that goes along, by name: the trail speaks of some of them."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(using="default")
        self.collect([copy(memory)])  # the caller's keeps its id

    def can_fast_delete(self, objs: Any, from_field: Any = None) -> bool:
        return False  # that would not look at them

    @property
    def ids(self) -> set[Any]:
        return {row.pk for rows in self.data.values() for row in rows}
