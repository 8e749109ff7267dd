"""Classification of infrastructure errors: database unreachable or silent, disk full or read-only, store down.

And how one that is met again and again is logged.
"""

import errno
import logging
import threading
from typing import NamedTuple

from django.conf import settings
from django.db import Error, InterfaceError, InternalError, OperationalError, ProgrammingError, connection
from psycopg import errors

from memos_site.platform.postgres.driver import NoAnswer
from memos_site.platform.postgres.verified_commits import CommitUncertain

RETRY_AFTER = 10  # seconds
UNAVAILABLE = (OperationalError, InterfaceError, InternalError)  # of a database that is lost, silent, full or read-only
NO_SPACE, NO_WRITES = (errno.ENOSPC, errno.EDQUOT), (errno.EROFS, errno.EACCES, errno.EPERM)
PERHAPS_STORED = (
    "the connection to the database was lost while this was stored, and whether it is stored cannot be told: "
    "send it again with the same Idempotency-Key, and it is done once; sent without one, look first whether it is there"
)
NOT_MIGRATED = (
    "the database has not the tables of this version: start `manage.py serve`, or run `manage.py migrate`, first"
)
log = logging.getLogger("memos.outages")


class StoreUnavailable(Exception):
    """The store of packages failed. The message names it and says why, without its address or a key."""


class Outage(NamedTuple):
    code: str
    detail: str
    transient: bool = False  # an immediate retry may succeed


DISK_FULL = Outage("disk_full", "the disk is full: nothing was stored; what is stored can still be read")
READ_ONLY = Outage(
    "read_only", "what would be stored cannot be written: the data directory or the database is read-only"
)
SILENT = Outage("unavailable", "the database does not answer in time: nothing was stored")
UNREACHABLE = Outage("unavailable", "the database cannot be reached", transient=True)


def outage(error: BaseException | None) -> Outage | None:
    """The outage behind an error; None for any other error."""
    if isinstance(error, CommitUncertain):
        return Outage("unavailable", PERHAPS_STORED)
    if isinstance(error, StoreUnavailable):
        return Outage("storage_unavailable", str(error))
    if isinstance(error, Error):
        return _database_outage(error)
    if isinstance(error, OSError):
        return DISK_FULL if error.errno in NO_SPACE else READ_ONLY if error.errno in NO_WRITES else None
    return None


def _database_outage(error: Error) -> Outage | None:
    cause = error.__cause__
    if isinstance(cause, OSError) and (storage := outage(cause)):
        return storage
    if isinstance(cause, errors.DiskFull) or "No space left on device" in str(error):
        return DISK_FULL
    if isinstance(cause, errors.ReadOnlySqlTransaction):
        return DISK_FULL if settings.EMBEDDED else READ_ONLY  # ours is so while its disk is full (`disk_reserve`)
    if isinstance(cause, NoAnswer | errors.QueryCanceled):
        return SILENT
    return UNREACHABLE if isinstance(error, OperationalError | InterfaceError) else None


def reason(error: Exception) -> str | None:
    """Why a command ended, in a sentence, where the database, the store of packages or the disk is the cause."""
    if isinstance(error, ProgrammingError):
        is_missing = isinstance(error.__cause__, errors.UndefinedTable | errors.UndefinedColumn)
        return f"{NOT_MIGRATED} ({str(error).splitlines()[0]})" if is_missing else None
    if isinstance(error, OSError):
        return f"the disk is full: {error}" if error.errno in NO_SPACE else None
    if isinstance(error, UNAVAILABLE):
        return f"the database: {error}"
    return str(error) if isinstance(error, StoreUnavailable) else None


class OutageLog:
    """An outage that this process meets again and again: logged once until it ends, and `over` when it has ended.

    With `each_error` it is logged anew when the error becomes another one. Threads may share it.
    """

    def __init__(self, log: logging.Logger, *, over: str, each_error: bool = True) -> None:
        self.log, self.over, self.each_error = log, over, each_error
        self.present = ""
        self._lock = threading.Lock()

    def note(self, message: str, error: Exception) -> None:
        """Log an outage unless it is still the one that was logged last."""
        kind = f"{type(error).__name__}: {error}"
        with self._lock:
            if not self.present or (self.each_error and kind != self.present):
                self.log.warning(message, error)
            self.present = kind

    def end(self) -> None:
        with self._lock:
            if self.present:
                self.log.warning(self.over)
            self.present = ""


class dispensable:  # noqa: N801 - used as a function
    """Suppress and log the error of a full disk around a write that only records a read (`purpose`, for the log).

    Inside of a transaction, which cannot go on, the error is raised.
    """

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose

    def __enter__(self) -> None:
        """Nothing to begin."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if connection.in_atomic_block or outage(error) not in (DISK_FULL, READ_ONLY):
            return False
        log.warning("%s: not recorded, for the disk is full or read-only", self.purpose)
        return True
