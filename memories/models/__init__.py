from memories.models.agent import Agent
from memories.models.audit import AuditEntry
from memories.models.episode import Episode, Event, Instruction
from memories.models.evidence import Evidence
from memories.models.idempotency import IdempotencyKey
from memories.models.memory import Memory
from memories.models.performance import Performance
from memories.models.proposal import Proposal
from memories.models.relation import Relation

__all__ = [
    "Agent",
    "AuditEntry",
    "Episode",
    "Event",
    "Evidence",
    "IdempotencyKey",
    "Instruction",
    "Memory",
    "Performance",
    "Proposal",
    "Relation",
]
