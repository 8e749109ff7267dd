"""Two who revise the same at once: one wins, the other is told. Each thread here has its own connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from memories.models import Memory, Relation, Tombstone
from memories.values.exceptions import Conflict
from tests.at_once import at_once
from tests.make import ANNA, AT
from tests.memories.revising import ask, own

pytestmark = pytest.mark.django_db(transaction=True)


def asking(verb: str, *memories: Memory, ref: str = "") -> Callable[[], str]:
    def press() -> str:
        try:
            return str(ask(verb, *memories, ref=ref, content="Acme pays late").batch)
        except Conflict as conflict:
            return f"told: {conflict}"

    return press


@pytest.mark.parametrize(
    ("first", "second"),
    [("supersede", "supersede"), ("retract", "retract"), ("contest", "contest"), ("supersede", "retract")],
)
def test_of_two_at_once_one_wins_and_the_other_is_told(first: str, second: str) -> None:
    memory = own(key="acme")
    said = at_once(asking(first, memory, ref="x"), asking(second, memory, ref="y"))
    assert sum(one.startswith(f"told: cannot {verb}") for one in said for verb in {first, second}) == 1
    assert Memory.objects.live().filter(key="acme").count() <= 1


def test_merges_that_cross_each_other_do_not_wait_for_ever() -> None:
    a, b, c = own("a"), own("b"), own("c")
    said = at_once(asking("merge", a, b), asking("merge", b, a), asking("merge", c, b, a))
    assert sum(one.startswith("told") for one in said) == 2
    assert Memory.objects.live().count() in (1, 2)


def test_two_that_contest_each_other_do_not_wait_for_ever() -> None:
    for _ in range(10):
        a, b = own("a"), own("b")
        at_once(asking("contest", a, ref=str(b.pk)), asking("contest", b, ref=str(a.pk)))
        assert Relation.objects.filter(source__in=(a, b)).count() == 2


def test_a_revision_waits_for_a_dismissal_that_is_under_way_and_meets_its_tombstone() -> None:
    old, wrong = own("Acme sleeps"), own("Acme pays late", category="fact")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            wrong.dismiss(by=ANNA, why="wrong", at=AT)
            asked = pool.submit(alone, asking("supersede", old))
            until_somebody_waits()
        asked.result(10)
    assert Tombstone.objects.get().hits == 1
    assert Memory.objects.live().get().pk == old.pk


def alone(press: Callable[[], str]) -> str:
    try:
        return press()
    finally:
        connection.close()


def until_somebody_waits() -> None:
    """For the claims of the scope: else the revision would not meet what is not yet committed."""
    with connection.cursor() as cursor:
        for _ in range(20_000):
            cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            if cursor.fetchone() != (0,):
                return
    raise AssertionError("nobody waits")
