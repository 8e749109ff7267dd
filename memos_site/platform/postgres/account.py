"""As which user the server runs, and whether that user can reach what it needs: PostgreSQL refuses to run as root."""

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
        """Ourselves; for root the owner of the data, else `postgres`, else `nobody`."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        if data.exists() and data.stat().st_uid != 0:
            return cls(data.stat().st_uid, data.stat().st_gid)
        known = {entry.pw_name: entry for entry in pwd.getpwall()}
        entry = known.get("postgres") or known["nobody"]
        return cls(entry.pw_uid, entry.pw_gid)

    def can_enter(self, directory: Path) -> bool:
        stat = directory.stat()
        bit = 0o100 if stat.st_uid == self.uid else 0o010 if stat.st_gid == self.gid else 0o001
        return bool(stat.st_mode & bit)

    def can_reach(self, path: Path) -> bool:
        return all(self.can_enter(directory) for directory in path.resolve().parents)

    def command(self, program: Path, *arguments: str | Path, reaching: Path) -> list[str]:
        """The program as this user, ended with its parent; `reaching` lies where the user may not be let in."""
        search = "search" if not (self.can_reach(program) and self.can_reach(reaching)) else "-"
        prefix = [sys.executable, "-S", "-m", LAUNCH, str(self.uid), str(self.gid), search]
        return [*prefix, str(program), *map(str, arguments)]

    def own(self, tree: Path) -> None:
        """Gives the tree to this user: it was just made by root, or copied by root."""
        os.chown(tree, self.uid, self.gid)
        for directory, names, files in os.walk(tree):
            for name in (*names, *files):
                os.chown(Path(directory) / name, self.uid, self.gid, follow_symlinks=False)
