"""The tests' own data directory, and with it their own embedded PostgreSQL: nothing they do touches `var/`.

Settings are read when Django is set up, so the directory is named before that, as soon as pytest loads this file.
"""

import os
import shutil
import tempfile
from pathlib import Path

import django
import pytest
import pytest_django
from django.conf import settings
from django.db import connection

DATA_DIR = Path(tempfile.mkdtemp(prefix="memos-tests-"))
os.environ["MEMOS_DATA_DIR"] = str(DATA_DIR)
os.environ["DJANGO_SETTINGS_MODULE"] = "memos_site.settings"
django.setup()
# The real one is slow on purpose: a third of a second for each person that a test makes.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
pytest.register_assert_rewrite("tests.rulebook")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--verbs", type=int, default=100, help="how many random verbs a seed of the rulebook's test does")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first: in the end no worker is left alone with one of them."""
    slow = ["journeys", "browser", "memos_site"]
    items.sort(key=lambda item: slow.index(item.path.parent.name) if item.path.parent.name in slow else len(slow))


@pytest.fixture
def verbs(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--verbs"))


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Django's migrations find everything done."""
    return bool(settings.EMBEDDED)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    django_db_blocker: pytest_django.DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The tests' database is a copy of one that was migrated once for all workers."""
    from tests.clusters import copied, migrated_cluster

    if settings.EMBEDDED:
        copied(migrated_cluster(tmp_path_factory), DATA_DIR)
        told = connection.settings_dict
        name = told["TEST"]["NAME"] or f"test_{told['NAME']}"
        with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE memos')


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    from memos_site.platform.postgres.server import Server

    Server(DATA_DIR).stop()
    shutil.rmtree(DATA_DIR)
