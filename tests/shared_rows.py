"""Rows that many tests of a file begin with are written once.

The tests of a file that ask for the same rows follow each other; each one runs in a savepoint after them. A test that
commits writes them for itself. For the database they are all of one moment: its `now()` is when the rows were begun.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from typing import Any, TypeVar

import pytest
from django.db import transaction

Made = TypeVar("Made")


def shared_rows(make: Callable[[], Made]) -> Any:
    """A fixture of what this function writes and returns; each test gets a copy of what is returned."""

    @wraps(make)
    def rows(db: None) -> Made:
        return deepcopy(_standing[make]) if make in _standing else make()

    rows.__dict__["make"] = make
    del rows.__wrapped__  # whose arguments pytest would read
    return pytest.fixture(rows)


_standing: dict[Callable[[], Any], Any] = {}  # at most one, and what it returned
_around = transaction.atomic()


def wanted(test: pytest.Item) -> Callable[[], Any] | None:
    """What writes the rows that the test begins with."""
    if _commits(test):
        return None
    fixtures = [found[-1].func for found in test._fixtureinfo.name2fixturedefs.values()]  # type: ignore[attr-defined]
    makers = [vars(fixture)["make"] for fixture in fixtures if "make" in getattr(fixture, "__dict__", ())]
    assert len(makers) < 2, f"{test.nodeid} wants rows of {len(makers)} functions"
    return makers[0] if makers else None


def _commits(test: pytest.Item) -> bool:
    marker = test.get_closest_marker("django_db")
    fixtures: list[str] = test.fixturenames  # type: ignore[attr-defined]
    return (
        "transactional_db" in fixtures or "live_server" in fixtures or bool(marker and marker.kwargs.get("transaction"))
    )


def begin(make: Callable[[], Any]) -> None:
    if make in _standing:
        return
    _around.__enter__()
    try:
        _standing[make] = make()
    except BaseException:
        end()
        raise


def end() -> None:
    """The rows are gone."""
    _standing.clear()
    transaction.set_rollback(True)
    _around.__exit__(None, None, None)


def are_standing() -> bool:
    return bool(_standing)
