"""What each process would build in its first moments, built before it is forked: 2 to 4 MB of each are shared then.

Lazily compiled patterns, sessions, languages, the relations of all models, what the driver knows of types.
"""

import logging
from collections.abc import Callable
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, transaction
from django.urls import reverse

from memories import leases, scanning
from memos_site.platform import measures, tracing

log = logging.getLogger("memos.web")


def rehearse(application: Callable[..., Any]) -> None:
    """Scan a text, ask whether it is ready, and tell as a worker does that it lives.

    Leaves an open connection and nothing else: the request is not counted, and what the worker told is taken back.
    Where packages are kept elsewhere readiness would wait for that; it is asked whether it lives.
    """
    scanning.flags("ready")
    if not tracing.enabled():  # what sends its spans is a thread, which a fork would not have
        _ask(application, "ready" if isinstance(storages["skills"], FileSystemStorage) else "live")
    try:
        with transaction.atomic():
            leases.Heartbeat()()
            transaction.set_rollback(True)
    except DatabaseError as problem:
        log.warning("what a worker uses first could not be built before it: %s", problem)


def _ask(application: Callable[..., Any], page: str) -> None:
    host = next((name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
    environ = {"PATH_INFO": reverse(page), "QUERY_STRING": "", "HTTP_HOST": host}
    setup_testing_defaults(environ)
    answer = application(environ, lambda *_: None)
    assert b"".join(answer)
    answer.close()
    measures.requests.clear()
