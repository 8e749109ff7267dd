"""What leaves: claims that nobody uses fade and expire, faded experience is pruned, what should be forgotten is."""

from memories.forgetting.erasing import erase
from memories.forgetting.forget import forget
from memories.forgetting.pruning import prune
from memories.forgetting.receipt import Receipt
from memories.forgetting.salience import penalize, reinforce
from memories.forgetting.settling import expire, settle
from memories.forgetting.suggesting import suggestions
from memories.forgetting.sweeping import sweep

__all__ = ["Receipt", "erase", "expire", "forget", "penalize", "prune", "reinforce", "settle", "suggestions", "sweep"]
