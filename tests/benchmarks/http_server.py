"""Web processes for the benchmark `http`: those of Memos, or of a bare DRF view that inserts one row.

    python -m tests.benchmarks.http_server memos|site|bare PROCESSES

`site`: the bare view under the settings of Memos, with its middleware; `bare`: in a project with nothing around it.

Prints the port and the process ids as JSON and serves until its standard input is closed.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TABLE = "CREATE TABLE IF NOT EXISTS bare_row (id uuid PRIMARY KEY, source text, body jsonb, created_at timestamptz)"


def bare() -> Callable[..., Any]:
    """An application of one view, with as little around it as Django and DRF allow. Creates its database and table."""
    import django
    from django.conf import settings

    from memos_site.platform.postgres.cluster import NAME, PORT, USER
    from memos_site.platform.postgres.server import Server

    place = {"HOST": Server(Path(os.environ["MEMOS_DATA_DIR"])).host(), "PORT": PORT, "USER": USER}
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": NAME, "CONN_MAX_AGE": 60, **place}},
        MIDDLEWARE=["django.middleware.common.CommonMiddleware"],  # Content-Length: the connection is kept
        ROOT_URLCONF="tests.benchmarks.http_view",
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "DEFAULT_PERMISSION_CLASSES": [],
            "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
            "UNAUTHENTICATED_USER": None,
        },
        USE_TZ=True,
    )
    django.setup()
    return with_table()


def site() -> Callable[..., Any]:
    """The same view behind the middleware and the database backend of Memos."""
    import django
    from django.conf import settings

    settings.ROOT_URLCONF = "tests.benchmarks.http_view"
    django.setup()
    return with_table()


def with_table() -> Callable[..., Any]:
    from django.db import connection

    from memos_site.platform.supervision import web

    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    connection.close()
    return web.load()


def memos() -> Callable[..., Any]:
    import django

    django.setup()
    from memories import embedding
    from memos_site.platform.supervision import web

    embedding.built_in().embed(["ready"])
    return web.load()


def serve(kind: str, application: Callable[..., Any], listener: Any) -> None:
    from memos_site.platform.supervision import web

    if kind != "bare":  # whose database backend knows no limit of waiting
        web.run(application, listener)
        return
    from memos_site.platform.webserver.server import Server

    server = Server(application, listener)
    signal.signal(signal.SIGTERM, lambda *_: server.stop())
    server.run()


def main() -> None:
    kind, processes = sys.argv[1], int(sys.argv[2])
    os.environ["DJANGO_SETTINGS_MODULE"] = "memos_site.settings"
    application = {"memos": memos, "site": site, "bare": bare}[kind]()
    from memos_site.platform.supervision import web

    listener, pids = web.listen("127.0.0.1", 0), []
    for _ in range(processes):
        pid = os.fork()
        if pid == 0:
            serve(kind, application, listener)
            os._exit(0)
        pids.append(pid)
    sys.stdout.write(json.dumps({"port": listener.getsockname()[1], "pids": pids}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    for pid in pids:
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
