"""The DB-API module of our backends: psycopg, whose connections give up a server that does not answer.

`answer_within` among the OPTIONS of the database bounds each wait, in seconds. A server that was silent is given less
time by whoever asks next, until it answers somebody: behind it no queue of waiting requests builds up.
"""

import time
from typing import Any

import psycopg
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
from psycopg.abc import PQGen

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
SILENT_FOR = 10.0  # seconds in which a silent server is believed to be silent still
BRIEF = 2.0  # seconds that it is given then; libpq knows no less
_silences: dict[str, float] = {}  # this process's; the last one by its time


class NoAnswer(OperationalError):
    """The server did not answer in time; whether it did what it was asked is not known."""


def patience(seconds: float) -> float:
    """How long to wait where `seconds` are allowed."""
    silent = time.monotonic() - _silences.get("last", -SILENT_FOR) < SILENT_FOR
    return min(seconds, BRIEF) if silent else seconds


def note_silence() -> None:
    _silences["last"] = time.monotonic()


class Connection(psycopg.Connection[Any]):
    answer_within: float | None = None

    def wait(self, gen: PQGen[Any], interval: float = 0.1, timeout: float | None = None) -> Any:
        allowed = timeout if timeout is not None or self.answer_within is None else patience(self.answer_within)
        deadline = None if allowed is None else time.monotonic() + allowed
        try:
            answer = super().wait(gen, interval=interval, timeout=allowed)
        except OperationalError as error:
            if timeout is None and deadline and time.monotonic() >= deadline and error.sqlstate is None:
                note_silence()
                self.pgconn.finish()  # what it may still say belongs to no question
                raise NoAnswer(f"the database did not answer within {allowed:.0f} s") from error
            raise
        _silences.clear()
        return answer


def connect(*, answer_within: float | None = None, **parameters: Any) -> Connection:
    """As psycopg's, and the connection waits for no answer longer than `answer_within`."""
    if answer_within is not None:
        parameters["connect_timeout"] = int(patience(min(answer_within, float(parameters["connect_timeout"]))))
    try:
        connection = Connection.connect(**parameters)
    except psycopg.errors.ConnectionTimeout as error:
        note_silence()
        raise NoAnswer(str(error)) from error
    connection.answer_within = answer_within
    return connection
