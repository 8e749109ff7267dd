"""What the tests of revision ask for, and how a memory stands afterwards."""

from datetime import datetime
from typing import Any
from uuid import UUID

from memories.intake import revisions
from memories.intake.reports.revisions import NewMemory
from memories.intake.revisions import Revised
from memories.intake.revisions.revising import Change
from memories.models import Memory, Relation
from memories.values.choices import ActorKind, Permission
from memories.values.trust import Actor, Trust
from tests.make import AT, make_memory

EVIDENCE = {"evidence": [{"source_type": "mail", "source_id": "m-1"}]}
BOT = Actor(ActorKind.AGENT, "P01", "11111111-1111-7111-8111-111111111111")
OTHER = Actor(ActorKind.AGENT, "P02", "22222222-2222-7222-8222-222222222222")
JUDGE = Actor(ActorKind.PERSON, "judge", "9")
MAY = frozenset({Permission.READ.value, Permission.INGEST.value})


def agent(by: Actor = BOT, **facts: Any) -> Trust:
    return Trust(by, **{"permissions": MAY} | facts)


def person(**facts: Any) -> Trust:
    return Trust(JUDGE, **{"permissions": frozenset(Permission.values)} | facts)


def own(content: str = "Acme pays on net-30 terms", **facts: Any) -> Memory:
    """A memory that BOT made."""
    return make_memory(content, **{"created_by": BOT.name, "created_by_id": BOT.identity} | facts)


def ask(
    verb: str, *memories: Memory, trust: Trust | None = None, at: datetime = AT, ref: str = "", **said: Any
) -> Revised:
    """`said` is the new memory; without anything said there is none. What is said without a payload has evidence."""
    new = NewMemory.model_validate({"payload": EVIDENCE} | said) if verb in ("supersede", "fork", "merge") else None
    change = Change(verb, "because", new, ref)
    return revisions.ask(change, [memory.pk for memory in memories], trust=trust or agent(), at=at)


def made(revised: Revised) -> Memory:
    """The memory that came of it, as it is stored."""
    assert revised.memory is not None
    return Memory.objects.get(pk=revised.memory.pk)


def relations() -> set[tuple[UUID, str, UUID]]:
    return set(Relation.objects.values_list("source", "predicate", "target"))
