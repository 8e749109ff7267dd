"""Contest a memory by another one or by words: it waits for a person, and its adaptation ends."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories.intake.revisions.undoing import related
from memories.models import Evidence, Memory, Relation
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.models.relation import CONTESTED_BY
from memories.values.choices import LIVE, Status
from memories.values.trust import Actor

CONTESTABLE = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED)


def contest_with(
    memory: Memory, other: Memory, *, by: Actor, why: str, at: datetime, batch: UUID | None = None
) -> None:
    """Contest `memory` by `other`, which stays as it is."""
    with transaction.atomic():
        memory.lock_for("contest", CONTESTABLE)
        Relation.objects.get_or_create(source=memory, predicate=CONTESTED_BY, target=other)
        relation = related(memory, CONTESTED_BY, other)
        change = {"status": Status.CONTESTED}
        memory.revise("contest", change, by=by, why=why, at=at, batch=batch, noted=relation)


def contest_by_words(
    memory: Memory, words: str, *, by: Actor, why: str, at: datetime, batch: UUID | None = None
) -> None:
    """Contest `memory` by `words`, which become evidence against it; without any it is only contested."""
    with transaction.atomic():
        memory.lock_for("contest", CONTESTABLE)
        if words:
            Evidence.objects.create(
                memory=memory,
                occasion=f"request:{uuid7()}",
                kind=Evidence.Kind.CONTRADICTS,
                at=at,
                made_by=by.name[:200],
                made_by_id=by.identity,
                snapshot=words[:LONGEST_SNAPSHOT],
            )
        memory.revise("contest", {"status": Status.CONTESTED}, by=by, why=why, at=at, batch=batch)


def contest(old: Memory, new: Memory, *, by: Actor, why: str, at: datetime, batch: UUID | None = None) -> None:
    """Contest two statements that cannot both hold: neither does until a person has decided."""
    batch = batch or uuid7()
    with transaction.atomic():
        for memory, other in ((old, new), (new, old)):
            memory.lock_for("contest", LIVE)
            if memory.status != Status.CONTESTED:
                change, noted = {"status": Status.CONTESTED}, related(memory, CONTESTED_BY, other)
                memory.revise("contest", change, by=by, why=why, at=at, batch=batch, noted=noted)
            Relation.objects.get_or_create(source=memory, predicate=CONTESTED_BY, target=other)
