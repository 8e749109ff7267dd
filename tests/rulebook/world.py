"""Random verbs, done by the real ones and by the book; after each the two must agree."""

from collections import Counter
from collections.abc import Callable
from copy import copy
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID

from memories.intake.claims import store
from memories.intake.edits import parse_edit
from memories.intake.reports import claims
from memories.intake.revisions.revising import Change, ask
from memories.models import Memory, Proposal, Tombstone
from memories.values.choices import LIVE, ActorKind, Permission, Sensitivity, Status
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust
from memos_site import review
from tests.make import AT
from tests.rulebook import catalogue
from tests.rulebook.book import Book, Row

Before = tuple[Row, int]  # and its version


def _agent(name: str, *scopes: str) -> Trust:
    return Trust(
        Actor(ActorKind.AGENT, name, name),
        Sensitivity.MEDIUM,
        frozenset(scopes) or None,
        permissions=frozenset({"read"}),
    )


def _person(name: str) -> Trust:
    return Trust(Actor(ActorKind.PERSON, name, name), Sensitivity.HYPER, permissions=frozenset(Permission.values))


AGENTS = {"ada": _agent("ada"), "bob": _agent("bob", "alpha"), "cyd": _agent("cyd", "alpha", "beta")}
PLACES = {"ada": ("", "alpha"), "bob": ("alpha",), "cyd": ("alpha", "beta")}
PEOPLE = [_person("anna"), _person("ben")]
BY_AGENTS = {"store": 40, "contest": 2, "retract": 2, "next_day": 4}
BY_PEOPLE = {
    "promote": 8,
    "demote": 4,
    "dismiss": 5,
    "restore": 6,
    "edit": 5,
    "snooze": 2,
    "accept": 5,
    "reject": 3,
    "undo": 12,
}


