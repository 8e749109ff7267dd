"""The web processes, which share one listening socket that the supervisor opened and that outlives them."""

import gc
import signal
import socket
from collections.abc import Callable
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import get_resolver

from memos_site.platform import tracing
from memos_site.platform.supervision.child import Ready
from memos_site.platform.webserver.server import KEPT_SECONDS, Server

BACKLOG = 2_048
STATEMENT_SECONDS = 10
YOUNG_OBJECTS = 10_000  # that make the collector look at them: a search makes some thousands and drops them itself
IDLE_SECONDS = 60  # of silence within a transaction: a process that was frozen must not keep its locks


class PortUnavailable(Exception):
    """The port is in use or not permitted, with a sentence for the operator."""


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket, in which connections wait while a web process restarts. PortUnavailable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:  # OverflowError: no such port
        listener.close()
        why = getattr(error, "strerror", None) or error
        raise PortUnavailable(f"cannot listen on {host}:{port}: {why} (another: --port, --host)") from error
    return listener


def limit_waits() -> None:
    """Limit statements of this process to STATEMENT_SECONDS; jobs and commands in other processes have no limit.

    The database cancels a statement first; the driver gives up a second later, on a database that is silent. A
    transaction in which this process is silent for IDLE_SECONDS is ended by the database. A pooler of transactions
    takes no such options; behind one the driver alone gives up, and docs/deploy.md says what ends the others.
    """
    database = connections.settings["default"]
    options = database["OPTIONS"]
    limit = f"-c statement_timeout={STATEMENT_SECONDS}s -c idle_in_transaction_session_timeout={IDLE_SECONDS}s"
    if not database["DISABLE_SERVER_SIDE_CURSORS"]:
        options["options"] = f"{options.get('options', '')} {limit}".strip()
    options |= {
        "answer_within": STATEMENT_SECONDS + 1,
        "tcp_user_timeout": STATEMENT_SECONDS * 1000,
    }


def load() -> Callable[..., Any]:
    """Load the application with all its views before the processes are forked, so that they share its memory."""
    application = get_wsgi_application()
    addresses = get_resolver()
    assert addresses.url_patterns  # imports every view
    assert addresses.reverse_dict  # collects the names of all addresses
    freeze()
    gc.set_threshold(YOUNG_OBJECTS)
    return application


def freeze() -> None:
    """Leave what there is now to no collector: it would write into memory that is shared with what is forked."""
    gc.collect()
    gc.freeze()


def run(application: Callable[..., Any], listener: socket.socket, ready: Ready = lambda: None) -> None:
    """Serve in this process until SIGTERM or SIGQUIT; the latter also waits for clients of kept connections."""
    limit_waits()
    server = Server(application, listener)
    signal.signal(signal.SIGTERM, lambda *_: server.stop())
    signal.signal(signal.SIGQUIT, lambda *_: server.stop(kept_seconds=KEPT_SECONDS))
    ready()
    server.run()
    tracing.flush()
