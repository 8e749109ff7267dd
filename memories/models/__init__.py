from memories.models.adaptation import Adaptation
from memories.models.agent import Agent
from memories.models.audit import AuditEntry
from memories.models.built import AnyOf
from memories.models.coordination import CallAllowance, IdempotencyKey, Lease
from memories.models.digest_key import DigestKey
from memories.models.episode import Episode, Event, Instruction
from memories.models.evidence import Evidence
from memories.models.former_state import FormerState, Wording
from memories.models.imported_row import ImportedRow
from memories.models.injection import Injection
from memories.models.memory import Memory
from memories.models.metric_tally import MetricSnapshot, MetricTally
from memories.models.passage import Passage
from memories.models.performance import Performance
from memories.models.persons import Mail, PersonLimits, Preferences, SavedView
from memories.models.proposal import Proposal
from memories.models.relation import Relation
from memories.models.subject import Mention, Subject
from memories.models.tombstone import Tombstone
from memories.models.vector import EmbeddingModel, Pending, Vector
