"""A COMMIT whose answer is lost: PostgreSQL itself is asked, over a new connection, what became of the transaction."""

import time
from typing import Any

from django.db.backends.postgresql import base
from django.db.utils import Error, InterfaceError, OperationalError
from psycopg.pq import TransactionStatus

from memos_site.platform.postgres import driver

TRIES, PAUSE = 10, 0.5
NOT_ANSWERED = "the connection was lost while the transaction was committed"


class Uncertain(OperationalError):
    """It may be stored, and it may not: doing it again could do it twice."""


class AskedAgain(base.DatabaseWrapper):
    """Each transaction that wrote knows its number before it ends, so that its end can be asked for.

    A commit raises OperationalError only for what is not stored, and Uncertain when nobody could tell.
    """

    Database = driver

    def _commit(self) -> None:
        number = self._number()
        try:
            super()._commit()  # type: ignore[misc]  # untyped in the stubs
        except (OperationalError, InterfaceError) as lost:
            if number is None:  # it wrote nothing
                raise
            if self._fate(number) != "committed":
                raise OperationalError(f"{NOT_ANSWERED}, which was rolled back") from lost

    def _number(self) -> str | None:
        if self.connection is None or self.connection.info.transaction_status != TransactionStatus.INTRANS:
            return None
        with self.wrap_database_errors:
            found = self.connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchone()
        return str(found[0]) if found and found[0] else None

    def _fate(self, number: str) -> str:
        """`committed` or `aborted`; one in progress is waited for, whose server process has yet to notice."""
        for _ in range(TRIES):
            try:
                fate = self._asked(number)
            except Error as error:
                if isinstance(error.__cause__, driver.NoAnswer):
                    break
                fate = "not known"
            if fate in ("committed", "aborted"):
                return fate
            time.sleep(PAUSE)
        raise Uncertain(f"{NOT_ANSWERED}: it is not known whether it is stored")

    def _asked(self, number: str) -> str:
        """Over a new connection, which takes the place of the lost one."""
        with self.wrap_database_errors:
            fresh: Any = self.get_new_connection(self.get_connection_params())
        lost, self.connection = self.connection, fresh
        if lost is not None:
            lost.close()
        self.init_connection_state()
        with self.wrap_database_errors:
            found = fresh.execute("SELECT pg_xact_status(%s::text::xid8)", [number]).fetchone()
            fresh.rollback()
        return str(found[0]) if found else "not known"
