"""Dump and restore the database with pg_dump and pg_restore, whichever server it is on."""

import os
import signal
import subprocess
from pathlib import Path

from django.db import connection

from memos_site.platform.postgres.server import binaries

DUMP = "database.dump"


class ArchiveFailed(Exception):
    """pg_dump or pg_restore failed, with its message, which is never empty."""


def _run(program: str, *arguments: str | Path) -> None:
    """Run a PostgreSQL program; the password is in its environment, where other users of the machine cannot see it."""
    connection.ensure_connection()
    info = connection.connection.info  # its dsn leaves the password out
    environment = os.environ | {"PGPASSWORD": info.password}
    command = [str(binaries() / program), f"--dbname={info.dsn}", *map(str, arguments)]
    try:
        process = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603 - our own program, no shell
    except OSError as problem:
        raise ArchiveFailed(f"{program} cannot be started: {problem}") from problem
    if process.returncode:
        raise ArchiveFailed(process.stderr.decode(errors="replace").strip() or _silent_end(program, process.returncode))


def _silent_end(program: str, code: int) -> str:
    """Say how a program ended that wrote nothing: killed ones do not."""
    if code > 0:
        return f"{program} ended with code {code} and wrote no reason"
    return f"{program} was killed by {signal.Signals(-code).name}, as happens where memory is short"


def dump(directory: Path) -> None:
    """Write one consistent snapshot of the database, while others go on writing."""
    _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={directory / DUMP}")


def load(directory: Path) -> None:
    """Restore a dump into an empty database, all or nothing."""
    _run(
        "pg_restore",
        "--single-transaction",
        "--exit-on-error",
        "--no-owner",
        "--no-privileges",
        "--no-comments",  # on the extension, whose owner only a superuser can be
        directory / DUMP,
    )


def is_empty() -> bool:
    return not connection.introspection.table_names()
