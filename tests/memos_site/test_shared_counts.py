"""What web processes count: any of them tells the sum, whoever of them was killed, and no file is written."""

import os
import signal
from collections.abc import Callable, Iterator

import pytest
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from memos_site.platform import measures
from memos_site.platform.supervision.child import FORK

LABELS = {"kind": "shared", "answer": "found"}


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process counts for itself."""
    for name in ("_pages", "_mine"):
        monkeypatch.setattr(measures, name, [])
    yield
    for metric in (measures.requests, measures.retrievals):
        metric.clear()


def in_process(number: int, work: Callable[[], None]) -> int:
    """Do work in a web process of that number; its exit code."""

    def run() -> None:
        measures.count_in(number)
        work()

    process = FORK.Process(target=run)
    process.start()
    process.join()
    return int(process.exitcode or 0)


def search() -> None:
    measures.retrievals.labels("shared", "found").inc()


def answer() -> None:
    for seconds in (0.001, 0.3):
        measures.requests.labels("shared", "GET", 200).observe(seconds)


def told() -> dict[tuple[str, str], float]:
    """The figures of the metrics above, by name and `le`."""
    families = text_string_to_metric_families(generate_latest(measures.registry_of_host()).decode())
    samples = [one for family in families for one in family.samples if "shared" in one.labels.values()]
    return {(one.name, one.labels.get("le", "")): one.value for one in samples}


def test_a_process_tells_what_all_have_counted() -> None:
    measures.share(2)
    for number, work in ((0, search), (1, search), (1, answer), (0, answer)):
        assert in_process(number, work) == 0
    figures = told()
    assert figures["memos_retrievals_total", ""] == 2
    assert figures["memos_request_seconds_count", ""] == 4
    assert figures["memos_request_seconds_sum", ""] == pytest.approx(0.602)
    assert (figures["memos_request_seconds_bucket", "0.005"], figures["memos_request_seconds_bucket", "0.5"]) == (2, 4)


def test_a_process_goes_on_where_the_one_of_its_number_was_killed() -> None:
    def search_and_die() -> None:
        search()
        os.kill(os.getpid(), signal.SIGKILL)

    measures.share(1)
    assert in_process(0, search_and_die) == -signal.SIGKILL
    assert in_process(0, search) == 0
    assert told()["memos_retrievals_total", ""] == 2


def test_what_does_not_fit_is_counted_by_the_process_that_counts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "MOST_NUMBERS", 1)
    measures.share(1)
    measures.count_in(0)
    search()
    answer()
    figures = told()
    assert (figures["memos_retrievals_total", ""], figures["memos_request_seconds_count", ""]) == (1, 2)
