"""Five rules over the runs that plugins report: repeated behaviour becomes a candidate memory.

sessions.py                     a run as its event reports it; sessions, and neighbours in time
rules.py, applying.py           the rules: what each detects, and from how many runs on it proposes
reading.py, applying.py         new events, batch by batch; a rule over a batch, and over each run where that fails
text_edits.py                   two rules more: what people change in drafts before they send them
counts.py, candidates.py        what was detected so often, and what follows: a candidate, or a confirmation of one
"""

from consolidation.patterns.reading import BATCH, Progress, pending_events, read_events, retry_unread
