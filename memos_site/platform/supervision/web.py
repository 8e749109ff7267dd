"""The web processes, on one socket that the supervisor opened and that outlives each of them."""

import gc
import signal
import socket
from collections.abc import Callable
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import get_resolver

from memos_site.platform.webserver.server import Server

BACKLOG = 2_048
STATEMENT_SECONDS = 10


class PortTaken(Exception):
    """Somebody else listens there, or we may not; a sentence for the operator."""


def listen(host: str, port: int) -> socket.socket:
    """The listening socket; connections wait in it while the server restarts."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:  # OverflowError: no such port
        listener.close()
        why = getattr(error, "strerror", None) or error
        raise PortTaken(f"cannot listen on {host}:{port}: {why} (another: --port, --host)") from error
    return listener


def bound_waits() -> None:
    """Of this process, where people and agents wait: jobs and commands may ask the database for as long as it takes.

    The database gives up a statement first; only one that is silent is given up by us.
    """
    options = connections.settings["default"]["OPTIONS"]
    limit = f"-c statement_timeout={STATEMENT_SECONDS}s"
    options |= {
        "options": f"{options.get('options', '')} {limit}".strip(),
        "answer_within": STATEMENT_SECONDS + 1,
        "tcp_user_timeout": STATEMENT_SECONDS * 1000,
    }


def load() -> Callable[..., Any]:
    """The application with all its views: what is loaded before the processes are forked, they share."""
    application = get_wsgi_application()
    assert get_resolver().url_patterns  # imports every view
    gc.collect()
    gc.freeze()  # the collector would write into shared memory
    return application


def run(application: Callable[..., Any], listener: socket.socket) -> None:
    """Serves in this process until SIGTERM."""
    bound_waits()
    server = Server(application, listener)
    signal.signal(signal.SIGTERM, lambda *_: server.stop())
    server.run()
