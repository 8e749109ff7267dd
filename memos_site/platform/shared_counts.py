"""Numbers of prometheus-client that the processes of a host count in memory which they share, so that any can add up.

Memory without a file: whoever writes into a mapped file while the disk is full is killed. Each process has a page of
its own, so there is no lock that could die with one of them, and the page goes on when the process is started again.
"""

import json
import mmap
import threading
from collections.abc import Iterator, Sequence
from typing import Any

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
            return self._seen().copy()

    def _seen(self) -> dict[bytes, int]:
        end = int(self.numbers[0])
        for name in self.names[self._read : end].splitlines():
            self._places[name] = len(self._places) + 1
        self._read = end
        return self._places

    def number(self, name: bytes) -> float:
        """0 for a name that is not there."""
        with _names:
            place = self._seen().get(name)
        return self.numbers[place] if place else 0.0

    def place(self, name: bytes) -> int:
        """The place of a name, which is added if need be. 0: the page is full."""
        with _names:
            places, end = self._seen(), self._read + len(name) + 1
            if name not in places:
                if end > NAME_BYTES or len(places) == MOST_NUMBERS:
                    return 0
                self.names[self._read : end] = name + b"\n"
                self.numbers[0] = end
            return self._seen()[name]


_pages: list[Page] = []
_mine: list[Page] = []  # the page of this process; empty where it counts for itself


def share(processes: int) -> None:
    """Make a page for each of so many processes, before they are forked."""
    _pages[:] = [Page() for _ in range(processes)]


def count_in(number: int) -> None:
    """Count in the page of that number from now on: where a former process of that number ended."""
    _mine[:] = [_pages[number]]


def labels() -> Iterator[tuple[str, list[str]]]:
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
