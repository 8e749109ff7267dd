"""Health checks for load balancers: /live (the process answers) and /ready (it can do its work).

Both are open to everybody, so no answer says why something failed; the log does. Neither is slow, however slow the
store of packages is: a directory is asked at once, a store behind the network by a thread of its own.
"""

import logging
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse

from memories import leases
from memos_site.platform.outages import DISK_FULL, StoreUnavailable, outage
from memos_site.platform.postgres.disk_reserve import is_short
from skills import orphans

FRESH_SECONDS = 10.0  # for which an answer of a store behind the network is good
WAIT_SECONDS = 1.0  # for such an answer; then the store counts as failed until it answers
log = logging.getLogger("memos.health")
_migrated: set[bool] = set()


@login_not_required
def live(request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers; uses nothing else, so that a lost database does not get it killed."""
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request: HttpRequest) -> JsonResponse:
    """503 when every request would fail; 200 when only some would, with their names in `degraded`.

    `packages`: what reads or stores one, or reads one that was not moved into a new store; `writes`: what stores
    anything, as the database is read-only (its disk is full). A late worker delays jobs only: `worker: late`.
    """
    database, migrations = _state("database", database_answers), _state("migrations", schema_is_current)
    healthy = (database, migrations) in (("ok", "ok"), ("read-only", "ok"))
    storage = _state("storage", partial(packages_can_be_stored, has_database=healthy))
    writes = database != "read-only"
    packages = storage == "ok" or (storage == "full" and not writes)  # what is stored can be read, and `writes` says it
    degraded_parts = [name for name, works in (("packages", packages), ("writes", writes)) if not works]
    answer = {
        "status": "ok" if healthy else "unavailable",
        "degraded": degraded_parts,
        "database": database,
        "migrations": migrations,
        "storage": storage,
        "worker": _state("worker", worker_heartbeat) if healthy else "unknown",
    }
    return JsonResponse(answer, status=200 if healthy else 503)


def _state(name: str, check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception as error:  # whatever the database or storage raise, the answer is the same; the log has the reason
        log.error("%s is not ready: %s", name, error, exc_info=None if outage(error) else error)
        return "failed"


def database_answers() -> str:
    """`ok` or `read-only`: by its own word, or as it will be when its keeper looks at the disk, within a second."""
    if settings.EMBEDDED and is_short(settings.DATA_DIR):
        return "read-only"
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_read_only') = 'on'")
        return "read-only" if cursor.fetchone()[0] else "ok"


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


def packages_can_be_stored(*, has_database: bool = False) -> str:
    """`ok`; `full`: they can be read only; `incomplete`: the store lacks packages of versions, as after a change to
    another store. `has_database`: the database answers, so that packages of its versions are looked for.
    """
    try:
        check_package_store(orphans.sample() if has_database else [])
    except orphans.Incomplete:
        return "incomplete"
    except OSError as error:
        if outage(error) == DISK_FULL:
            return "full"
        raise
    return "ok"


def worker_heartbeat() -> str:
    """`ok`, or `late` when no worker of any host has asked for jobs recently."""
    return "ok" if leases.a_worker_lives() else "late"


def check_package_store(sample: Sequence[str] = ()) -> None:
    """OSError, StoreUnavailable: packages can neither be read nor stored now. Incomplete: the store lacks one of the
    sample.
    """
    storage = storages["skills"]
    if isinstance(storage, FileSystemStorage):
        Path(storage.location).mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=storage.location) as file:  # a full disk, a read-only one
            file.write(bytes(4096))
        orphans.demand(sample)
    else:
        remote.check(sample)


class RemoteStore:
    """What this process knows of a store behind the network."""

    def __init__(self) -> None:
        self._lock, self._wanted, self._answered = threading.Lock(), threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._waits = False  # for an answer to the latest question, which is not asked a second time
        self._problem: Exception | None = None
        self._at = -FRESH_SECONDS  # of the latest answer
        self._sample: Sequence[str] = ()

    def check(self, sample: Sequence[str] = ()) -> None:
        with self._lock:
            self._sample = sample
            if not self._waits and time.monotonic() - self._at >= FRESH_SECONDS:
                self._ask()
            problem = self._problem
        if problem:
            raise problem

    def _ask(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._answer, name="package store", daemon=True)
            self._thread.start()
        self._problem = StoreUnavailable("the package store does not answer in time")  # until it does
        self._waits = True
        self._answered.clear()
        self._wanted.set()
        self._answered.wait(WAIT_SECONDS)

    def _answer(self) -> None:
        while self._wanted.wait():
            self._wanted.clear()
            problem: Exception | None = None
            try:
                orphans.demand(self._sample or ["health"], strict=bool(self._sample))
            except Exception as error:  # whatever a store raises, readiness says the same
                problem = error
            self._at, self._problem, self._waits = time.monotonic(), problem, False
            self._answered.set()


remote = RemoteStore()
