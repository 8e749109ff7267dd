from memories.models.adaptation import Adaptation
from memories.models.agent import Agent
from memories.models.audit import AuditEntry
from memories.models.digest_key import DigestKey
from memories.models.episode import Episode, Event, Instruction
from memories.models.evidence import Evidence
from memories.models.idempotency import IdempotencyKey
from memories.models.injection import Injection
from memories.models.memory import Memory
from memories.models.passage import Passage
from memories.models.performance import Performance
from memories.models.proposal import Proposal
from memories.models.relation import Relation
from memories.models.tombstone import Tombstone
from memories.models.vector import EmbeddingModel, Pending, Vector
from memories.models.wording import Wording

__all__ = [
    "Adaptation",
    "Agent",
    "AuditEntry",
    "DigestKey",
    "EmbeddingModel",
    "Episode",
    "Event",
    "Evidence",
    "IdempotencyKey",
    "Injection",
    "Instruction",
    "Memory",
    "Passage",
    "Pending",
    "Performance",
    "Proposal",
    "Relation",
    "Tombstone",
    "Vector",
    "Wording",
]
