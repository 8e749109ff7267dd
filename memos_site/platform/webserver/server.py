"""The server of one process: accepts, bounds the number of connections, stops without dropping an answer."""

import resource
import socket
import time
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from memos_site.platform.webserver.connections import Connection
from memos_site.platform.webserver.requests import LARGEST_BODY, LARGEST_HEADER

THREADS = 8  # in each process; each keeps one database connection
MOST_CONNECTIONS = 2_000
FILES_EACH = 3  # of a connection: its socket, a large body, a large answer
FILES_BESIDE = 200  # the database, the log, ...
ACCEPTED_AT_ONCE = 4
UNFINISHED_BYTES = 512 * 1024 * 1024  # of all bodies that are still coming in
GRACE = 10.0  # seconds for answers under way after `stop`


def most_connections() -> int:
    """As many as there may be open files for; asks for more files where that is allowed."""
    wanted = MOST_CONNECTIONS * FILES_EACH + FILES_BESIDE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    allowed = MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else (soft - FILES_BESIDE) // FILES_EACH
    return max(10, min(MOST_CONNECTIONS, allowed))


def adjustments(listener: socket.socket) -> Adjustments:
    return Adjustments(
        sockets=[listener],
        server_name=listener.getsockname()[0],
        threads=THREADS,
        ident=None,
        clear_untrusted_proxy_headers=False,  # Django's settings say which of them are believed
        asyncore_use_poll=True,  # select() ends at 1,024 files
        asyncore_loop_timeout=1,
        cleanup_interval=1,
        connection_limit=1_000_000,  # ours is in Server: it makes room instead of closing the door
        max_request_header_size=LARGEST_HEADER,
        max_request_body_size=LARGEST_BODY + 1,
        inbuf_overflow=64 * 1024,
        log_socket_errors=False,
    )


def without_bodies_of_heads(application: Callable[..., Any]) -> Callable[..., Any]:
    """Django answers HEAD as GET and leaves it to the server to drop the body: sent, it would be read as the beginning
    of the next answer on that connection."""

    def answered(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answered


class Server(TcpWSGIServer):
    """Serves one listening socket that somebody else opened."""

    channel_class = Connection

    def __init__(self, application: Callable[..., Any], listener: socket.socket) -> None:
        told = adjustments(listener)
        where = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(
            without_bodies_of_heads(application), _sock=listener, adj=told, sockinfo=where, bind_socket=False
        )
        self.most, self.stops_at = most_connections(), 0.0

    def accept_connections(self) -> None:
        self.accepting = True  # it listens already

    def readable(self) -> bool:
        """Another process may be free where requests wait for a thread in this one."""
        willing = bool(super().readable()) and not self.task_dispatcher.queue
        return willing and (len(self.active_channels) < self.most or bool(self._waiting()))

    def handle_accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            if len(self.active_channels) >= self.most:
                self._make_room()
            before = len(self.active_channels)
            super().handle_accept()
            if len(self.active_channels) == before:
                return

    def maintenance(self, now: float) -> None:
        for connection in list(self.active_channels.values()):
            connection.expire(now)
        waiting = self._waiting()
        unfinished = sum(connection.unfinished_bytes for connection in waiting)
        for connection in waiting:
            if unfinished <= UNFINISHED_BYTES:
                return
            unfinished -= connection.unfinished_bytes
            if connection.unfinished_bytes:
                connection.handle_close()

    def _waiting(self) -> list[Connection]:
        """Connections for which nothing is done; that which has waited longest comes first."""
        waiting = [connection for connection in self.active_channels.values() if connection.waits]
        return sorted(waiting, key=attrgetter("waits_since"))

    def _make_room(self) -> None:
        """Whoever sends a request at once does not wait for those that never finish theirs."""
        for connection in self._waiting()[: max(1, self.most // 20)]:
            connection.handle_close()

    def run(self) -> None:
        """Until `stop` was called and what was under way is answered."""
        while not self._is_over():
            wasyncore.loop(timeout=self.adj.asyncore_loop_timeout, map=self._map, use_poll=True, count=1)
        self.task_dispatcher.shutdown(cancel_pending=True, timeout=1)

    def stop(self) -> None:
        """May be called in a signal handler: only notes it, and wakes the loop."""
        if not self.stops_at:
            self.stops_at, self.accepting = time.time() + GRACE, False
            self.pull_trigger()

    def _is_over(self) -> bool:
        if not self.stops_at:
            return False
        under_way = any(not connection.waits for connection in self.active_channels.values())
        return not under_way or time.time() > self.stops_at
