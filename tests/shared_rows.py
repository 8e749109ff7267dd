"""Rows that many tests of a file begin with are written once.

The tests of a file that ask for the same rows follow each other; each one runs in a savepoint after them. A test that
commits writes them for itself. For the database they are all of one moment: its `now()` is when the rows were begun.
"""

from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from typing import Any, TypeVar

import pytest
from django.db import transaction

Made = TypeVar("Made")
Rows = tuple[Callable[..., Any], Hashable]  # what writes them, and of which parameter
ALONE = None  # where there is no parameter


def shared_rows(make: Callable[[], Made]) -> Any:
    """A fixture of what this function writes and returns; each test gets a copy of what is returned."""
    return pytest.fixture(_copies(make))


def shared_rows_of_seeds(seeds: Iterable[int]) -> Callable[[Callable[[int], Any]], Any]:
    """The same of a function of a seed; each test runs with each."""
    return lambda make: pytest.fixture(params=seeds, ids=lambda seed: f"seed{seed}")(_copies(make))


def _copies(make: Callable[..., Any]) -> Callable[..., Any]:
    def rows(db: None, request: pytest.FixtureRequest) -> Any:
        seed = getattr(request, "param", ALONE)
        if (make, seed) in _standing:
            return deepcopy(_standing[make, seed])
        return make() if seed is ALONE else make(seed)

    rows.__name__ = make.__name__
    rows.__dict__["make"] = make
    return rows


_standing: dict[Rows, Any] = {}  # at most one, and what it returned
_around = transaction.atomic()


def wanted(test: pytest.Item) -> Rows | None:
    """The rows that the test begins with."""
    if _commits(test):
        return None
    fixtures = {name: found[-1].func for name, found in test._fixtureinfo.name2fixturedefs.items()}  # type: ignore[attr-defined]
    seeds = test.callspec.params if hasattr(test, "callspec") else {}
    rows = [
        (vars(of)["make"], seeds.get(name)) for name, of in fixtures.items() if "make" in getattr(of, "__dict__", ())
    ]
    assert len(rows) < 2, f"{test.nodeid} wants rows of {len(rows)} functions"
    return rows[0] if rows else None


def place(test: pytest.Item) -> str:
    """Those with the same rows are at the same place, those without at the last."""
    make, seed = wanted(test) or (None, ALONE)
    return f"{make.__name__} {seed}" if make else "~"


def _commits(test: pytest.Item) -> bool:
    marker = test.get_closest_marker("django_db")
    fixtures: list[str] = test.fixturenames  # type: ignore[attr-defined]
    return bool({"transactional_db", "live_server"} & {*fixtures} or (marker and marker.kwargs.get("transaction")))


def begin(rows: Rows) -> None:
    if rows in _standing:
        return
    make, seed = rows
    _around.__enter__()
    try:
        _standing[rows] = make() if seed is ALONE else make(seed)
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
