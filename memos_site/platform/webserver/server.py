"""The web server of one process: accepts connections up to a limit, and stops without losing an answer."""

import resource
import socket
import time
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from memos_site.platform.postgres.lending import close_expired
from memos_site.platform.webserver.connections import Connection
from memos_site.platform.webserver.requests import MAX_BODY, MAX_HEADER

THREADS = 8  # in each process; as many connections to the database at most
MAX_CONNECTIONS = 2_000
FILES_PER_CONNECTION = 3  # its socket, a large body, a large answer
OTHER_FILES = 200  # the database, the log, ...
ACCEPT_BATCH = 4
MAX_UNFINISHED_BYTES = 512 * 1024 * 1024  # of all bodies being received
GRACE = 10.0  # seconds for pending answers after `stop`
KEPT_SECONDS = 5.0  # after `stop`, for clients that may be sending on a connection that they kept
ARRIVAL_SECONDS = 1.0  # after `stop`, for requests of connections that were accepted and have none answered yet


def connection_limit() -> int:
    """The number of connections that the limit of open files allows; raises that limit as far as permitted."""
    needed_files = MAX_CONNECTIONS * FILES_PER_CONNECTION + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed_files:
        soft = needed_files if hard == resource.RLIM_INFINITY else min(needed_files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    possible_connections = (
        MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else (soft - OTHER_FILES) // FILES_PER_CONNECTION
    )
    return max(10, min(MAX_CONNECTIONS, possible_connections))


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
        connection_limit=1_000_000,  # ours is in Server, which closes idle connections instead of refusing new ones
        max_request_header_size=MAX_HEADER,
        max_request_body_size=MAX_BODY + 1,
        inbuf_overflow=64 * 1024,
        log_socket_errors=False,
    )


def drop_head_bodies(application: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a WSGI application so that answers to HEAD have no body.

    Django leaves that to the server; a body would be read as the beginning of the connection's next answer.
    """

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        if close := getattr(body, "close", None):
            close()
        return []

    return answer


class Server(TcpWSGIServer):
    """Serves one listening socket that somebody else opened."""

    channel_class = Connection

    def __init__(self, application: Callable[..., Any], listener: socket.socket) -> None:
        address = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(
            drop_head_bodies(application),
            _sock=listener,
            adj=adjustments(listener),
            sockinfo=address,
            bind_socket=False,
        )
        self.max_connections = connection_limit()
        self.stops_at = self.arrivals_until = self.kept_until = 0.0

    def accept_connections(self) -> None:
        self.accepting = True  # the socket listens already

    def readable(self) -> bool:
        """Whether to accept connections: not while requests wait for a thread, as another process may be free."""
        ready = bool(super().readable()) and not self.task_dispatcher.queue
        return ready and (len(self.active_channels) < self.max_connections or bool(self._idle_connections()))

    def handle_accept(self) -> None:
        for _ in range(ACCEPT_BATCH):
            before = len(self.active_channels)
            if before >= self.max_connections and not self._idle_connections():
                return
            super().handle_accept()
            if len(self.active_channels) == before:
                return
            if before >= self.max_connections:
                self._close_idle_connections()

    def maintenance(self, now: float) -> None:
        """End expired connections, and those with the oldest unfinished bodies if all of them are too large."""
        close_expired(time.monotonic())
        for connection in list(self.active_channels.values()):
            connection.expire(now)
        idle = self._idle_connections()
        unfinished_bytes = sum(connection.unfinished_bytes for connection in idle)
        for connection in idle:
            if unfinished_bytes <= MAX_UNFINISHED_BYTES:
                return
            unfinished_bytes -= connection.unfinished_bytes
            if connection.unfinished_bytes:
                connection.handle_close()

    def _idle_connections(self) -> list[Connection]:
        """The idle connections, the longest idle first."""
        idle = [connection for connection in self.active_channels.values() if connection.is_idle]
        return sorted(idle, key=attrgetter("idle_since"))

    def _close_idle_connections(self) -> None:
        """Close some of the longest idle connections, so that new clients do not wait for stalled ones."""
        for connection in self._idle_connections()[: max(1, self.max_connections // 20)]:
            connection.handle_close()

    def run(self) -> None:
        """Serve until `stop` is called and pending requests are answered."""
        while not self._is_over():
            if self.stops_at and self.socket.fileno() >= 0:
                self.leave_port()
            wasyncore.loop(timeout=self.adj.asyncore_loop_timeout, map=self._map, use_poll=True, count=1)
        self.task_dispatcher.shutdown(cancel_pending=True, timeout=1)

    def leave_port(self) -> None:
        """Close this process's copy of the listening socket: if the supervisor is gone, the port is free at once."""
        self.del_channel()
        self.socket.close()

    def stop(self, kept_seconds: float = 0.0) -> None:
        """Stop accepting, and wake the loop; safe in a signal handler.

        Each answer ends its connection from now on. `kept_seconds`: how long those are kept that wait for a next
        request; at its end, or without it, the client that sends one just now is left without an answer.
        """
        if not self.stops_at:
            now, self.accepting = time.time(), False
            self.stops_at, self.arrivals_until = now + GRACE, now + ARRIVAL_SECONDS
            self.kept_until = now + kept_seconds
            self.pull_trigger()

    def _is_over(self) -> bool:
        if not self.stops_at:
            return False
        now, connections = time.time(), self.active_channels.values()
        has_pending = any(not connection.is_idle for connection in connections)
        has_arriving = now < self.arrivals_until and any(connection.awaits_request for connection in connections)
        has_kept = now < self.kept_until and bool(connections)
        return now > self.stops_at or not (has_pending or has_arriving or has_kept)
