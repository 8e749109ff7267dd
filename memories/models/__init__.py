from memories.models.agent import Agent
from memories.models.audit import AuditEntry
from memories.models.episode import Episode, Event, Instruction
from memories.models.evidence import Evidence
from memories.models.memory import Memory
from memories.models.performance import Performance

__all__ = ["Agent", "AuditEntry", "Episode", "Event", "Evidence", "Instruction", "Memory", "Performance"]
