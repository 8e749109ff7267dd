"""Django's PostgreSQL backend on the embedded server: HOST is the data directory, the first connection starts it."""

import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.utils import OperationalError

if os.name == "nt":  # no flock, no unix sockets
    raise ImproperlyConfigured("there is no embedded PostgreSQL on Windows: set DATABASE_URL")

from memos_site.platform.postgres import driver
from memos_site.platform.postgres.cluster import Unusable
from memos_site.platform.postgres.server import Server
from memos_site.platform.postgres.verified_commits import VerifiedCommits


class DatabaseWrapper(VerifiedCommits):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, and start the server only when that fails."""
        server = Server(Path(self.settings_dict["HOST"]))
        try:
            server.hold_in_use()
            server.await_begun()
            try:
                return super().get_new_connection(conn_params | {"host": server.host()})
            except driver.NoAnswer:
                raise  # the server runs but is silent: starting it would only wait again
            except self.Database.OperationalError:
                server.ensure_running(conn_params.get("answer_within"))
                return super().get_new_connection(conn_params | {"host": server.host()})
        except Unusable as problem:
            raise OperationalError(str(problem)) from problem
        except OSError as problem:  # a directory that is not ours, a disk that is full
            directory = self.settings_dict["HOST"]
            raise OperationalError(f"the data directory {directory} cannot be used: {problem.strerror}") from problem
