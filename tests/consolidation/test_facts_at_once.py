"""Two workers write the facts of one scope at once, the one with rows that it read before the other wrote them."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction

from consolidation.consolidation_run import AFTER
from consolidation.models.arguments import ArgumentFact
from consolidation.pipelines import sightings
from consolidation.pipelines.facts import write_facts
from memories.lifecycle import removal
from memories.models import Memory
from tests.at_once import at_once
from tests.consolidation.experience import NOON
from tests.consolidation.test_argument_facts import facts, refund

pytestmark = pytest.mark.django_db(transaction=True)
SCOPE, LATER = "project:acme", NOON + timedelta(days=300)
FIRST, SECOND = "refund_payment", "void_payment"  # in the order in which they are written


@pytest.fixture(autouse=True)
def _counted() -> None:
    for tool in (FIRST, SECOND):
        for n in range(8):
            refund(right=n % 4 != 3, tool=tool)
    count()


def count() -> None:
    sightings.digest(SCOPE, at=LATER, after=AFTER)


def written(meanwhile: Callable[[], object]) -> Counter[str]:
    """Facts are written by a worker that has read both, and has written the first before `meanwhile` is done."""
    done: list[object] = []

    def once(_: int, counters: Counter[str]) -> None:
        if not done:
            done.append(at_once(meanwhile))

    return write_facts(SCOPE, at=LATER, checkpoint=once)


def test_a_fact_that_another_worker_has_written_meanwhile_stays_as_it_is() -> None:
    counters = written(lambda: write_facts(SCOPE, at=LATER))
    assert counters == Counter(facts_created=1)
    rows = ArgumentFact.objects.order_by("tool")
    assert [(row.memory, row.words, row.due, row.attempts) for row in rows] == [
        (memory, memory.content, False, 0) for memory in facts()
    ]
    assert [memory.evidence.count() for memory in facts()] == [8, 8]


def test_a_fact_with_new_runs_meanwhile_is_written_with_all_of_them() -> None:
    def meanwhile() -> None:
        write_facts(SCOPE, at=LATER)
        refund(right=True, tool=SECOND)
        count()

    assert written(meanwhile) == Counter(facts_created=1)
    (row,) = ArgumentFact.objects.filter(tool=SECOND)
    assert row.memory is not None
    assert (row.due, row.shown.uncounted().count(), row.memory.evidence.count()) == (False, 0, 9)


def test_a_fact_whose_memory_is_removed_meanwhile_does_not_fail() -> None:
    write_facts(SCOPE, at=LATER)
    for tool in (FIRST, SECOND):
        refund(right=True, tool=tool)
    count()
    memory = Memory.objects.get(argumentfact__tool=SECOND)

    def remove() -> None:
        with transaction.atomic():
            removal.remove([memory.pk])

    assert written(remove) == Counter()
    assert ArgumentFact.objects.get(tool=SECOND).memory is None
