"""Advisory locks, until the transaction ends. Per scope: stores of claims share the lock, a decision about claims holds
it alone. Of any other name: `alone`.

A store takes the lock of its scope shared; a dismissal, forget, restore or lift takes it exclusively; each before any
row is locked and until its transaction ends. So no store can pass between a decision and its tombstone.
Check-then-insert loses this race, also with ON CONFLICT.

What is stored into a shared scope meets the dismissals of every scope, since all of them read it: such a store shares
one more lock, which each decision in any scope holds alone.
"""

from collections.abc import Collection, Iterable, Sequence

from django.db import connection

from memories.values.trust import SHARED_SCOPES

SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended(name, 0)) FROM unnest(%s::text[]) AS name"
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(%s::text[]) AS name"
OF_ALL_SCOPES = "memos:claims of all scopes"


def to_store(*scopes: str) -> None:
    """Take shared locks before an automatic write of claims into these scopes, and of the shared scope."""
    _take(SHARED, to_store_into(*scopes))


def to_decide(*scopes: str) -> None:
    """Take exclusive locks before a decision that later stores into these scopes, and into shared ones, respect."""
    _take(ALONE, [OF_ALL_SCOPES, *_names(scopes)])


def to_import(store_scopes: Collection[str], decision_scopes: Collection[str]) -> None:
    """Take the locks of a batch that stores into some scopes and brings dismissals into others, in one pass by name."""
    exclusive_places = {_place(scope) for scope in decision_scopes}
    shared_places = {_place(scope) for scope in ("", *store_scopes)} - exclusive_places
    if exclusive_places or any(scope in SHARED_SCOPES for scope in store_scopes):
        _take(ALONE if exclusive_places else SHARED, [OF_ALL_SCOPES])
    for place in sorted(exclusive_places | shared_places):
        _take(ALONE if place in exclusive_places else SHARED, _names([place]))


def to_store_into(*scopes: str) -> list[str]:
    """The names of the locks that a store into these scopes shares, in the order in which all take them, which prevents
    deadlocks."""
    of_all = [OF_ALL_SCOPES] if any(scope in SHARED_SCOPES for scope in scopes) else []
    return [*of_all, *_names(["", *scopes])]


def alone(*names: str) -> None:
    """Take the exclusive locks of these names, in this order; those of subjects and keys after `to_store`."""
    _take(ALONE, names)


def name_of_key(scope: str, key: str) -> str:
    return f"memos:key:{scope}/{key}"


def _take(statement: str, names: Sequence[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(names)])


def _names(scopes: Iterable[str]) -> list[str]:
    return [f"memos:claims:{place}" for place in sorted({_place(scope) for scope in scopes})]


def _place(scope: str) -> str:
    return "" if scope in SHARED_SCOPES else scope
