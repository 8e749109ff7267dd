"""What a forgetting takes, counted before it does: the preview and the receipt are one."""

from dataclasses import dataclass
from typing import Self
from uuid import UUID

from memories.models import Event, Memory, Relation


@dataclass(frozen=True)
class Receipt:
    """`skills_withdrawn`: published skills that agents can download no more."""

    memory: UUID
    adaptations_reverted: int = 0
    relations: int = 0
    evidence: int = 0
    events: int = 0
    skills_withdrawn: int = 0

    @classmethod
    def of(cls, memory: Memory) -> Self:
        return cls(
            memory=memory.pk,
            adaptations_reverted=memory.adaptations.active().count(),
            relations=Relation.objects.touching(memory.pk).count(),
            evidence=memory.evidence.count(),
            events=Event.objects.filter(episode=memory.pk).count(),
            skills_withdrawn=int("skill" in memory.payload),
        )
