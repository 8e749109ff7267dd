"""Advisory locks per scope: stores of claims share the lock, a decision about claims holds it alone.

A store takes the lock of its scope shared; a dismissal, forget, restore or lift takes it exclusively; each before any
row is locked and until its transaction ends. So no store can pass between a decision and its tombstone.
Check-then-insert loses this race, also with ON CONFLICT.
"""

from collections.abc import Iterable, Sequence

from django.db import connection

from memories.values.trust import SHARED_SCOPES

SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended(name, 0)) FROM unnest(%s::text[]) AS name"
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(%s::text[]) AS name"


def to_store(*scopes: str) -> None:
    """Take shared locks before an automatic write of claims into these scopes, and of the shared scope."""
    _take(SHARED, {"", *scopes})


def to_decide(*scopes: str) -> None:
    """Take exclusive locks before a decision that later stores into these scopes must respect."""
    _take(ALONE, scopes)


def to_import(stored: Iterable[str], decided: Iterable[str]) -> None:
    """Take the locks of a batch that stores into some scopes and brings dismissals into others, in one pass by name."""
    alone = {_place(scope) for scope in decided}
    shared = {_place(scope) for scope in ("", *stored)} - alone
    with connection.cursor() as cursor:
        for place in sorted(alone | shared):
            cursor.execute(ALONE if place in alone else SHARED, [[f"memos:claims:{place}"]])


def names(*scopes: str) -> list[str]:
    """The names of the locks of these scopes, in the order in which all take them, which prevents deadlocks."""
    return [f"memos:claims:{place}" for place in sorted({_place(scope) for scope in scopes})]


def to_state(names: Sequence[str]) -> None:
    """Take the exclusive locks of subjects and keys, in this order, after `to_store`."""
    with connection.cursor() as cursor:
        cursor.execute(ALONE, [list(names)])


def name_of_key(scope: str, key: str) -> str:
    return f"memos:key:{scope}/{key}"


def _take(statement: str, scopes: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [names(*scopes)])


def _place(scope: str) -> str:
    return "" if scope in SHARED_SCOPES else scope