class World:
    """`done` counts what happened, so that a test can see that every rule was met."""

    def __init__(self, seed: int) -> None:
        self.random, self.book, self.at = Random(seed), Book(), AT
        self.done: Counter[str] = Counter()
        self.decisions: list[UUID] = []

    def step(self, verbs: dict[str, int]) -> None:
        (verb,) = self.random.choices(list(verbs), list(verbs.values()))
        self.at += timedelta(minutes=1)
        act: Callable[[], str] = getattr(self, verb)
        self.done[f"{verb} {act()}"] += 1

    def next_day(self) -> str:
        self.at += timedelta(days=1)
        return "came"

    # agents

    def store(self) -> str:
        agent = self.random.choice(list(AGENTS))
        scope, subject = self.random.choice(PLACES[agent]), self.random.choice(catalogue.SUBJECTS)
        said, key = self.random.choice(catalogue.about(subject)), f"{subject}-{self.random.choice('ab')}"
        thread = self.random.choice([None, "t1", "t2"])
        expected = self.book.store(agent, scope, key, said, thread=thread, day=self.at.date())
        body = {"key": key, "content": said.text, "category": said.category, "source": agent, "scope": scope}
        report = claims.read(body | {"thread_id": thread, "sensitivity": "low"})
        stored = store(report, trust=AGENTS[agent], at=self.at)
        if stored.created and stored.memory:
            self.book.begin(str(stored.memory.pk), agent, scope, key, said)
        told = next((n for n in ("suppressed", "created", "reset", "reinforced") if getattr(stored, n)), "counted")
        assert ("proposed" if stored.proposal else told) == expected, (agent, scope, key, said)
        if stored.proposal and stored.memory:
            self.book.proposals[str(stored.proposal)] = str(stored.memory.pk), said.text
            self.book.proposers.setdefault(str(stored.proposal), agent)
        if stored.memory and not stored.suppressed:
            self.agree(str(stored.memory.pk))
        return expected

    def contest(self) -> str:
        return self._revised("contest", ref="a customer says otherwise")

    def retract(self) -> str:
        return self._revised("retract")

    def _revised(self, verb: str, ref: str = "") -> str:
        """An agent takes back or doubts what it sees: its own at once, anything else is proposed."""
        agent, id = self.random.choice(list(AGENTS)), self._any(live=0.9)
        row = self.book.rows[id]
        if row.scope not in PLACES[agent]:
            return "skipped"
        own, expected = row.is_own_of(agent), "refused"
        if row.is_live and not (verb == "contest" and row.status == "contested"):
            expected = "done" if own else "refused" if self.book.was_rejected(id, verb) else "proposed"
        before = self._before(id)
        try:
            revised = ask(Change(verb, "I was wrong", ref=ref), [UUID(id)], trust=AGENTS[agent], at=self.at)
        except Conflict:
            assert expected == "refused", (verb, row)
            return expected
        assert expected == ("proposed" if revised.proposal else "done"), (verb, agent, row)
        if revised.proposal:
            self.book.proposals[str(revised.proposal)] = id, verb
        else:
            withdrawn = getattr(self.book, verb)(id)
            self._decided(id, before, revised.batch, withdrawn=withdrawn)
        self.agree(id)
        return expected

    # people

    def promote(self) -> str:
        to = self.random.choice([Status.CONFIRMED, Status.APPLIED])
        return self._decide("promote", to=to)

    def demote(self) -> str:
        return self._decide("demote", to=self.random.choice([Status.CANDIDATE, Status.CONFIRMED]))

    def dismiss(self) -> str:
        """Its equals go with it, unless it is only their duplicate."""
        id, why = self._any(), self.random.choice(["wrong", "wrong", "duplicate"])
        equals = self.book.equals(id) if self.book.rows[id].is_live and why == "wrong" else []
        befores = {equal: self._before(equal) for equal in equals}
        done = self._decide("dismiss", id=id, why=why)
        for equal, before in befores.items():
            withdrawn = self.book.dismiss(equal, why=why)
            self._decided(equal, before, self.decisions[-1], withdrawn=withdrawn)
            self.agree(equal)
        return f"{done} with equals" if equals else done

    def restore(self) -> str:
        return self._decide("restore", live=0.2)

    def snooze(self) -> str:
        return self._decide("snooze", until=self.at + timedelta(days=1))

    def edit(self) -> str:
        id = self._any()
        said = self.random.choice(catalogue.about(self.book.rows[id].statement.subject))
        return self._decide("edit", id=id, said=said, edit=parse_edit({"content": said.text}))

    def _decide(self, verb: str, *, live: float = 0.9, id: str = "", said: Any = None, **how: Any) -> str:
        id = id or self._any(live=live)
        before, book = self._before(id), self.book
        told = {name: str(value) for name, value in how.items() if name in ("to", "why")}
        told |= {"said": said} if said else {}
        expected = getattr(book, verb)(id, **told)
        try:
            decision = review.decide(self.random.choice(PEOPLE), UUID(id), verb, at=self.at, **how)
        except Conflict as conflict:
            assert expected is None, (conflict, verb, how, before)
            return "refused"
        assert expected is not None, (verb, how, before)
        self._decided(id, before, decision.batch, withdrawn=expected)
        self.agree(id)
        return "done"

    def accept(self) -> str:
        return self._answer(review.accept, accepted=True)

    def reject(self) -> str:
        return self._answer(review.reject, accepted=False)

    def _answer(self, verb: Callable[..., UUID], *, accepted: bool) -> str:
        if not self.book.proposals:
            return "skipped"
        proposal = self.random.choice(list(self.book.proposals))
        id, said = self.book.proposals[proposal]
        person, before, withdrawn = self.random.choice(PEOPLE), self._before(id), None
        if accepted:
            statement = catalogue.BY_TEXT.get(said)
            withdrawn = self.book.edit(id, statement) if statement else getattr(self.book, said)(id)
        try:
            batch = verb(person, UUID(proposal), at=self.at)
        except Conflict as conflict:
            assert accepted and withdrawn is None, (conflict, said, before)
            return "refused"
        assert not accepted or withdrawn is not None, (said, before)
        if accepted and said == "contest":
            self.book.rows[id].others.add(person.actor.name)  # what speaks against it is evidence
        answer = "accepted" if accepted else "rejected"
        gone = {pk: about for pk, about in (withdrawn or {}).items() if pk != proposal}
        self.book.proposals[proposal] = id, said
        self.book.answer(proposal, answer)
        self._decided(id, before, batch, proposal=proposal, answer=answer, withdrawn=gone)
        self.agree(id)
        return "done"

    def undo(self) -> str:
        if not self.decisions:
            return "skipped"
        recent = self.decisions[-12:]
        return self.undo_one(self.random.choice(recent))

    def undo_one(self, batch: UUID) -> str:
        batched = self.book.batches[batch]
        befores = [self._before(decided.id) for decided in batched]
        returned = [self.book.undo(decided, version=was) for decided, (_, was) in zip(batched, befores, strict=True)]
        expected = {decided.id for decided, back in zip(batched, returned, strict=True) if back is not None}
        try:
            undone = review.undo(self.random.choice(PEOPLE), batch, at=self.at)
        except Conflict as conflict:
            assert not expected, (conflict, batched, befores)
            return "refused"
        assert {str(pk) for pk in undone.undone} == expected, (batched, befores)
        for decided, before, back in zip(batched, befores, returned, strict=True):
            if back is not None:
                self._decided(decided.id, before, undone.batch, **back)
                self.agree(decided.id)
        return "done"

    def _decided(self, id: str, before: Before, batch: UUID | None, **more: Any) -> None:
        assert batch is not None
        (row, was), left = before, self._version(id)
        self.book.remember(batch, id, row, was, left, **more)
        moved = left != was or more.get("proposal")  # else nothing was decided: the same words again
        if moved and batch not in self.decisions[-1:]:
            self.decisions.append(batch)

    def _before(self, id: str) -> Before:
        return copy(self.book.rows[id]), self._version(id)

    def _version(self, id: str) -> int:
        return Memory.objects.values_list("version", flat=True).get(pk=id)

    def _any(self, *, live: float = 0.9) -> str:
        wanted = self.random.random() < live
        rows = [id for id, row in self.book.rows.items() if row.is_live == wanted] or list(self.book.rows)
        return self.random.choice(rows)

    # the comparison

    def agree(self, *ids: str) -> None:
        """The rows stand as the book says; without ids all of them."""
        rows = Memory.objects.filter(pk__in=ids) if ids else Memory.objects.all()
        for row in rows:
            expected = self.book.rows[str(row.pk)]
            found = (row.status, row.confidence, row.times_confirmed, row.hold, row.content, row.resembles is not None)
            book = (expected.status, expected.confidence, expected.times, expected.hold)
            assert (*book, expected.statement.text, expected.resembling) == found
            assert row.adaptations.active().count() == expected.adapted, expected

    def agree_beside(self) -> None:
        """Proposals and tombstones, and that nobody has a row that the book does not know."""
        assert {str(pk) for pk in Memory.objects.values_list("pk", flat=True)} == set(self.book.rows)
        standing = Tombstone.objects.standing().values_list("memory_id", flat=True)
        assert Counter(str(pk) for pk in standing) == Counter(grave.row for grave in self.book.graves)
        assert sum(Tombstone.objects.values_list("hits", flat=True)) == self.book.hits
        assert {str(pk) for pk in Proposal.objects.open().values_list("pk", flat=True)} == set(self.book.proposals)
        assert not Proposal.objects.open().exclude(memory__status__in=LIVE).exists()
