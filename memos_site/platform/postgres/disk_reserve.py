"""Space that is kept for the server, and what happens when the disk is full: it answers reads and takes no writes.

A server without any space refuses even new connections (it stores what it knows of its catalogue when one is opened),
and ends when it cannot go on with its log. So a file keeps space free for it, which is given back when the disk is
full; and transactions are read-only until there is enough space again. Standard library only: the keeper calls it.
"""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memos_site.platform.postgres.system_account import Account

FILE = "postgres.reserve"
BYTES = 48 << 20  # three files of the server's log
LOW, ENOUGH = (
    16 << 20,
    32 << 20,
)  # free bytes beside these: below the first nothing is written, from the second on again
LOOK_SECONDS = 1.0
READ_ONLY = "default_transaction_read_only"
FULL = "the disk is nearly full: nothing is stored until there is space again\n"
NOT_FULL = "there is space on the disk again\n"


def free_bytes(directory: Path) -> int:
    disk = os.statvfs(directory)
    return disk.f_bavail * disk.f_frsize


def is_short(data_dir: Path, *, enough: int = LOW) -> bool:
    """Whether so little is free, beside what is kept in `data_dir`, that the keeper lets nothing be written."""
    size = 0
    with suppress(FileNotFoundError):  # given back just now
        size = (data_dir / FILE).stat().st_size
    return free_bytes(data_dir) + size < BYTES + enough


class Reserve:
    """`data`: the directory of the cluster; the file lies beside it."""

    def __init__(self, data: Path, account: Account) -> None:
        self.file, self.settings, self.account = (
            data.with_name(FILE),
            data / "postgresql.auto.conf",
            account,
        )
        self.is_full = any(line.startswith(READ_ONLY) for line in self._lines())

    def look(self) -> bool:
        """Keep the file or give it back, as the disk is now; whether the server's settings have changed.

        OSError: the settings cannot be written.
        """
        is_full = is_short(self.file.parent, enough=ENOUGH if self.is_full else LOW)
        if is_full:
            self.file.unlink(missing_ok=True)
        elif not self.file.exists() or self.file.stat().st_size < BYTES:
            self._keep()
        if is_full == self.is_full:
            return False
        self._write([f"{READ_ONLY} = on"] if is_full else [])
        self.is_full = is_full
        return True

    def watch(self, on_change: Callable[[], None]) -> None:
        """Look now and then as long as this process runs, in a thread."""

        def look() -> None:
            while True:
                pause.wait(LOOK_SECONDS)
                try:
                    if self.look():
                        sys.stderr.write(FULL if self.is_full else NOT_FULL)  # into the server's log
                        on_change()
                except OSError as error:
                    sys.stderr.write(f"the disk is full, and the settings cannot be written: {error}\n")

        pause = threading.Event()
        threading.Thread(target=look, daemon=True).start()

    def _keep(self) -> None:
        """A file system that has no room for it, or allocates nothing, keeps none."""
        with suppress(OSError, AttributeError), self.file.open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, BYTES)

    def _lines(self) -> list[str]:
        return self.settings.read_text(encoding="utf-8").splitlines() if self.settings.exists() else []

    def _write(self, lines: list[str]) -> None:
        draft = self.settings.with_suffix(".draft")
        other_lines = [line for line in self._lines() if not line.startswith(READ_ONLY)]
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write("\n".join([*other_lines, *lines, ""]))
            file.flush()
            os.fsync(file.fileno())
        if os.geteuid() == 0:
            os.chown(draft, self.account.uid, self.account.gid)
        draft.replace(self.settings)
