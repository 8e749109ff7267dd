"""Five rules over the runs of plugins: what they show again and again becomes a candidate."""

from consolidation.patterns.reading import Progress, read, read_again, unread

__all__ = ["Progress", "read", "read_again", "unread"]
