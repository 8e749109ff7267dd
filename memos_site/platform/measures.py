"""What processes count while they work, for Prometheus: requests, answers and their times.

Under `serve` the processes of a host share a directory of files (prometheus-client's multiprocess mode), so any of them
can answer for all. Labels have few values: a route, never an address; a word, never a name that a caller chose.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector

from memos_site.platform import process_identity

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # of prometheus-client
PREFIX = "measures-"  # the process id of the supervisor follows
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

registry = CollectorRegistry()
requests = Histogram(
    "memos_request_seconds",
    "Time from the first middleware to the answer",
    ["route", "method", "status"],
    buckets=SECONDS,
    registry=registry,
)
retrievals = Counter(
    "memos_retrievals", "Searches and contexts that were answered", ["kind", "answer"], registry=registry
)
guidance = Counter("memos_guidance", "Answers to requests for guidance", ["decision"], registry=registry)
verdicts = Counter(
    "memos_guidance_checks", "Verdicts on calls that were about to be made", ["verdict"], registry=registry
)

replica_reads = Counter("memos_replica_reads", "Reads that a replica answered", ["replica"], registry=registry)


@contextmanager
def shared(run: Path) -> Iterator[None]:
    """Within the block the processes forked from this one count together, in a directory of their own in `run`.

    Enter it before anything is counted. Directories that killed processes left there are removed.
    """
    run.mkdir(mode=0o700, parents=True, exist_ok=True)
    for former in run.glob(f"{PREFIX}*"):
        if not process_identity.runs(int(former.name.removeprefix(PREFIX))):
            shutil.rmtree(former, ignore_errors=True)
    place = run / f"{PREFIX}{os.getpid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    os.environ[SHARED] = str(place)
    values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]  # decided at its import otherwise
    try:
        yield
    finally:
        shutil.rmtree(place, ignore_errors=True)


def counted() -> CollectorRegistry:
    """The registry to expose: of all processes of this host where they share a directory, else of this one."""
    if SHARED not in os.environ:
        return registry
    of_all = CollectorRegistry()
    MultiProcessCollector(of_all)  # type: ignore[no-untyped-call]  # prometheus-client has no type here
    return of_all


class Measured:
    """Middleware that measures every request: the first, so that nothing is left out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = perf_counter()
        response = self.get_response(request)
        requests.labels(route_of(request), method_of(request), response.status_code).observe(perf_counter() - started)
        return response


def method_of(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


def route_of(request: HttpRequest) -> str:
    """The route that took the request, such as `api/v1/memories/<uuid:memory_id>`."""
    if request.resolver_match:
        return request.resolver_match.route or "/"
    return "static" if request.path.startswith(f"/{settings.STATIC_URL.lstrip('/')}") else "unknown"
