"""What is built before processes are forked leaves nothing behind: no count, no sign of life, no thread."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections

from memories.models.coordination import Lease
from memos_site.management.rehearsal import rehearse
from memos_site.platform import measures
from memos_site.web import health

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def the_connection_of_the_test_stays_open() -> Iterator[None]:
    """As under the test client: the end of a request closes one that is too old."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def counted() -> list[Any]:
    return [sample for family in measures.requests.collect() for sample in family.samples]


def answers() -> list[str]:
    """With which status the application answers in a rehearsal."""
    application: Any = get_wsgi_application()
    statuses: list[str] = []
    rehearse(lambda environ, _start: application(environ, lambda status, *_: statuses.append(status)))
    return statuses


def test_nobody_is_told_of_it(caplog: pytest.LogCaptureFixture) -> None:
    health._migrated.clear()
    assert answers() == ["200 OK"]
    assert health._migrated, "readiness was looked at"
    assert not Lease.objects.exists()
    assert not counted()
    assert not caplog.records


@pytest.mark.parametrize("allowed", ["*", ".memos.example", "127.0.0.1"])
def test_a_host_that_is_allowed_is_asked(settings: Any, allowed: str) -> None:
    settings.ALLOWED_HOSTS = [allowed]
    assert answers() == ["200 OK"]


def test_no_thread_is_started_for_spans(settings: Any) -> None:
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:9"
    assert answers() == []


def test_packages_that_lie_elsewhere_are_not_waited_for(settings: Any) -> None:
    health._migrated.clear()
    elsewhere = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = settings.STORAGES | {"skills": elsewhere}
    assert answers() == ["200 OK"]
    assert not health._migrated, "it was not asked whether it is ready"
