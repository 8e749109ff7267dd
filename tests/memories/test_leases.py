"""Leases: one worker at a time, on any number of hosts, and one that was replaced writes nothing more."""

import subprocess
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memories import leases
from memories.leases import LeaseLost, hold
from memories.models import Lease, Tombstone, claim_locks
from memos_site.platform import process_identity
from tests.at_once import at_once
from tests.memos_site.processes import until

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "consolidate:project:shop"
ELSEWHERE = "another host"
LOCKS: dict[str, Callable[[], object]] = {
    "of a row": lambda: Tombstone.objects.select_for_update().first(),
    "of a scope": claim_locks.to_store,
}


def write() -> None:
    Tombstone.objects.create(scope="", key="k", reason="wrong", by="anna", at=timezone.now(), sensitivity=1)


def take_over() -> int:
    """Another host does, after the holder was silent for too long."""
    Lease.objects.update(until=timezone.now() - timedelta(seconds=1))
    return Lease.objects.acquire(NAME, owner=ELSEWHERE, seconds=60)


def elsewhere(call: Callable[[], int]) -> int:
    return at_once(call)[0]


def test_of_several_at_once_one_has_it() -> None:
    fences = at_once(*[lambda: Lease.objects.acquire(NAME, owner=ELSEWHERE, seconds=60)] * 4)
    assert len([fence for fence in fences if fence]) == 1


def test_it_is_yielded_whether_it_was_acquired_and_gone_at_the_end() -> None:
    with hold(NAME, wait=False) as first, hold(NAME, wait=False) as second:
        assert first
        assert not second
    assert not Lease.objects.exists()


def test_a_waiter_has_it_when_the_holder_is_done() -> None:
    order: list[str] = []

    def later() -> None:
        with hold(NAME, wait=True):
            order.append("waiter")
        connection.close()

    with hold(NAME, wait=False):
        thread = threading.Thread(target=later)
        thread.start()
        order.append("holder")
    thread.join(20)
    assert order == ["holder", "waiter"]


def test_a_silent_holder_on_another_host_keeps_it_until_its_time_is_over() -> None:
    Lease.objects.acquire(NAME, owner=ELSEWHERE, seconds=60)
    with hold(NAME, wait=False) as acquired:
        assert not acquired
    Lease.objects.update(until=timezone.now() - timedelta(seconds=1))
    with hold(NAME, wait=False) as acquired:
        assert acquired


def test_a_holder_that_was_killed_on_this_host_is_replaced_at_once() -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        Lease.objects.acquire(NAME, owner=process_identity.identity(process.pid), seconds=60)
        with hold(NAME, wait=False) as acquired:
            assert not acquired
        process.kill()
        process.wait()
        with hold(NAME, wait=False) as acquired:
            assert acquired


def test_a_reused_process_id_another_boot_and_another_container_are_told_apart() -> None:
    place, pid, started = process_identity.identity().split("/")
    assert not process_identity.is_gone(f"{place}/{pid}/{started}")
    assert process_identity.is_gone(f"{place}/{pid}/{int(started) - 1}")
    assert not process_identity.is_gone(f"another boot:pid:[1]/{pid}/{int(started) - 1}")
    assert not process_identity.is_gone(ELSEWHERE)


def test_fences_only_grow() -> None:
    fences = []
    for _ in range(3):
        with hold(NAME, wait=False) as fence:
            fences.append(fence)
    assert fences == sorted(set(fences))


def test_one_that_was_replaced_can_write_nothing_more_within_a_transaction_or_outside() -> None:
    with pytest.raises(LeaseLost, match="another one took over"), hold(NAME, wait=False):
        elsewhere(take_over)
        with transaction.atomic():
            write()
    with pytest.raises(LeaseLost), hold(f"{NAME} of another", wait=False):
        Lease.objects.all().delete()
        write()
    assert not Tombstone.objects.exists()


def test_what_records_the_fault_of_an_item_does_not_take_it_for_one() -> None:
    recorded = []
    with pytest.raises(LeaseLost), hold(NAME, wait=False):
        elsewhere(take_over)
        try:
            write()
        except Exception as error:
            recorded.append(error)
    assert recorded == []


def test_one_that_was_replaced_leaves_the_lease_of_its_successor() -> None:
    with hold(NAME, wait=False):
        fence = elsewhere(take_over)
    assert Lease.objects.get().fence == fence


def test_nobody_takes_over_while_a_transaction_has_written_and_it_can_still_be_renewed() -> None:
    with hold(NAME, wait=False) as fence:
        with transaction.atomic():
            write()
            assert elsewhere(take_over) == 0
            assert elsewhere(lambda: Lease.objects.renew([fence], seconds=30)) == 1
            elsewhere(lambda: Lease.objects.update(until=timezone.now() - timedelta(seconds=1)))
            write()
        assert elsewhere(take_over)
    assert Tombstone.objects.count() == 2


def test_a_rolled_back_savepoint_confirms_the_lease_again() -> None:
    with pytest.raises(LeaseLost), hold(NAME, wait=False), transaction.atomic():
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            write()
            raise ZeroDivisionError
        assert elsewhere(take_over)
        write()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_confirms_the_lease_and_the_database_ends_its_transaction_when_it_is_silent(lock: str) -> None:
    with hold(NAME, wait=False):
        with transaction.atomic():
            LOCKS[lock]()
            assert elsewhere(take_over) == 0
            with connection.cursor() as cursor:
                cursor.execute("SHOW idle_in_transaction_session_timeout")
                assert cursor.fetchone() == ("2min",)
        assert elsewhere(take_over)
        with pytest.raises(LeaseLost), transaction.atomic():
            LOCKS[lock]()


def test_reading_needs_no_lease() -> None:
    with hold(NAME, wait=False):
        elsewhere(take_over)
        assert not Tombstone.objects.exists()


def test_it_is_renewed_while_the_block_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "SECONDS", 0.3)
    with hold(NAME, wait=False) as fence:
        first = Lease.objects.get(fence=fence).until
        until(
            lambda: Lease.objects.get(fence=fence).until > first + timedelta(seconds=1),
            seconds=30,
            what="a renewal, again and again",
        )
