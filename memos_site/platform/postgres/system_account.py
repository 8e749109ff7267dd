"""The operating system user that runs the server (PostgreSQL refuses to run as root), and what that user can reach."""

import os
import pwd
import sys
from pathlib import Path
from typing import NamedTuple

LAUNCH = "memos_site.platform.postgres.launch"


class Account(NamedTuple):
    uid: int
    gid: int

    @classmethod
    def for_data(cls, data: Path) -> "Account":
        """The current user; for root the owner of the data, else `postgres`, else `nobody`."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        if data.exists() and data.stat().st_uid != 0:
            return cls(data.stat().st_uid, data.stat().st_gid)
        entries = {entry.pw_name: entry for entry in pwd.getpwall()}
        entry = entries.get("postgres") or entries["nobody"]
        return cls(entry.pw_uid, entry.pw_gid)

    def has_name(self) -> bool:
        try:
            return bool(pwd.getpwuid(self.uid))
        except KeyError:
            return False

    def can_enter(self, directory: Path) -> bool:
        stat = directory.stat()
        bit = 0o100 if stat.st_uid == self.uid else 0o010 if stat.st_gid == self.gid else 0o001
        return bool(stat.st_mode & bit)

    def can_reach(self, path: Path) -> bool:
        return all(self.can_enter(directory) for directory in path.resolve().parents)

    def command(self, program: Path, *arguments: str | Path, reaching: Path) -> list[str]:
        """The command line that runs a program as this user and ends it with its parent.

        `reaching`: a path that the program needs; where the user cannot reach it, it keeps root's right to search.
        """
        search = "search" if not (self.can_reach(program) and self.can_reach(reaching)) else "-"
        prefix = [sys.executable, "-S", "-m", LAUNCH, str(self.uid), str(self.gid), search]
        return [*prefix, str(program), *map(str, arguments)]

    def take_ownership(self, tree: Path) -> None:
        """Change the owner of a directory tree that root created or copied to this user."""
        os.chown(tree, self.uid, self.gid)
        for directory, names, files in os.walk(tree):
            for name in (*names, *files):
                os.chown(Path(directory) / name, self.uid, self.gid, follow_symlinks=False)
