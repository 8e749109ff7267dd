"""What is erased leaves no name, no key and no trail, also when it was forgotten before."""

import pytest

from memories import lifecycle
from memories.models import Adaptation, AuditEntry, Memory, Tombstone
from memories.values.choices import Status
from memories.values.exceptions import NotFound
from memories.values.trust import Trust, everything
from tests.everywhere import tables_with
from tests.make import ANNA, AT, make_memory

pytestmark = pytest.mark.django_db
PERSON = everything(ANNA)


def make_named() -> Memory:
    """With a telling key, and a behaviour."""
    memory = make_memory("Likes quokkas", key="quokka-lover", category="preference", status=Status.CONFIRMED)
    memory.promote(to=Status.APPLIED, by=ANNA, at=AT)
    return memory


def test_no_key_no_tombstone_and_no_trail_is_left() -> None:
    memory = make_named()
    receipt = lifecycle.erase(memory.pk, trust=PERSON, at=AT)
    assert receipt == lifecycle.Receipt(memory.pk, adaptations_reverted=1)
    assert tables_with("quokka") == set()
    assert tables_with(str(memory.pk)) == set()
    assert not (Memory.objects.exists() or Tombstone.objects.exists() or Adaptation.objects.exists())


def test_what_was_forgotten_leaves_its_key_until_it_is_erased() -> None:
    memory = make_named()
    lifecycle.forget(memory, trust=PERSON, at=AT)
    assert tables_with("quokka") == {"memories_tombstone"}
    assert lifecycle.erase(memory.pk, trust=PERSON, at=AT) == lifecycle.Receipt(memory.pk)
    assert tables_with("quokka") == tables_with(str(memory.pk)) == set()


def test_that_something_was_erased_and_by_whom_is_known() -> None:
    lifecycle.erase(make_named().pk, trust=PERSON, at=AT)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.at, entry.label, entry.before) == ("erase", "anna", AT, "", {})


def test_a_dry_run_touches_nothing() -> None:
    memory = make_named()
    assert lifecycle.erase(memory.pk, trust=PERSON, at=AT, dry_run=True).adaptations_reverted == 1
    assert AuditEntry.objects.about("memory", memory.pk).count() == 1


def test_what_may_not_be_seen_is_not_there() -> None:
    memory = make_memory(sensitivity=4)
    memory.audit("create", by=ANNA, at=AT).save(force_insert=True)
    blind = Trust(ANNA, max_sensitivity=2, permissions=PERSON.permissions)
    for _ in range(2):
        with pytest.raises(NotFound):
            lifecycle.erase(memory.pk, trust=blind, at=AT)
        if Memory.objects.exists():
            lifecycle.forget(memory, trust=PERSON, at=AT)
    assert AuditEntry.objects.about("memory", memory.pk).exists()


def test_others_keep_what_they_have() -> None:
    make_memory("Another likes quokkas", key="quokka-too")
    lifecycle.erase(make_named().pk, trust=PERSON, at=AT)
    assert tables_with("quokka") == {"memories_memory"}
