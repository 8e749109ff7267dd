"""The database as a file and back, with the programs of the wheel, whichever server it is on."""

import os
import subprocess
from pathlib import Path

from django.db import connection

from memos_site.platform.postgres.server import binaries

DUMP = "database.dump"


class Failed(Exception):
    """pg_dump or pg_restore failed; the sentence is theirs."""


def _run(program: str, *arguments: str | Path) -> None:
    """The password goes by the environment, where other users of the machine do not see it."""
    connection.ensure_connection()
    here = connection.connection.info  # as we are connected; its dsn leaves the password out
    environment = os.environ | {"PGPASSWORD": here.password}
    command = [str(binaries() / program), f"--dbname={here.dsn}", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own program, no shell
    if done.returncode:
        raise Failed(done.stderr.strip())


def dump(directory: Path) -> None:
    """One consistent picture of the database, while others go on writing."""
    _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={directory / DUMP}")


def load(directory: Path) -> None:
    """All of it or nothing, into an empty database."""
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
