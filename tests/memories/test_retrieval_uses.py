"""A search counts one use of what it gives to an agent, and waits for nobody to do so."""

import pytest
from django.db import connection, transaction

from memories.models import Memory
from memories.values.choices import ActorKind
from memories.values.trust import Actor, Trust
from tests.make import AT
from tests.memories.searched import find, known, said, talk

pytestmark = pytest.mark.django_db
AGENT = Trust(Actor(ActorKind.AGENT, "bot", "7"), max_sensitivity=2)


def test_agents_use_the_first_ten_and_people_none() -> None:
    for number in range(12):
        known(f"Acme pays bill {number}")
    find("Acme", limit=12)
    assert not Memory.objects.filter(times_used__gt=0).exists()
    found = find("Acme", limit=12, by=AGENT)
    used = {result.memory.pk for result in found.results[:10]}
    assert set(Memory.objects.filter(times_used=1, last_used_at=AT).values_list("pk", flat=True)) == used


def test_an_episode_found_by_several_passages_is_used_once() -> None:
    memory = talk("Anna: the parcel broke", "Ben: which parcel broke?")
    assert len(find("parcel", unit="passage", by=AGENT).results) == 2
    assert Memory.objects.get(pk=memory.pk).times_used == 1


@pytest.mark.django_db(transaction=True)
def test_what_is_written_with_a_use_is_as_durable_as_before() -> None:
    def durability() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return str(cursor.fetchone()[0])

    memory, usual = known("Acme pays now"), durability()
    with transaction.atomic():
        Memory.objects.count_use([memory.pk], at=AT)
        assert durability() == usual
    Memory.objects.count_use([memory.pk], at=AT)
    assert (durability(), Memory.objects.get().times_used) == (usual, 2)


@pytest.mark.django_db(transaction=True)
def test_a_row_that_somebody_holds_is_not_waited_for() -> None:
    held, free = known("Acme pays now"), known("Acme pays later")
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT 1 FROM memories_memory WHERE id = %s FOR UPDATE", [held.pk])
        assert len(said(find("Acme", by=AGENT))) == 2
        cursor.execute("ROLLBACK")
    other.close()
    assert [Memory.objects.get(pk=row.pk).times_used for row in (held, free)] == [0, 1]
