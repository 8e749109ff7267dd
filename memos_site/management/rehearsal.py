"""What each process would build in its first moments, built before it is forked: 2 to 4 MB of each are shared then.

Lazily compiled patterns, sessions, languages, the relations of all models, what the driver knows of types; and with one
search texts of half floats, statements, expressions: 0.1 s of processor time, which each web process took for itself.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from memories import embedding, leases, scanning
from memories.models import EmbeddingModel
from memories.models.vector import halfvec_text
from memories.search import SearchRequest, find
from memories.values.trust import everything
from memos_site.platform import measures, tracing

MOST_MILLISECONDS = 2_000  # of each statement: nobody may wait long for a start
SAID = "what is known"  # in an empty store
NEWEST = "SELECT scope, left(text, 300) FROM memories_passage ORDER BY id DESC LIMIT 1"
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


def rehearse_search(*, at: datetime) -> None:
    """Search the newest passage's scope for its words. Counts no use; leaves a connection open.

    Where an endpoint's model serves nothing is searched: what was said is sent to no endpoint for this.
    """
    halfvec_text([0.0])
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(MOST_MILLISECONDS)])
            if EmbeddingModel.objects.serving() == embedding.built_in().name:
                cursor.execute(NEWEST)
                scope, text = cursor.fetchone() or ("", SAID)
                find(SearchRequest.model_validate({"query": text, "scopes": [scope]}), trust=everything(), at=at)
    except DatabaseError as problem:
        log.warning("no search could be made before the first one that is asked for: %s", problem)
