"""Foreign SQLite files: opened read-only, checked, and read by rows; nothing in them is ever executed.

The schema is not trusted: no view, no virtual table and no generated column is read, and functions that a schema names
run only if SQLite holds them harmless. A statement that runs too long is ended.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memories.values.exceptions import FieldError, Invalid

LARGEST_CELL = 10 * 1024 * 1024
LONGEST_STATEMENT = 120.0  # seconds, for the check of the whole file too
STEPS = 100_000  # of SQLite's machine between two looks at the clock
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_PRAGMA}
GENERATED = (2, 3)  # `hidden` of PRAGMA table_xinfo


class Unreadable(Exception):
    """The file cannot be imported; nothing of it was."""


class SqliteFile:
    """A file that is open for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._deadline = 0.0
        connection.set_progress_handler(lambda: time.monotonic() > self._deadline, STEPS)

    def check(self) -> None:
        """Unreadable: it is no SQLite file, truncated or damaged."""
        problems = [row[0] for row in self._ask("PRAGMA integrity_check(3)")]
        if problems != ["ok"]:
            raise Unreadable(f"the file is damaged: {str(problems[0])[:200] if problems else 'no answer'}")

    def tables(self) -> set[str]:
        """The names of all tables and views."""
        return {str(row[0]) for row in self._ask("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}

    def columns(self, table: str, *, required: Sequence[str], optional: Sequence[str] = ()) -> list[str]:
        """The columns to read: `required` and those of `optional` that exist. Unreadable: it is no plain table, or a
        required column is missing."""
        kinds = {str(row[1]): (str(row[2]), row[4]) for row in self._ask("PRAGMA main.table_list")}
        kind, without_rowid = kinds.get(table, ("", 0))
        if kind != "table" or without_rowid:
            problem = {"": "is missing", "view": "is a view"}.get(kind, "is a virtual table" if kind != "table" else "")
            raise Unreadable(f"the table {table} {problem or 'has no row ids'}: only plain tables are read")
        rows = self._ask(f"PRAGMA main.table_xinfo({quote_name(table)})")
        hidden = {str(row[1]): int(row[6]) for row in rows}
        if missing := [name for name in required if name not in hidden]:
            raise Unreadable(f"the table {table} has no column {', '.join(missing)}")
        names = [name for name in (*required, *optional) if name in hidden]
        if generated_names := [name for name in names if hidden[name] in GENERATED]:
            raise Unreadable(f"the column {generated_names[0]} of {table} is generated: only stored columns are read")
        return names

    def count(self, table: str) -> int:
        return int(self._ask(f"SELECT count(*) FROM main.{quote_name(table)}")[0][0])  # noqa: S608 - a quoted name

    def rows(self, table: str, columns: Sequence[str], *, order: str = "rowid") -> Iterator[tuple[int, Any]]:
        """(row id, values by column) one by one; Invalid in place of the values where a cell is too large.

        `order`: names of columns, ours.
        """
        names = ", ".join(quote_name(name) for name in columns)
        statement = f"SELECT {names} FROM main.{quote_name(table)} WHERE rowid = ?"  # noqa: S608
        every = f"SELECT rowid FROM main.{quote_name(table)} ORDER BY {order}"  # noqa: S608
        for (rowid,) in self._each(every):
            try:
                [values] = self._ask(statement, [rowid])
            except sqlite3.DataError:
                detail = f"a cell is larger than {LARGEST_CELL // 1024 // 1024} MiB"
                yield rowid, Invalid(FieldError("", "too_large", detail))
            else:
                yield rowid, dict(zip(columns, values, strict=True))

    def rows_of_record(self, table: str, columns: Sequence[str], where: str, value: Any) -> list[dict[str, Any]]:
        """The rows of another table that belong to a row, at most 1,000."""
        names = ", ".join(quote_name(name) for name in columns)
        question = f"SELECT {names} FROM main.{quote_name(table)} WHERE {quote_name(where)} = ? LIMIT 1000"  # noqa: S608
        return [dict(zip(columns, row, strict=True)) for row in self._ask(question, [value])]

    def _ask(self, question: str, values: Sequence[Any] = ()) -> list[Any]:
        return list(self._each(question, values))

    def _each(self, question: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        self._deadline = time.monotonic() + LONGEST_STATEMENT
        try:
            for row in self._connection.execute(question, values):
                yield row
                self._deadline = time.monotonic() + LONGEST_STATEMENT
        except sqlite3.DataError:
            raise
        except sqlite3.Error as error:
            raise Unreadable(f"the file cannot be read: {error}") from None


@contextmanager
def open_file(path: Path) -> Iterator[SqliteFile]:
    """The file, checked. Unreadable: it is no SQLite file, or damaged."""
    write_ahead_log = path.with_name(f"{path.name}-wal")
    is_in_use = (
        write_ahead_log.exists() and write_ahead_log.stat().st_size > 0
    )  # a program writes it now: its log is read too
    address = f"file:{quote(str(path.absolute()))}?mode=ro{'' if is_in_use else '&immutable=1'}"
    try:
        connection = sqlite3.connect(address, uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise Unreadable(f"the file cannot be opened: {error}") from None
    try:
        for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "mmap_size=0"):
            connection.execute(f"PRAGMA {pragma}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_CELL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
        connection.set_authorizer(_only_reading)
        file = SqliteFile(connection)
        file.check()
        yield file
    except sqlite3.Error as error:
        raise Unreadable(f"the file cannot be read: {error}") from None
    finally:
        connection.close()


def _only_reading(action: int, *_names: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
