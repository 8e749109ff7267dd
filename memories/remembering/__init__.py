"""Claims come in here: stated by an agent, taught by a person, found by a rule. One transaction each."""

from memories.remembering.nearness import Near, NearDuplicate, equals_of, nearest
from memories.remembering.said import Occasion, Statement, Stored
from memories.remembering.storing import store
from memories.remembering.teaching import category_of, key_of, teach
from memories.remembering.writing import remember

__all__ = [
    "Near",
    "NearDuplicate",
    "Occasion",
    "Statement",
    "Stored",
    "category_of",
    "equals_of",
    "key_of",
    "nearest",
    "remember",
    "store",
    "teach",
]
