"""Verified commits: when the answer to a COMMIT is lost, ask PostgreSQL over a new connection whether it happened."""

import time
from typing import Any

from django.db.backends.postgresql import base
from django.db.utils import Error, InterfaceError, OperationalError
from psycopg.pq import TransactionStatus

from memos_site.platform.postgres import driver

MAX_TRIES, PAUSE = 10, 0.5
CONNECTION_LOST = "the connection was lost while the transaction was committed"


class CommitUncertain(OperationalError):
    """The transaction may or may not be stored: repeating it could store it twice."""


class VerifiedCommits(base.DatabaseWrapper):
    """A backend that learns the id of each writing transaction before its COMMIT, to ask for its status afterwards.

    A commit raises OperationalError only when nothing is stored, and CommitUncertain when that could not be found out.
    """

    Database = driver

    def _commit(self) -> None:
        transaction_id = self._transaction_id()
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
            if status in ("committed", "aborted"):
                return status
            time.sleep(PAUSE)
        raise CommitUncertain(f"{CONNECTION_LOST}: it is not known whether it is stored")

    def _query_status(self, transaction_id: str) -> str:
        """Ask over a new connection, which replaces the lost one."""
        with self.wrap_database_errors:
            connection: Any = self.get_new_connection(self.get_connection_params())
        former, self.connection = self.connection, connection
        if former is not None:
            former.close()
        self.init_connection_state()
        with self.wrap_database_errors:
            row = connection.execute("SELECT pg_xact_status(%s::text::xid8)", [transaction_id]).fetchone()
            connection.rollback()
        return str(row[0]) if row else "not known"
