"""What a load balancer asks: is the process alive, and can it do its work? Open to all, so no answer tells why."""

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from memos_site.platform.outages import outage
from memos_site.platform.supervision.heartbeat import HEARTBEAT, LATE_AFTER

log = logging.getLogger("memos.health")
_migrated: set[bool] = set()


@login_not_required
def live(request: HttpRequest) -> JsonResponse:
    """The process answers. Touches nothing else, so that a lost database does not get the process killed."""
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request: HttpRequest) -> JsonResponse:
    """503 when a request would fail. A late worker delays only what is done in the background: 200, and said."""
    states = {name: _state(name, check) for name, check in CHECKS.items()}
    works = all(state == "ok" for state in states.values())
    worker = _state("worker", worker_asks) if works else "unknown"
    status = 200 if works else 503
    return JsonResponse({"status": "ok" if works else "unavailable", **states, "worker": worker}, status=status)


def _state(name: str, check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # whatever database or storage raise, the answer is the same; the log has the reason
        log.error("%s is not ready: %s", name, error, exc_info=None if outage(error) else error)
        return "failed"


def database_answers() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def schema_is_current() -> str:
    """Reads the migration files, so only until it has been so once: this process's code does not change."""
    if not _migrated:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return "pending"
        _migrated.add(True)
    return "ok"


def packages_can_be_stored() -> str:
    storage = storages["skills"]
    if isinstance(storage, FileSystemStorage):
        Path(storage.location).mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=storage.location) as file:  # a full disk, a read-only one
            file.write(bytes(4096))
    else:
        storage.exists("health")
    return "ok"


def worker_asks() -> str:
    """Late when nobody asked for work lately; PostgreSQL knows when the worker's connection last did."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(state_change) > clock_timestamp() - make_interval(secs => %s), false)"
            " FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s",
            [LATE_AFTER, HEARTBEAT],
        )
        return "ok" if cursor.fetchone()[0] else "late"


CHECKS = {"database": database_answers, "migrations": schema_is_current, "storage": packages_can_be_stored}
