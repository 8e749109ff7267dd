"""What leaves: claims that nobody uses fade and expire, faded experience is pruned, what should be forgotten is."""

from memories.lifecycle.confidence_decay import expire, settle
from memories.lifecycle.forgetting.erasing import erase
from memories.lifecycle.forgetting.forget import forget
from memories.lifecycle.forgetting.receipt import Receipt
from memories.lifecycle.key_suggestions import suggestions
from memories.lifecycle.pruning import prune
from memories.lifecycle.retention import sweep
from memories.lifecycle.salience import penalize, reinforce

__all__ = ["Receipt", "erase", "expire", "forget", "penalize", "prune", "reinforce", "settle", "suggestions", "sweep"]
