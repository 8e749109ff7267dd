"""The tests' own data directory, and with it their own embedded PostgreSQL: nothing they do touches `var/`.

Settings are read when Django is set up, so the directory is named before that, as soon as pytest loads this file.
"""

import gc
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import django
import hypothesis
import pytest
import pytest_django
from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase

from tests import shared_rows

if TYPE_CHECKING:
    from django.test import Client
    from rest_framework.test import APIClient

gc.disable()  # until all tests are collected
DATA_DIR = Path(tempfile.mkdtemp(prefix="memos-tests-"))
os.environ["MEMOS_DATA_DIR"] = str(DATA_DIR)
os.environ["DJANGO_SETTINGS_MODULE"] = "memos_site.settings"
django.setup()
# The real one is slow on purpose: a third of a second for each person that a test makes.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
settings.WHITENOISE_AUTOREFRESH = True  # else each client of a test looks up all static files: a tenth of all time
# Its clocks tell how busy the machine is, not whether a property holds.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")
LONGEST = (  # files that would leave a worker alone at the end, the longest first
    *("test_accessibility", "test_random_kills", "test_pooler", "test_serve", "test_consolidation_survives"),
    *(
        "test_reload",
        "test_patterns_survive",
        "test_demo_shown",
        "test_next_pages",
        "test_pages_trust",
        "test_backup",
        "test_slow_line",
    ),
    *(
        "test_webserver",
        "test_keyboard",
        "test_docs",
        "test_first_tables",
        "test_postgres_server",
    ),
    *(
        "test_bulk_survives",
        "test_first_minutes",
        "test_replicas",
        "test_ingestion_survives",
        "test_serve_starting",
        "test_redis_broker",
        "test_admin",
    ),
    *("test_readme", "test_scanning", "test_supervisor", "test_full_disks", "test_outages", "test_remembering_at_once"),
    *("test_packaging", "test_claims", "test_dead_code", "test_founder_os", "test_house"),
)
pytest.register_assert_rewrite("tests.rulebook")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--verbs", type=int, default=100, help="how many random verbs a seed of the rulebook's test does")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """A worker that had this from us would read the settings before it names a data directory of its own here."""
    del os.environ["DJANGO_SETTINGS_MODULE"]


def pytest_configure(config: pytest.Config) -> None:
    """The whole suite leaves out what is slow by nature, unless `-m` says otherwise; a named path is run whole."""
    if config.args_source == pytest.Config.ArgsSource.TESTPATHS and not config.option.markexpr:
        config.option.markexpr = "not slow and not agents"
        # all slow, and Playwright takes its time to be loaded
        config.option.ignore = [*(config.option.ignore or ()), str(config.rootpath / "tests" / "browser")]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first: in the end no worker is left alone with one of them."""
    slow = ["journeys", "browser", "memos_site"]
    for item in items:
        if item.path.parent.name == "browser":
            item.add_marker("slow")
    items.sort(key=lambda item: slow.index(item.path.parent.name) if item.path.parent.name in slow else len(slow))


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_longest_files_first(items: list[pytest.Item]) -> None:
    """After pytest-django, which lets those without a database come last: whole clusters, servers that are killed.

    The tests of a file that begin with the same rows follow each other.
    """
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))
    files = {path: number for number, path in enumerate(dict.fromkeys(item.path for item in items))}
    items.sort(key=lambda item: (files[item.path], shared_rows.place(item)))


def pytest_collection_finish() -> None:
    """Thousands of tests are no garbage: they are not looked through again and again, which took 7 % of all time.

    Nor are most of the objects of a query that is being written: looked through as rarely as while runs are read.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, *gc.get_threshold()[1:])


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> None:
    """Before pytest-django begins the transaction of a test, the rows are written that it begins with."""
    if fixturedef.argname == "_django_db_helper" and (rows := shared_rows.wanted(request.node)):
        with request.getfixturevalue("django_db_blocker").unblock():
            shared_rows.begin(rows)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem and shared_rows.are_standing() and shared_rows.wanted(nextitem) != shared_rows.wanted(item):
        with item._request.getfixturevalue("django_db_blocker").unblock():  # type: ignore[attr-defined]
            shared_rows.end()


def pytest_sessionstart() -> None:
    """However busy the machine is: what is left out of an answer after its time, tests of that set a time for."""
    from memories.search import question
    from memories.search.context import assembling
    from memos_site.api import context
    from skills.scanning import python_code

    assembling.ANSWER_WITHIN = context.ANSWER_WITHIN = question.ENDPOINT_SECONDS = python_code.SECONDS = 60


@pytest.fixture(autouse=True)
def no_calls_left() -> None:
    """Calls that a former test has left unwritten cost the next one no statement."""
    from memories.api.call_limits import counts

    counts.clear()


@pytest.fixture
def agent() -> "APIClient":
    """Calls the API as an agent with what `create_agent` without options gives."""
    from tests.make import caller

    return caller()


@pytest.fixture
def judge() -> "APIClient":
    """Calls the API as an agent named `judge` that may read and decide, nothing else."""
    from tests.make import caller

    return caller(name="judge", permissions=["read", "review"])


@pytest.fixture
def reviewing_agent() -> "APIClient":
    """Calls the API as an agent that writes, and decides as well."""
    from tests.make import caller

    return caller(permissions=["read", "ingest", "report", "review"])


@pytest.fixture
def reviewer() -> "Client":
    """The browser of a person of the group `reviewer`, signed in as `anna`."""
    from tests.pages import signed_in

    return signed_in()


@pytest.fixture
def verbs(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--verbs"))


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Django's migrations find everything done. A pooler's idle connections would keep it from being dropped."""
    return bool(settings.EMBEDDED or settings.DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"])


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    django_db_keepdb: bool,
    django_db_blocker: pytest_django.DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The tests' database is a copy of one that was migrated once for all workers."""
    from tests.clusters import copied, migrated_cluster
    from tests.emptying import delete_what_was_committed

    if settings.EMBEDDED:
        copied(migrated_cluster(tmp_path_factory), DATA_DIR)
        told = connection.settings_dict
        name = told["TEST"]["NAME"] or f"test_{told['NAME']}"
        with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE memos')
    if django_db_keepdb:
        TransactionTestCase._fixture_teardown = delete_what_was_committed  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker) -> None:
    """The groups of people are there, as in a store that was started: not made for each person of a test."""
    from memories import people

    with django_db_blocker.unblock():
        for name in people.GROUPS:
            people.group(name)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    from memos_site.platform.postgres.server import Server

    Server(DATA_DIR).stop()
    shutil.rmtree(DATA_DIR)
