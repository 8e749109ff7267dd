"""More random verbs, whose effects nobody foretells: what comes of them is only noted, for a look back in the end."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

from memories import lifecycle
from memories.intake import episodes, revisions
from memories.intake.claims import store
from memories.intake.edits import parse_edit
from memories.intake.reports import claims
from memories.intake.reports.events import WorkingStateReport
from memories.intake.reports.revisions import NewMemory
from memories.intake.revisions.revising import Change
from memories.lifecycle import confidence_decay, salience
from memories.models import Memory
from memories.values.choices import Type
from memories.values.exceptions import Conflict, Invalid, NotAllowed, NotFound
from memos_site import review
from tests.make import AT
from tests.memories.revising import EVIDENCE
from tests.rulebook.catalogue import STATEMENTS
from tests.rulebook.world import AGENTS, PEOPLE, PLACES

VERBS = {
    "store": 30,
    "decide": 14,
    "reword": 8,
    "revise": 10,
    "merge": 4,
    "move_salience": 5,
    "raise_or_lower": 5,
    "limit": 3,
    "work": 5,
    "use": 4,
    "many": 4,
    "undo": 8,
    "decay": 3,
    "forget": 3,
}
DECISIONS: dict[str, dict[str, Any]] = {
    "promote": {"to": "applied"},
    "demote": {"to": "candidate"},
    "dismiss": {"why": "wrong"},
    "restore": {},
    "pin": {},
    "snooze": {},
}


class FreeWorld:
    """`done` counts the verbs that were not refused."""

    def __init__(self, seed: int) -> None:
        self.random, self.at = Random(seed), AT
        self.done: Counter[str] = Counter()
        self.batches: list[UUID] = []

    def step(self) -> None:
        (verb,) = self.random.choices(list(VERBS), list(VERBS.values()))
        self.at += timedelta(minutes=1)
        act: Callable[[], object] = getattr(self, verb)
        try:
            act()
            self.done[verb] += 1
        except (Conflict, NotAllowed, NotFound, Invalid, LookupError, ValueError):  # also: there is none to choose
            pass

    def store(self) -> None:
        agent, said = self.random.choice(list(AGENTS)), self.random.choice(STATEMENTS)
        key, scope = f"{said.subject}-{self.random.choice('abc')}", self.random.choice(PLACES[agent])
        body = {"key": key, "content": said.text, "category": said.category, "source": agent, "scope": scope}
        tags = [self.random.choice("xyz")]
        store(claims.read(body | {"tags": tags, "company_id": tags[0]}), trust=AGENTS[agent], at=self.at)

    def decide(self) -> None:
        verb = self.random.choice(list(DECISIONS))
        how: dict[str, Any] = DECISIONS[verb] | ({"until": self.at + timedelta(days=1)} if verb == "snooze" else {})
        self._keep(review.decide(PEOPLE[0], self._any(), verb, at=self.at, **how).batch)

    def reword(self) -> None:
        self._edit(content=self.random.choice(STATEMENTS).text, tags=[self.random.choice("xyz")])

    def raise_or_lower(self) -> None:
        self._edit(sensitivity=self.random.choice(["low", "medium", "high", "hyper"]))

    def limit(self) -> None:
        self._edit(expires_at=(self.at + timedelta(minutes=self.random.choice([5, 10_000]))).isoformat())

    def _edit(self, **change: Any) -> None:
        edit = parse_edit(change)
        self._keep(review.decide(PEOPLE[1], self._any(), "edit", at=self.at, edit=edit).batch)

    def revise(self) -> None:
        verb = self.random.choice(["supersede", "fork", "contest", "retract"])
        new = self._new() if verb in ("supersede", "fork") else None
        ref = "" if new else self.random.choice(["a customer says otherwise", str(self._any())])
        self._keep(revisions.ask(Change(verb, "because", new, ref), [self._any()], trust=PEOPLE[0], at=self.at).batch)

    def merge(self) -> None:
        rows = Memory.objects.live().filter(type=Type.SEMANTIC, scope=self.random.choice(["", "alpha", "beta"]))
        ids = self.random.sample(sorted(rows.values_list("pk", flat=True)), 2)
        self._keep(revisions.ask(Change("merge", "because", self._new()), ids, trust=PEOPLE[0], at=self.at).batch)

    def _new(self) -> NewMemory:
        return NewMemory.model_validate({"content": self.random.choice(STATEMENTS).text, "payload": EVIDENCE})

    def move_salience(self) -> None:
        move = self.random.choice([salience.reinforce, salience.penalize])
        move(PEOPLE[0], self._any(), 0.2, at=self.at)

    def work(self) -> None:
        states = {"planning": "Plan the review", "executing": "Write to Acme", "done": "Acme has answered"}
        state, summary = self.random.choice(list(states.items()))
        body = {"source": "ada", "scope": "alpha", "thread_id": self.random.choice("12")}
        report = WorkingStateReport.model_validate(body | {"state": state, "context_summary": summary})
        episodes.working_state(report, trust=AGENTS["ada"], at=self.at)

    def use(self) -> None:
        Memory.objects.count_use([self._any()], at=self.at)

    def many(self) -> None:
        verb = self.random.choice(["promote", "dismiss"])
        how: dict[str, Any] = {"why": "noise"} if verb == "dismiss" else {"to": "confirmed"}
        self._keep(review.by_ids(PEOPLE[0], {self._any() for _ in range(3)}, verb, at=self.at, **how).batch)

    def undo(self) -> None:
        self._keep(review.undo(PEOPLE[1], self.random.choice(self.batches[-8:]), at=self.at).batch)

    def decay(self) -> None:
        """After some weeks in which hardly anything happened."""
        self.at += timedelta(days=self.random.choice([7, 30, 45]))
        confidence_decay.settle(at=self.at)

    def forget(self) -> None:
        lifecycle.forget(Memory.objects.get(pk=self._any()), trust=PEOPLE[0], at=self.at)

    def _any(self) -> UUID:
        rows = Memory.objects.filter(type=Type.SEMANTIC).order_by("pk")
        live = list((rows.live() if self.random.random() < 0.8 else rows).values_list("pk", flat=True))
        chosen: UUID = self.random.choice(live)
        return chosen

    def _keep(self, batch: UUID | None) -> None:
        self.batches += [batch] if batch else []
