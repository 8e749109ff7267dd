"""Figures of the store: computed, of large stores from a snapshot of counts that a job takes."""

from memories.metrics.figures import collect, dismissals, inbox
from memories.metrics.snapshots import refresh
from memories.metrics.tallies import TENS, TENTHS
