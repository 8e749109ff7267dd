"""Claims come in here: stated by an agent, taught by a person, found by a rule. One transaction each."""

from memories.remembering.said import Occasion, Statement, Stored
from memories.remembering.storing import store
from memories.remembering.writing import remember

__all__ = ["Occasion", "Statement", "Stored", "remember", "store"]
