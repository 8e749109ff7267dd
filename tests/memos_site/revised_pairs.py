"""Rows of which a revision, a proposal or an agent tells something: who may see only the lower one of two hears nothing
of the higher."""

from dataclasses import dataclass
from random import Random
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from memories.intake import revisions
from memories.intake.reports import revisions as bodies
from memories.intake.revisions.revising import Change
from memories.models import Agent, Memory
from memories.values.choices import Permission, Sensitivity, Status
from memories.values.trust import Actor, Trust, everything
from tests.make import ANNA, make_agent, make_memory

NEW = {"content": "Both of them hold", "payload": {"evidence": [{"source_type": "mail", "source_id": "1"}]}}
VERBS = ("merge", "contest", "supersede", "promote")


@dataclass
class Pair:
    """`low` and `high` are of one scope; `word` speaks of the high one, wherever it stands."""

    word: str
    low: Memory
    high: Memory
    made: Memory
    proposal: UUID
    agent: Agent

    @property
    def ids(self) -> list[str]:
        """Of the rows that only who sees the high one may know of."""
        return [str(self.high.pk), str(self.made.pk)]

    def is_seen_by(self, trust: Trust) -> bool:
        return all(trust.sees(row) for row in (self.low, self.high))

    def agent_is_seen_by(self, trust: Trust) -> bool:
        within = trust.scopes is None or set(self.agent.scopes) <= trust.scopes
        return trust.may(Permission.REVIEW) and within and self.agent.clearance <= trust.max_sensitivity


def make_pair(number: int, draw: Random, scope: str) -> Pair:
    """The high one was raised only after a merger of both had been proposed, where that is drawn."""
    word, verb = f"pair{number}", draw.choice(VERBS)
    low, high = sorted(draw.sample(range(5), 2))
    facts: dict[str, Any] = {"scope": scope, "status": "confirmed"}
    lower = make_memory(f"Acme pays on net-{number} terms", sensitivity=low, **facts)
    higher = make_memory(f"Beta pays on net-{number} terms", sensitivity=low, **facts)
    proposal = _propose(lower, higher, word)
    higher.edit({"sensitivity": high}, by=ANNA, at=timezone.now())
    made = _promote(lower, higher, word) if verb == "promote" else _revise(verb, lower, higher, word)
    agent, _ = make_agent(f"keeper{number}", clearance=Sensitivity(high), scopes=[scope or "project:gamma"])
    return Pair(word, lower, higher, made, proposal, agent)


def _propose(lower: Memory, higher: Memory, word: str) -> UUID:
    stranger = Trust(Actor(ANNA.kind.AGENT, "P09", "9"), Sensitivity.HYPER, permissions=frozenset({"read"}))
    change = Change("merge", f"{word} says the same", bodies.check(bodies.NewMemory, NEW))
    asked = revisions.ask(change, [lower.pk, higher.pk], trust=stranger, at=timezone.now())
    assert asked.proposal is not None
    return asked.proposal


def _promote(lower: Memory, higher: Memory, word: str) -> Memory:
    """Both by one decision, with one reason."""
    batch = uuid4()
    for row in (lower, higher):
        row.promote(to=Status.APPLIED, by=ANNA, at=timezone.now(), why=f"{word} is why", batch=batch)
    return higher


def _revise(verb: str, lower: Memory, higher: Memory, word: str) -> Memory:
    """What came of it, at the level of the higher one."""
    said = bodies.check(bodies.NewMemory, {**NEW, "sensitivity": Sensitivity(higher.sensitivity).label})
    about: dict[str, Any] = {"ref": str(higher.pk)} if verb == "contest" else {"new": said}
    change = Change(verb, f"{word} is why", **about)
    ids = [lower.pk, higher.pk] if verb == "merge" else [lower.pk]
    done = revisions.ask(change, ids, trust=everything(ANNA), at=timezone.now())
    assert done.memory is not None
    return higher if verb == "contest" else done.memory
