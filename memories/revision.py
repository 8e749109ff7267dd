"""One memory takes the place of another, or stands beside or against it. One transaction each; evidence stays."""

from datetime import datetime

from django.db import transaction

from memories.choices import LIVE, ActorKind, Hold, Permission, Status
from memories.models import Evidence, Memory, Relation
from memories.models.relation import CONTESTED_BY, DERIVED_FROM, SUPERSEDES
from memories.trust import Actor, Trust

REVISABLE = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED, Status.CONTESTED)


def is_own(memory: Memory, trust: Trust) -> bool:
    """Made by this agent, no other agent's evidence, no hold, not applied: what it may revise without a person."""
    if trust.actor.kind == ActorKind.PERSON or trust.may(Permission.REVIEW):
        return True
    me = trust.actor.identity
    mine = memory.created_by_id == me and memory.hold == Hold.NONE and memory.status != Status.APPLIED
    return mine and not Evidence.objects.filter(memory=memory).exclude(made_by="").exclude(made_by_id=me).exists()


def supersede(old: Memory, new: Memory, *, by: Actor, why: str, at: datetime) -> None:
    """`new`, which is stored already, takes the place of `old`. Conflict when the old one is not live any more."""
    with transaction.atomic():
        old.lock_for("supersede", LIVE)
        revision = {**old.payload.get("revision", {}), "superseded_by": str(new.pk), "status": "superseded"}
        change = {"status": Status.SUPERSEDED, "payload": {**old.payload, "revision": revision}}
        old.revise("supersede", change, by=by, why=why, at=at)
        Relation.objects.get_or_create(source=new, predicate=SUPERSEDES, target=old)


def fork(old: Memory, new: Memory, *, at: datetime) -> None:
    """Both live on; the new one says where it comes from."""
    Relation.objects.get_or_create(source=new, predicate=DERIVED_FROM, target=old)


def contest(old: Memory, new: Memory, *, by: Actor, why: str, at: datetime) -> None:
    """Two statements that cannot both hold: neither does until a person has decided."""
    with transaction.atomic():
        for one, other in ((old, new), (new, old)):
            one.lock_for("contest", LIVE)
            if one.status != Status.CONTESTED:
                one.revise("contest", {"status": Status.CONTESTED}, by=by, why=why, at=at)
            Relation.objects.get_or_create(source=one, predicate=CONTESTED_BY, target=other)
