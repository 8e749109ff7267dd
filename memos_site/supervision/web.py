"""The web server: gunicorn with threads, on a socket that the supervisor opened and that outlives a restart."""

import socket
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]  # it has no types
from gunicorn.glogging import Logger  # type: ignore[import-untyped]  # it has no types

THREADS = 8  # in each process; each keeps one database connection
BACKLOG = 512


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


class Log(Logger):  # type: ignore[misc]  # untyped
    """gunicorn's own lines go where all lines go."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class Web(BaseApplication):  # type: ignore[misc]  # untyped
    def __init__(self, listener: socket.socket, workers: int) -> None:
        self.listener, self.workers = listener, workers
        super().__init__()

    def load_config(self) -> None:
        memory = Path("/dev/shm")  # noqa: S108 - a heartbeat file; on a disk it may stall the worker
        wanted: dict[str, Any] = {
            "bind": f"fd://{self.listener.fileno()}",
            "workers": self.workers,
            "threads": THREADS,
            "worker_class": "gthread",
            "worker_tmp_dir": str(memory) if memory.is_dir() else None,
            "preload_app": True,
            "graceful_timeout": 10,
            "timeout": 120,
            "keepalive": 5,
            "loglevel": "debug" if settings.DEBUG else "warning",
            "control_socket_disable": True,
            "logger_class": Log,
        }
        for name, value in wanted.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return get_wsgi_application()
