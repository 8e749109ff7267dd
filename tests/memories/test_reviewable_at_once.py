"""Two people who press at once: one wins, the other is told. Each thread here has its own connection."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from memories.models import AuditEntry, Memory
from memories.values.exceptions import Conflict
from memories.values.trust import Actor
from tests.at_once import at_once
from tests.make import ANNA, AT, BEN, make_memory

pytestmark = pytest.mark.django_db(transaction=True)


def pressing(memory: Memory, verb: str, by: Actor) -> Callable[[], str]:
    def press() -> str:
        seen = Memory.objects.get(pk=memory.pk)
        why = {"why": "wrong"} if verb == "dismiss" else {}
        try:
            getattr(seen, verb)(by=by, at=AT, **why)
        except Conflict as conflict:
            return str(conflict)
        return by.name

    return press


@pytest.mark.parametrize(("first", "second"), [("dismiss", "dismiss"), ("promote", "promote"), ("restore", "restore")])
def test_of_two_at_once_one_wins_and_one_is_told_who(first: str, second: str) -> None:
    memory = make_memory(status="dismissed" if first == "restore" else "candidate")
    said = at_once(pressing(memory, first, ANNA), pressing(memory, second, BEN))
    [winner] = [one for one in said if one in ("anna", "ben")]
    [told] = [one for one in said if one not in ("anna", "ben")]
    after = Memory.objects.get()
    assert told == f"cannot {first} a memory that is {after.status} ({first} by {winner})"
    assert after.version == 2
    assert AuditEntry.objects.get().actor == winner


def test_of_many_promotions_and_dismissals_at_once_the_trail_tells_the_order() -> None:
    memory = make_memory()
    at_once(*[pressing(memory, verb, by) for by in (ANNA, BEN) for verb in ("promote", "dismiss", "restore")])
    entries = AuditEntry.objects.order_by("subject_version")
    assert [entry.subject_version for entry in entries] == list(range(2, entries.count() + 2))
    for former, later in pairwise(entries):
        assert former.after["status"] == later.before["status"]
    assert entries[entries.count() - 1].after["status"] == Memory.objects.get().status
