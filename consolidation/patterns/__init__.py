"""Five rules over the runs that plugins report: repeated behaviour becomes a candidate memory."""

from consolidation.patterns.reading import BATCH, Progress, pending_events, read_events, retry_unread
