"""Health checks for load balancers: /live (the process answers) and /ready (it can do its work).

Both are open to everybody, so no answer says why something failed; the log does.
"""

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
    """200 as long as the process answers; uses nothing else, so that a lost database does not get it killed."""
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request: HttpRequest) -> JsonResponse:
    """503 when requests would fail. A late worker only delays background jobs: 200 with `worker: late`."""
    states = {name: _state(name, check) for name, check in CHECKS.items()}
    healthy = all(state == "ok" for state in states.values())
    worker = _state("worker", worker_heartbeat) if healthy else "unknown"
    status = 200 if healthy else 503
    return JsonResponse({"status": "ok" if healthy else "unavailable", **states, "worker": worker}, status=status)


def _state(name: str, check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # whatever the database or storage raise, the answer is the same; the log has the reason
        log.error("%s is not ready: %s", name, error, exc_info=None if outage(error) else error)
        return "failed"


def database_answers() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def schema_is_current() -> str:
    """`ok` or `pending`. Reads the migration files, so `ok` is remembered: the code of this process does not change."""
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


def worker_heartbeat() -> str:
    """`ok`, or `late` when no worker has polled for jobs recently, by the activity of its database connection."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(state_change) > clock_timestamp() - make_interval(secs => %s), false)"
            " FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s",
            [LATE_AFTER, HEARTBEAT],
        )
        return "ok" if cursor.fetchone()[0] else "late"


CHECKS = {"database": database_answers, "migrations": schema_is_current, "storage": packages_can_be_stored}
