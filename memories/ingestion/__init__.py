"""What happened comes in here: exactly once, checked, traceable. One transaction each."""

from memories.ingestion.closing import close_silent, set_outcome
from memories.ingestion.conversations import conversation, conversations
from memories.ingestion.happenings import happened
from memories.ingestion.ingested import Ingested
from memories.ingestion.observations import observation
from memories.ingestion.outcomes import outcome
from memories.ingestion.working import working_state

__all__ = [
    "Ingested",
    "close_silent",
    "conversation",
    "conversations",
    "happened",
    "observation",
    "outcome",
    "set_outcome",
    "working_state",
]
