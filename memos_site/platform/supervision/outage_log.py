"""An outage in the log of a process: once, however often it is met, until it has ended."""

import logging

log = logging.getLogger("memos.jobs")


class Outages:
    """What this process meets when it asks for jobs."""

    def __init__(self) -> None:
        self.present = ""

    def note(self, message: str, error: Exception) -> None:
        """Log it unless it is the one of before."""
        kind = f"{type(error).__name__}: {error}"
        if kind != self.present:
            log.warning(message, error)
        self.present = kind

    def end(self) -> None:
        if self.present:
            log.warning("jobs are fetched again")
        self.present = ""
