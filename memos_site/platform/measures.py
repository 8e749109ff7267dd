"""What processes count while they work, for Prometheus: requests, answers and their times.

Under `serve` the web processes of a host count in memory that they share, so any of them can answer for all. Labels
have few values: a route, never an address; a word, never a name that a caller chose.
"""

from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, values

from memos_site.platform import shared_counts

values.ValueClass = shared_counts.SharedNumber  # of all metrics that are made from here on
disable_created_metrics()  # type: ignore[no-untyped-call]  # times of a process, where the numbers are of several
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
run_verdicts = Counter("memos_verdicts", "Verdicts on runs that agents asked for", ["level"], registry=registry)
replica_reads = Counter("memos_replica_reads", "Reads that a replica answered", ["replica"], registry=registry)
METRICS = {
    family.name: metric
    for metric in (requests, retrievals, guidance, verdicts, run_verdicts, replica_reads)
    for family in metric.describe()
}


def counted() -> CollectorRegistry:
    """The registry to expose: with what the other web processes of this host have counted."""
    for name, labels in shared_counts.labels():
        METRICS[name].labels(*labels)
    return registry


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
