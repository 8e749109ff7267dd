"""How others see that a worker asks for work: by the name of the database connection on which it does."""

HEARTBEAT = "memos worker"
LATE_AFTER = 30.0  # seconds without a question
