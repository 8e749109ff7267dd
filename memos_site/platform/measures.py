"""What processes count while they work, for Prometheus: requests, answers and their times.

Under `serve` the web processes of a host count in memory that they share, so any of them can answer for all. It is
memory without a file: whoever writes into a mapped file while the disk is full is killed. Each process has a page of
its own, so there is no lock that could die with one of them, and the page goes on when the process is started again.

Labels have few values: a route, never an address; a word, never a name that a caller chose.
"""

import json
import mmap
import threading
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, values
from prometheus_client.values import MutexValue

NAME_BYTES, MOST_NUMBERS = 4 << 20, 1 << 15  # of a page; what is not used takes no memory
_names = threading.Lock()


class Page:
    """Names and their numbers. One process at a time counts in it, all can read it.

    The first number is that of the bytes of names that are complete, so a process that is killed leaves no half a name.
    """

    def __init__(self) -> None:
        self.names = mmap.mmap(-1, NAME_BYTES)
        self.numbers = memoryview(mmap.mmap(-1, 8 * (MOST_NUMBERS + 1))).cast("d")
        self._places: dict[bytes, int] = {}
        self._read = 0

    def places(self) -> dict[bytes, int]:
        """The place among the numbers of every name that there is by now."""
        with _names:
            return self._read_names().copy()

    def _read_names(self) -> dict[bytes, int]:
        end = int(self.numbers[0])
        for name in self.names[self._read : end].splitlines():
            self._places[name] = len(self._places) + 1
        self._read = end
        return self._places

    def number(self, name: bytes) -> float:
        """0 for a name that is not there."""
        with _names:
            place = self._read_names().get(name)
        return self.numbers[place] if place else 0.0

    def place(self, name: bytes) -> int:
        """The place of a name, which is added if need be. 0: the page is full."""
        with _names:
            places, end = self._read_names(), self._read + len(name) + 1
            if name not in places:
                if end > NAME_BYTES or len(places) == MOST_NUMBERS:
                    return 0
                self.names[self._read : end] = name + b"\n"
                self.numbers[0] = end
            return self._read_names()[name]


_pages: list[Page] = []
_mine: list[Page] = []  # the page of this process; empty where it counts for itself


def share(processes: int) -> None:
    """Make a page for each of so many processes, before they are forked."""
    _pages[:] = [Page() for _ in range(processes)]


def count_in(number: int) -> None:
    """Count in the page of that number from now on: where a former process of that number ended."""
    _mine[:] = [_pages[number]]


def counted_labels() -> Iterator[tuple[str, list[str]]]:
    """The metric and the labels of everything that any process has counted."""
    for name in {name for page in _pages for name in page.places()}:
        metric, number, values = json.loads(name)
        if not number.endswith("_bucket"):  # which has a label more than its histogram, and stands beside its sum
            yield metric, values


class SharedNumber(MutexValue):
    """A number of prometheus-client: `get` is the sum over all pages."""

    def __init__(
        self,
        typ: str,
        metric_name: str,
        name: str,
        labelnames: Sequence[str],
        labelvalues: Sequence[str],
        help_text: str,
        **more: Any,
    ) -> None:
        super().__init__(typ, metric_name, name, labelnames, labelvalues, help_text, **more)  # type: ignore[no-untyped-call]  # prometheus-client has no type here
        self.name = json.dumps([metric_name, name, list(labelvalues)]).encode()
        self._place = 0

    def inc(self, amount: float) -> None:
        with self._lock:
            if _mine and not self._place:
                self._place = _mine[0].place(self.name)
            if self._place:
                _mine[0].numbers[self._place] += amount
            else:
                self._value += amount

    def get(self) -> float:
        return self._value + sum(page.number(self.name) for page in _pages)


values.ValueClass = SharedNumber  # of all metrics that are made from here on
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


def registry_of_host() -> CollectorRegistry:
    """The registry to expose, with the counts of all web processes of this host."""
    for name, labels in counted_labels():
        METRICS[name].labels(*labels)
    return registry


class RequestMeasures:
    """Middleware that measures every request: the first, so that nothing is left out."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = perf_counter()
        response = self.get_response(request)
        requests.labels(route_of(request), method_of(request), response.status_code).observe(perf_counter() - start)
        return response


def method_of(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


def route_of(request: HttpRequest) -> str:
    """The route that took the request, such as `api/v1/memories/<uuid:memory_id>`."""
    if request.resolver_match:
        return request.resolver_match.route or "/"
    return "static" if request.path.startswith(f"/{settings.STATIC_URL.lstrip('/')}") else "unknown"
