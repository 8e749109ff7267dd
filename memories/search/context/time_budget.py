"""The time budget of a context answer: parts that do not fit are left out and named, and never fail the caller."""

import logging
import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction

from memories.embedding import EmbeddingError
from memos_site.platform.outages import outage

log = logging.getLogger(__name__)
T = TypeVar("T")
SET_TIMEOUT = "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)"
TRANSACTION_COMMANDS = ("SAVEPOINT", "RELEASE", "ROLLBACK")
CANCELLED = "57014"


class OutOfTime(Exception):
    """No time is left for another statement."""


class Allowance:
    """The time left for an answer. `degraded`: the parts that are missing from it, in their order."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._until = seconds, time.monotonic() + seconds
        self.degraded: list[str] = []

    def seconds_left(self, *, keeping: float = 0.0) -> float:
        """Seconds left; `keeping` is the share of the whole budget to reserve for later parts."""
        return self._until - time.monotonic() - keeping * self._seconds

    def part(self, name: str, work: Callable[[], T], *, keeping: float = 0.0) -> T | None:
        """Run `work` in a transaction of its own; None when it fails or there is no time for it.

        Only an unavailable database is an error (OperationalError, InterfaceError).
        """
        try:
            with transaction.atomic():
                return _StatementTimeouts(lambda: self.seconds_left(keeping=keeping)).run(work)
        except Exception as error:
            if _is_connection_lost(error):
                raise
            self.missing(name, error)
            return None

    def missing(self, name: str, error: Exception) -> None:
        is_expected = isinstance(error, OutOfTime | EmbeddingError) or outage(error)
        why = str(error) or type(error).__name__
        log.warning("a context without %s: %s", name, why, exc_info=None if is_expected else error)
        self.degraded.append(name)


class _StatementTimeouts:
    """Statement timeouts of the remaining time, restored afterwards inside a larger transaction."""

    def __init__(self, seconds_left: Callable[[], float]) -> None:
        self.seconds_left, self.timeout, self.former = seconds_left, math.inf, ""

    def run(self, work: Callable[[], T]) -> T:
        is_nested = connection.in_atomic_block and len(connection.savepoint_ids) > 0
        with connection.execute_wrapper(self._execute):
            result = work()
        if is_nested and self.former:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [self.former])
        return result

    def _execute(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if not sql.startswith(TRANSACTION_COMMANDS):
            seconds = self.seconds_left()
            if seconds <= 0:
                raise OutOfTime("there is no time left")
            if seconds < self.timeout * 0.75:
                execute(SET_TIMEOUT, [str(math.ceil(seconds * 1000))], False, context)
                self._remember(seconds, former=context["cursor"].fetchone()[0])
        return execute(sql, params, many, context)

    def _remember(self, seconds: float, *, former: str) -> None:
        self.former, self.timeout = self.former or former, seconds


def _is_connection_lost(error: Exception) -> bool:
    """Whether the connection is lost or refused, rather than a statement too slow, locked or out of disk."""
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or (state.startswith(("08", "57")) and state != CANCELLED)
