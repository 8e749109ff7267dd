"""How a memory gains and loses: confidence (ladder, confidence_decay), salience, expiry, pruning, forgetting."""

from memories.lifecycle.confidence_decay import expire, settle
from memories.lifecycle.forgetting import Receipt, erase, forget, suggestions
from memories.lifecycle.removal import prune
from memories.lifecycle.salience import penalize, reinforce
