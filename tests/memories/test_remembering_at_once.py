"""Stores that meet each other, or a dismissal, at the same instant."""

import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from memories.intake import claims
from memories.intake.claims import WriteResult
from memories.intake.reports.claims import read
from memories.models import AuditEntry, Evidence, Memory, Tombstone
from memories.values.trust import everything
from tests.at_once import at_once
from tests.make import AT, make_memory
from tests.memories.racers import said

pytestmark = pytest.mark.django_db(transaction=True)
RACES = int(os.environ.get("MEMOS_TEST_RACES", "40"))  # 1,000 where there is time


def store(key: str = "k", content: str = "Acme pays on net-30 terms", **more: object) -> WriteResult:
    body = {"key": key, "category": "fact", "content": content, "source": "P01", **more}
    return claims.store(read(body), trust=everything(), at=AT)


def test_first_stores_at_once_are_one_row_and_one_creation() -> None:
    stored = at_once(*[store] * 4)
    assert sorted(one.created for one in stored) == [False, False, False, True]
    row = Memory.objects.get()
    assert (row.confidence, row.times_confirmed) == (65, 3)
    assert AuditEntry.objects.filter(action="create").count() == 1


def test_stores_of_one_thread_at_once_confirm_once() -> None:
    store()
    at_once(*[lambda: store(thread_id="t1")] * 4)
    assert Memory.objects.get().times_confirmed == 1
    assert Evidence.objects.filter(kind="reinforced").count() == 1


def test_stores_of_other_claims_at_once_leave_one_claim() -> None:
    contents = [f"Acme pays on net-{days} terms" for days in (30, 45, 60, 90)]
    at_once(*[lambda content=content: store(content=content) for content in contents])
    assert Memory.objects.get().content in contents


@contextmanager
def racer(role: str, scope: str = "") -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.memories.racers", str(connection.settings_dict["NAME"]), role, scope]
    root = Path(__file__).resolve().parents[2]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        command, cwd=root, env=os.environ | {"MEMOS_DATA_DIR": str(settings.DATA_DIR)}, **pipes
    ) as one:  # type: ignore[call-overload]
        try:
            assert one.stdout.readline() == "ready\n"
            yield one
        finally:
            one.kill()


def test_no_store_passes_between_a_dismissal_and_its_tombstone() -> None:
    alone: set[str] = set()
    with racer("store") as storing, racer("dismiss") as dismissing:
        for number in races(alone):
            make_memory(said(number), key=f"k{number}", category="fact")
            answers = race(number, *((storing, dismissing) if number % 2 else (dismissing, storing)))
            alone |= {f"twin-{number}"} if "alone" in answers else set()
    live = set(Memory.objects.live().values_list("key", flat=True))
    assert not live & alone
    assert live == {f"twin-{n}" for n in range(number + 1)} - alone
    assert Memory.objects.filter(status="dismissed").count() == Tombstone.objects.count() == number + 1
    assert 0 < len(alone) <= number, "one of them always came first: this was no race"


def test_no_store_for_all_scopes_passes_between_a_dismissal_in_one_and_its_tombstone() -> None:
    alone: set[int] = set()
    with racer("store") as storing, racer("dismiss", "project:q1") as dismissing:
        for number in races(alone):
            make_memory(said(number), key=f"k{number}", category="fact", scope="project:q1")
            answers = race(number, *((storing, dismissing) if number % 2 else (dismissing, storing)))
            alone |= {number} if "alone" in answers else set()
    twins = Memory.objects.live().filter(scope="")
    assert set(twins.values_list("status", flat=True)) == {"candidate"}
    missed = twins.exclude(withheld_from=["project:q1"]).values_list("key", flat=True)
    assert (twins.count(), list(missed)) == (2 * (number + 1), [])
    assert 0 < len(alone) <= number, "one of them always came first: this was no race"


def races(alone: Collection[object]) -> Iterator[int]:
    """At least RACES, and then until each has come first once; `alone` says in which the dismissal did."""
    yield from range(RACES)
    yield from takewhile(lambda number: not 0 < len(alone) < number, range(RACES, 25 * RACES))


def race(number: int, *racers: "subprocess.Popen[str]") -> set[str]:
    for one in racers:
        assert one.stdin
        one.stdin.write(f"{number}\n")
        one.stdin.flush()
    return {one.stdout.readline().strip() for one in racers if one.stdout}
