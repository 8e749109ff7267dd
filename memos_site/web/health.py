"""Health checks for load balancers: /live (the process answers) and /ready (it can do its work).

Both are open to everybody, so no answer says why something failed; the log does.
"""

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.contrib.auth.decorators import login_not_required
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse

from memories import leases
from memos_site.platform.outages import outage

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
    """`ok` or `pending`. Lists the migration files, so `ok` is remembered: the code of this process does not change."""
    if not _migrated:
        if _migrations() - MigrationRecorder(connection).applied_migrations().keys():
            return "pending"
        _migrated.add(True)
    return "ok"


def _migrations() -> set[tuple[str, str]]:
    """All migrations by app and name. Their files are not loaded: that takes many megabytes of each web process."""
    folders = {app.label: Path(app.path) / "migrations" for app in apps.get_app_configs()}
    files = {label: (module.name for module in iter_modules([str(folder)])) for label, folder in folders.items()}
    return {(label, name) for label, names in files.items() for name in names if name[0] not in "_~"}


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
    """`ok`, or `late` when no worker of any host has asked for jobs recently."""
    return "ok" if leases.a_worker_lives() else "late"


CHECKS = {"database": database_answers, "migrations": schema_is_current, "storage": packages_can_be_stored}
