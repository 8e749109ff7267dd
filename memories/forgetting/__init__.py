"""What leaves: claims that nobody uses fade and expire, faded experience is pruned, what should be forgotten is."""

from memories.forgetting.pruning import prune
from memories.forgetting.settling import expire, settle
from memories.forgetting.sweeping import sweep

__all__ = ["expire", "prune", "settle", "sweep"]
