"""What a load balancer is told."""

import errno
from collections.abc import Iterator
from typing import Any

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from memos_site.web import health

FINE = {
    "status": "ok",
    "degraded": [],
    "database": "ok",
    "migrations": "ok",
    "storage": "ok",
    "worker": "late",
}


@pytest.fixture(autouse=True)
def a_new_process() -> Iterator[None]:
    health._migrated.clear()
    yield
    health._migrated.clear()


def ready(client: Client) -> tuple[int, dict[str, Any]]:
    answer = client.get("/health/ready")
    return answer.status_code, answer.json()


def test_a_living_process_says_so_to_anybody_without_the_database(client: Client) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}


@pytest.mark.django_db
def test_a_store_without_a_worker_is_ready_and_says_that_the_worker_is_late(client: Client) -> None:
    assert ready(client) == (200, FINE)


@pytest.mark.django_db
def test_a_store_with_migrations_to_come_is_not_ready(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="sessions").delete()
    assert ready(client) == (503, FINE | {"status": "unavailable", "migrations": "pending", "worker": "unknown"})


@pytest.mark.django_db
def test_a_store_that_cannot_keep_packages_is_ready_for_all_else_and_does_not_say_why(
    client: Client, settings: Any
) -> None:
    nowhere = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": "/dev/null/nowhere"}}
    settings.STORAGES = settings.STORAGES | {"skills": nowhere}
    assert ready(client) == (200, FINE | {"degraded": ["packages"], "storage": "failed"})


@pytest.mark.django_db
def test_a_full_disk_is_named_alike_before_and_after_the_database_has_noticed_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored can be read, so packages are not named beside writes; where their disk alone is full, they are."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(health, "check_package_store", full)
    assert ready(client)[1] == FINE | {"storage": "full", "degraded": ["packages"]}
    monkeypatch.setattr(health, "is_short", lambda _folder: True)
    assert ready(client) == (200, FINE | {"database": "read-only", "storage": "full", "degraded": ["writes"]})
    monkeypatch.setattr(health, "check_package_store", lambda *_: None)
    assert ready(client) == (200, FINE | {"database": "read-only", "degraded": ["writes"]})
