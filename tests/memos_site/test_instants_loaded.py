"""Instants come out of the database as Django reads them, whichever way they are parsed."""

from typing import Any

import pytest
from django.db import DataError, connection
from django.db.backends.postgresql.psycopg_any import BaseTzLoader, register_tzloader
from psycopg.pq import Format

from memos_site.platform.postgres.driver import TIMESTAMPTZ, InstantLoader

pytestmark = pytest.mark.django_db
WRITTEN = (
    "2026-01-01 00:00:00+00",
    "2026-02-28 23:59:59.999999+00",
    "2026-07-01 12:00:00.5+02",
    "2026-07-01 12:00:00.001+00",
    "0001-01-02 00:00:00+00",
    "9999-12-30 23:59:59.999999+00",
    "1969-12-31 23:59:59.25-08",
)


def read(text: str, *, zone: str = "UTC", plain: bool = False) -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        if plain:
            register_tzloader(connection.timezone, cursor.cursor)
        cursor.execute("SELECT %s::timestamptz", [text])
        [instant] = cursor.fetchone()
    return instant


def test_the_connection_reads_instants_the_fast_way() -> None:
    connection.ensure_connection()
    loader: Any = connection.connection.adapters.get_loader(TIMESTAMPTZ, Format.TEXT)
    assert issubclass(loader, InstantLoader) and issubclass(loader, BaseTzLoader)
    assert loader.timezone is connection.timezone


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize("text", WRITTEN)
def test_an_instant_is_the_one_that_django_reads(text: str, zone: str) -> None:
    fast, plain = read(text, zone=zone), read(text, zone=zone, plain=True)
    assert (fast, fast.tzinfo, fast.utcoffset()) == (plain, plain.tzinfo, plain.utcoffset())


@pytest.mark.parametrize("text", ["infinity", "0044-03-15 12:00:00+00 BC", "20000-01-01 00:00:00+00"])
def test_what_python_has_no_instant_for_is_refused_as_by_django(text: str) -> None:
    with pytest.raises(DataError):
        read(text)
