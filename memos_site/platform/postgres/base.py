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
from memos_site.platform.postgres.commits import AskedAgain
from memos_site.platform.postgres.server import Server


class DatabaseWrapper(AskedAgain):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connects at once where the server runs; only a failure asks whether it must be started."""
        server = Server(Path(self.settings_dict["HOST"]))
        try:
            server.take_part()
            try:
                return super().get_new_connection(conn_params | {"host": server.host()})
            except driver.NoAnswer:
                raise  # it lives: waking it would be waiting once more
            except self.Database.OperationalError:
                server.wake(conn_params.get("answer_within"))
                return super().get_new_connection(conn_params | {"host": server.host()})
        except Unusable as problem:
            raise OperationalError(str(problem)) from problem
        except OSError as problem:  # a directory that is not ours, a disk that is full
            where = self.settings_dict["HOST"]
            raise OperationalError(f"the data directory {where} cannot be used: {problem.strerror}") from problem
