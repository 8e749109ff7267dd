"""The DB-API module of our backends: psycopg, with connections that give up on a server that does not answer.

`answer_within` among the OPTIONS of the database bounds each wait, in seconds. After a silence further waits are
shorter until the server answers again, so that no queue of waiting requests builds up behind it.
"""

import time
from datetime import datetime
from typing import Any

import psycopg
from django.db.backends.postgresql.psycopg_any import BaseTzLoader
from psycopg import (  # what Django asks of a DB-API module
    Binary,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from psycopg.abc import AdaptContext, Buffer, PQGen
from psycopg.postgres import types
from psycopg.pq import Format

__all__ = [
    "Binary",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "connect",
]
TIMESTAMPTZ = types["timestamptz"].oid
SILENCE_SECONDS = 10.0  # after a silence further waits are short for so long
SHORT_WAIT = 2.0  # seconds; libpq's shortest timeout
_silences: dict[str, float] = {}  # of this process: the time of the last one under "last"


class NoAnswer(OperationalError):
    """The server did not answer in time; whether it executed the statement is not known."""


def effective_timeout(seconds: float) -> float:
    """The time to wait where `seconds` are allowed: less shortly after the server was silent."""
    silent = time.monotonic() - _silences.get("last", -SILENCE_SECONDS) < SILENCE_SECONDS
    return min(seconds, SHORT_WAIT) if silent else seconds


def record_silence() -> None:
    _silences["last"] = time.monotonic()


class InstantLoader(BaseTzLoader):  # type: ignore[misc]  # Django has no types
    """As Django's, ten times faster where the session's time zone is UTC, as Django sets it."""

    def load(self, data: Buffer) -> Any:
        try:
            instant = datetime.fromisoformat(str(data, "ascii"))
        except ValueError:  # before Christ, infinity
            return super().load(data)
        return instant if instant.tzinfo is self.timezone else super().load(data)


def _loader_of(context: AdaptContext | None) -> type[InstantLoader] | None:
    """In place of the one that Django has registered for its time zone."""
    loader: Any = context.adapters.get_loader(TIMESTAMPTZ, Format.TEXT) if context else None
    if loader is None or not issubclass(loader, BaseTzLoader):
        return None
    return type("InstantLoader", (InstantLoader,), {"timezone": loader.timezone})


class Connection(psycopg.Connection[Any]):
    answer_within: float | None = None

    def wait(self, gen: PQGen[Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        """As psycopg's wait, bounded by `answer_within` unless a `timeout` is given. NoAnswer: the time is over."""
        limit = timeout
        if timeout is None and self.answer_within is not None:
            limit = effective_timeout(self.answer_within)
        deadline = None if limit is None else time.monotonic() + limit
        try:
            answer = super().wait(gen, interval=interval, timeout=limit)
        except OperationalError as error:
            if timeout is None and deadline and time.monotonic() >= deadline and error.sqlstate is None:
                record_silence()
                self.pgconn.finish()  # a late answer would be taken for that of the next statement
                raise NoAnswer(f"the database did not answer within {limit:.0f} s") from error
            raise
        _silences.clear()
        return answer


def connect(*, answer_within: float | None = None, **parameters: Any) -> Connection:
    """As psycopg.connect, for a connection that waits for no answer longer than `answer_within` seconds."""
    if answer_within is not None:
        parameters["connect_timeout"] = int(effective_timeout(min(answer_within, float(parameters["connect_timeout"]))))
    try:
        connection = Connection.connect(**parameters)
    except psycopg.errors.ConnectionTimeout as error:
        record_silence()
        raise NoAnswer(str(error)) from error
    except ProgrammingError as error:
        raise OperationalError(f"DATABASE_URL has an option that cannot be used: {error}") from error
    connection.answer_within = answer_within
    if loader := _loader_of(parameters.get("context")):
        connection.adapters.register_loader("timestamptz", loader)
    return connection
