"""What people dismissed or took back, and what expired: the rules meet it and do not bring it back."""

import pytest

from memories.intake import revisions
from memories.models import Evidence, Memory, Tombstone
from memories.values.choices import Status
from memories.values.trust import SYSTEM
from tests.consolidation.plugins import (
    ACME,
    EMAIL,
    LATER,
    MORNING,
    days,
    follow,
    found,
    keys,
    ran,
    ruled,
    seen_thrice,
    stands,
)
from tests.make import ANNA

pytestmark = pytest.mark.django_db


def test_a_dismissed_pattern_stays_dismissed_and_it_is_said_that_it_came_again() -> None:
    memory = seen_thrice()
    memory.dismiss(by=ANNA, why="noise", at=MORNING + days(3))
    for n in range(4, 8):
        ran(at=MORNING + days(n), **EMAIL)
    done = ruled()
    assert keys("p01") == set()
    assert done.counters["suppressed"] == 4
    assert Tombstone.objects.get(memory_id=memory.pk).hits == 4
    assert memory.evidence.filter(kind=Evidence.Kind.SUPPRESSED).count() == 1


def test_a_dismissed_pattern_stays_dismissed_in_whatever_words_a_person_had_put_it() -> None:
    memory = seen_thrice()
    memory.edit({"content": "Answer Acme within a day"}, by=ANNA, at=MORNING + days(3))
    memory.dismiss(by=ANNA, why="", at=MORNING + days(3))
    ran(at=MORNING + days(4), **EMAIL)
    ruled()
    assert keys("p01") == set()


def test_dismissing_one_pattern_does_not_dismiss_another_that_reads_like_it() -> None:
    for n in range(3):
        ran(at=MORNING + days(n), company="Acme", category="newsletter")
    ruled()
    memory = found("p01-acme-newsletter")
    memory.dismiss(by=ANNA, why="", at=MORNING + days(3))
    for n in range(4, 12):
        ran(at=MORNING + days(n), company="Acme", category="invoice")
    ruled()
    other = found("p01-acme-invoice")
    assert other.resembles is not None
    assert other.status == Status.CANDIDATE


def test_the_other_way_round_is_another_workflow() -> None:
    for n in range(3):
        follow("P01", "P06", day=n)
    ruled()
    pair = found("workflow-seq-p01-p06")
    pair.dismiss(by=ANNA, why="", at=MORNING + days(3))
    for n in range(4, 7):
        follow("P06", "P01", day=n)
    ruled()
    assert keys("workflow") == {"workflow-seq-p06-p01"}


def test_what_expired_begins_anew_with_what_came_after() -> None:
    seen_thrice(at=MORNING + days(3))
    Memory.objects.filter(key=ACME).update(expires_at=MORNING + days(4))
    for day in (3.5, 5.5, 6.5):
        ran(at=MORNING + days(day), **EMAIL)
    ruled(at=MORNING + days(5))  # removes it: from here it counts
    assert keys("p01") == set()
    ran(at=MORNING + days(7.5), **EMAIL)
    ruled()
    assert stands(ACME) == (20, 0)
    assert Evidence.objects.filter(memory=found(ACME)).count() == 3


def test_a_restored_pattern_is_confirmed_again() -> None:
    memory = seen_thrice()
    memory.dismiss(by=ANNA, why="", at=LATER)
    memory.restore(by=ANNA, at=LATER)
    ran(at=MORNING + days(5), **EMAIL)
    ruled()
    assert stands(ACME) == (35, 1)


def test_what_was_taken_back_does_not_come_again() -> None:
    memory = seen_thrice()
    revisions.retract(memory, by=SYSTEM, why="wrong", at=LATER)
    for n in range(4, 8):
        ran(at=MORNING + days(n), **EMAIL)
    assert ruled().counters["suppressed"] == 4
    assert keys("p01") == set()
