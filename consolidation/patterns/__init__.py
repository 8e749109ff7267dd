"""Five rules over the runs that plugins report: repeated behaviour becomes a candidate memory."""

from consolidation.patterns.reading import Progress, pending_events, read_events, retry_unread

__all__ = ["Progress", "pending_events", "read_events", "retry_unread"]
