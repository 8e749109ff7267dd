"""Verified commits: when the answer to a COMMIT is lost, ask PostgreSQL over a new connection whether it happened.

And prepared statements, for the few long ones that every write executes.
"""

import select
import time
from collections.abc import Callable
from typing import Any

from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.utils import Error, InterfaceError, OperationalError
from psycopg import errors
from psycopg.pq import TransactionStatus

from memos_site.platform import tracing
from memos_site.platform.postgres import driver

MAX_TRIES, PAUSE = 10, 0.5
PREPARED_AFTER = 2  # executions of a statement on a connection
CONNECTION_LOST = "the connection was lost while the transaction was committed"
CLOCK_SECONDS = 1.0  # by which a crash may seem older than it is
UNDECIDABLE = "undecidable"
AFTER_A_CRASH: dict[Any, str] = {
    "committed": UNDECIDABLE,
    "in progress": "aborted",
}  # what the status of an id means then
STATUS = """
SELECT pg_xact_status(%(id)s::text::xid8), clock_timestamp() - stats_reset < make_interval(secs => %(since)s)
FROM pg_stat_bgwriter
"""


class CommitUncertain(OperationalError):
    """The transaction may or may not be stored: repeating it could store it twice."""


class Operations(DatabaseOperations):
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> str:
        """For logs of queries: a prepared statement without its parameters."""
        return super().last_executed_query(cursor, sql, params) or str(sql)


class VerifiedCommits(base.DatabaseWrapper):
    """A backend that learns the id of each writing transaction before its COMMIT, to ask for its status afterwards.

    A commit raises OperationalError only when nothing is stored, and CommitUncertain when that could not be found out.
    A statement that writes may answer with that id (`learn_transaction_id`), which saves a question before the COMMIT.
    """

    Database = driver
    before_commit: Callable[[Any], None] = staticmethod(lambda _: None)  # called in every transaction that wrote
    ops_class = Operations
    _known_id: str | None = None  # of the running transaction
    _began = 0.0  # no later than the running transaction, by the monotonic clock

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if tracing.is_enabled():
            self.execute_wrappers.append(tracing.statement)

    def get_connection_params(self) -> dict[str, Any]:
        # behind a pooler the next transaction may run on another server
        is_pooled = self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
        return {**super().get_connection_params(), "prepare_threshold": None if is_pooled else PREPARED_AFTER}

    def prepared_cursor(self) -> Any:
        """A cursor whose statements the server plans once for a connection, and parameters travel beside them.

        For statements of constant text; other cursors are Django's, which write the parameters into the text.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            return self._prepare_cursor(base.ServerBindingCursor(self.connection))  # type: ignore[attr-defined, call-arg]

    def learn_transaction_id(self, transaction_id: str) -> None:
        """Take the id of the running transaction, as a statement of it answered."""
        self._known_id = transaction_id

    def is_usable(self) -> bool:
        """Whether the server still holds the connection: one that ended it has closed the socket, which is then
        readable. Only then, and amid a transaction, the server is asked, as Django does for every request.
        """
        if self.connection is None or self.connection.closed:
            return False
        if self.connection.info.transaction_status != TransactionStatus.IDLE:
            return bool(super().is_usable())
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0) or bool(super().is_usable())

    def _set_autocommit(self, autocommit: bool) -> None:
        self._known_id, self._began = None, time.monotonic()
        super()._set_autocommit(autocommit)  # type: ignore[misc]  # untyped in the stubs

    def _rollback(self) -> None:
        self._known_id = None
        super()._rollback()  # type: ignore[misc]  # untyped in the stubs

    def _commit(self) -> None:
        transaction_id, self._known_id = self._known_id or self._transaction_id(), None
        if transaction_id:
            with self.wrap_database_errors:
                self.before_commit(self)
        try:
            super()._commit()  # type: ignore[misc]  # untyped in the stubs
        except (OperationalError, InterfaceError) as error:
            if transaction_id is None:  # it wrote nothing
                raise
            if self._final_status(transaction_id) != "committed":
                raise OperationalError(f"{CONNECTION_LOST}, which was rolled back") from error

    def _transaction_id(self) -> str | None:
        """The id of the running transaction; None if it wrote nothing."""
        if self.connection is None or self.connection.info.transaction_status != TransactionStatus.INTRANS:
            return None
        with self.wrap_database_errors:
            row = self.connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchone()
        return str(row[0]) if row and row[0] else None

    def _final_status(self, transaction_id: str) -> str:
        """`committed` or `aborted`; waits while in progress: its server process has yet to notice the loss."""
        for _ in range(MAX_TRIES):
            try:
                status = self._query_status(transaction_id)
            except Error as error:
                if isinstance(error.__cause__, driver.NoAnswer):
                    break
                status = "not known"
            if status == UNDECIDABLE:
                break
            if status in ("committed", "aborted"):
                return status
            time.sleep(PAUSE)
        raise CommitUncertain(f"{CONNECTION_LOST}: it is not known whether it is stored")

    def _query_status(self, transaction_id: str) -> str:
        """Ask over a new connection, which replaces the lost one.

        What a crash lost has lost its id too: that is yet to come, or by now another transaction's. The server crashed
        since this one began if its statistics, which a crash resets, are younger.
        """
        with self.wrap_database_errors:
            connection: Any = self.get_new_connection(self.get_connection_params())
        former, self.connection = self.connection, connection
        if former is not None:
            former.close()
        self.init_connection_state()
        since = time.monotonic() - self._began + CLOCK_SECONDS
        with self.wrap_database_errors:
            try:
                row = connection.execute(STATUS, {"id": transaction_id, "since": since}).fetchone()
            except errors.InvalidParameterValue:  # yet to come
                row = ("aborted", False)
            connection.rollback()
        status, has_crashed = row or (None, False)
        return str(AFTER_A_CRASH.get(status, status) if has_crashed else status)
