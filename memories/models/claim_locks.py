"""Advisory locks per scope: stores of claims share the lock, a decision about claims holds it alone.

A store takes the lock of its scope shared; a dismissal, forget, restore or lift takes it exclusively; each before any
row is locked and until its transaction ends. So no store can pass between a decision and its tombstone.
Check-then-insert loses this race, also with ON CONFLICT.
"""

from collections.abc import Iterable

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


def _take(statement: str, scopes: Iterable[str]) -> None:
    """Lock scopes in the order of their names, which prevents deadlocks."""
    places = sorted({"" if scope in SHARED_SCOPES else scope for scope in scopes})
    with connection.cursor() as cursor:
        cursor.execute(statement, [[f"memos:claims:{place}" for place in places]])
