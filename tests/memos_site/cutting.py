"""A proxy in front of PostgreSQL that cuts a connection at its COMMIT, before the server gets it or after."""

import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread, Timer

from django.db import connection, connections

from memos_site.platform.postgres.remote.base import DatabaseWrapper
from memos_site.platform.postgres.server import Server

COMMIT = b"COMMIT\0"
LONGEST_WAIT = 30  # seconds
BEFORE, AFTER, LATE = "before the server gets it", "after the server has done it", "and the server notices late"


class Proxy:
    """Listens in `path` as PostgreSQL would; `cuts` says what happens to the next COMMITs, one after the other."""

    def __init__(self, path: Path, target: str, cuts: list[str]) -> None:
        self.target, self.cuts = target, cuts
        self.serving: list[Thread] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path / ".s.PGSQL.5432"))
        self.listener.listen()
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                client, _ = self.listener.accept()
                self.serving.append(Thread(target=self._serve, args=(client,), daemon=True))
                self.serving[-1].start()

    def end(self) -> None:
        """Returns when the server has ended every connection: what it was told to commit is committed."""
        self.listener.close()
        for thread in self.serving:
            thread.join(LONGEST_WAIT)

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self.target)
            Thread(target=self._answers, args=(server, client), daemon=True).start()
            while said := client.recv(65536):
                if COMMIT in said and self.cuts:
                    self._cut(self.cuts.pop(0), said, client, server)
                    return
                server.sendall(said)
            _end(server)

    def _cut(self, how: str, said: bytes, client: socket.socket, server: socket.socket) -> None:
        client.shutdown(socket.SHUT_RDWR)  # hears nothing more
        if how == AFTER:
            server.sendall(said)
        if how == LATE:
            Timer(0.3, _end, [server.dup()]).start()
        else:
            server.shutdown(socket.SHUT_WR)  # it ends what it has got, and then the connection
            while server.recv(65536):
                pass

    @staticmethod
    def _answers(server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while said := server.recv(65536):
                client.sendall(said)
            client.shutdown(socket.SHUT_RDWR)


def _end(server: socket.socket) -> None:
    with suppress(OSError):
        server.shutdown(socket.SHUT_RDWR)
    server.close()


@contextmanager
def cut(*cuts: str) -> Iterator[list[str]]:
    """The tests' database through a proxy; yields the cuts that are still to come."""
    real, waiting = connections["default"], list(cuts)
    target = f"{Server(Path(connection.settings_dict['HOST'])).host()}/.s.PGSQL.5432"
    with tempfile.TemporaryDirectory(prefix="memos-cut-") as folder:
        proxy = Proxy(Path(folder), target, waiting)
        through = DatabaseWrapper({**real.settings_dict, "HOST": folder}, "default")
        connections["default"] = through
        try:
            yield waiting
        finally:
            connections["default"] = real
            through.close()
            proxy.end()
