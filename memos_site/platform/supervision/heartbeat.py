"""The name of the database connection on which a worker polls for jobs: its activity is the worker's heartbeat."""

HEARTBEAT = "memos worker"
LATE_AFTER = 30.0  # seconds without a poll
