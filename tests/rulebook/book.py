"""The rules of the lifecycle once more, in plain Python and without a database: what must stand after each verb.

It knows statements by what they say, so it needs no comparison of texts; ids, versions and batches it learns from the
answers. A verb of people answers the proposals that it withdraws, or None when it is refused.
"""

from dataclasses import dataclass, field
from datetime import date
from typing import Any
from uuid import UUID

from tests.rulebook.catalogue import BY_TEXT, Statement

LIVE = ("candidate", "confirmed", "applied", "contested")
BEHAVIOUR = ("preference", "pattern", "workflow")
CHANGED = ("status", "confidence", "hold", "statement")  # what decisions move
Waiting = dict[str, tuple[str, str]]  # a proposal by its id: the row, and the text or verb


@dataclass
class Row:
    """One memory. `others` are those beside its maker who gave evidence for or against it."""

    scope: str
    key: str
    statement: Statement
    creator: str
    status: str = "candidate"
    confidence: int = 20
    times: int = 0
    hold: str = ""
    resembling: bool = False
    occasions: set[Any] = field(default_factory=set)
    others: set[str] = field(default_factory=set)

    @property
    def is_live(self) -> bool:
        return self.status in LIVE

    @property
    def standing(self) -> tuple[Any, ...]:
        """All that decisions move; evidence, once given, stays."""
        return tuple(getattr(self, name) for name in CHANGED)

    @property
    def adapted(self) -> bool:
        """An adaptation stands for exactly the applied memories that change behaviour."""
        return self.status == "applied" and self.statement.category in BEHAVIOUR

    def is_own_of(self, agent: str) -> bool:
        return self.creator == agent and not self.others and not self.hold and self.status != "applied"


@dataclass
class Grave:
    """A tombstone that holds; `row` is the memory that it is of."""

    scope: str
    key: str
    statement: Statement
    row: str
    duplicate: bool = False

    def is_met_by(self, scope: str, said: Statement) -> bool:
        """The same claim, whatever its key."""
        return self.scope in (scope, "") and self.statement.says_the_same_as(said)


@dataclass
class Decided:
    """One decision on one row: what it changed, the version it found and the one it left, None: it did not touch it."""

    id: str
    before: dict[str, Any]
    was: int
    left: int | None
    proposal: str = ""  # that it answered, or opened again
    answer: str = ""  # what the proposal is since: accepted, rejected, '' open
    withdrawn: Waiting = field(default_factory=dict)
    undone: bool = False  # once: what undid it can be undone


@dataclass
class Book:
    rows: dict[str, Row] = field(default_factory=dict)
    batches: dict[UUID, list[Decided]] = field(default_factory=dict)
    graves: list[Grave] = field(default_factory=list)
    hits: int = 0  # how often one of them held something back
    buried: dict[str, Grave] = field(default_factory=dict)  # the last of each row, lifted or not
    proposals: Waiting = field(default_factory=dict)  # the open ones
    proposers: dict[str, str] = field(default_factory=dict)  # the agent that proposed other words first
    answered: dict[str, tuple[str, tuple[str, str]]] = field(default_factory=dict)
    returns: dict[tuple[str, int], int] = field(default_factory=dict)  # an undo's version: the one that stands again
    former: dict[str, str] = field(default_factory=dict)  # the answer that was undone, for a redo

    def begin(self, id: str, agent: str, scope: str, key: str, said: Statement) -> None:
        self.rows[id] = Row(scope, key, said, agent, resembling=self.resembles(scope, said))

    def resembles(self, scope: str, said: Statement) -> bool:
        """Something was dismissed here that speaks of the same and says otherwise."""
        return any(grave.scope in (scope, "") and grave.statement.contradicts(said) for grave in self.graves)

    def holder(self, scope: str, key: str) -> str | None:
        """The live row of a key."""
        found = (id for id, row in self.rows.items() if row.is_live and (row.scope, row.key) == (scope, key))
        return next(found, None)

    # what agents do

    def store(self, agent: str, scope: str, key: str, said: Statement, *, thread: str | None, day: date) -> str:
        """What the answer says: suppressed, created, reinforced, reset, proposed, or counted (nothing new)."""
        id = self.holder(scope, key)
        row = self.rows[id] if id else None
        met = [grave for grave in self.graves if grave.is_met_by(scope, said)]
        if met and not (row and row.statement.says_the_same_as(said) and self._outlives(row, met)):
            self.hits += 1
            return "suppressed"
        if id is None or row is None:
            return "created"
        if not row.statement.contradicts(said):
            return self._reinforce(id, said, agent, thread=thread, day=day)
        if row.status == "candidate" and not row.hold:
            row.resembling = self.resembles(scope, said)
            row.statement, row.confidence, row.times = said, 20, 0
            self._witness(row, agent)
            return "reset"
        return "counted" if self.was_rejected(id, said.text) else "proposed"

    def _outlives(self, row: Row, met: list[Grave]) -> bool:
        """It lives beside the dismissal of its equal, because a person wants it to."""
        return row.hold == "floor" or all(grave.duplicate for grave in met)

    def was_rejected(self, id: str, said: str) -> bool:
        """A person has said no to this change, in these words or others."""
        rejected = [text for answer, (about, text) in self.answered.values() if (answer, about) == ("rejected", id)]
        new = BY_TEXT.get(said)
        return any(
            text == said or (new and text in BY_TEXT and BY_TEXT[text].says_the_same_as(new)) for text in rejected
        )

    def _reinforce(self, id: str, said: Statement, agent: str, *, thread: str | None, day: date) -> str:
        row, occasion = self.rows[id], (agent, thread, day)
        if not row.hold and row.status != "applied":  # no rule rewords what a person holds or a behaviour rests on
            row.statement = said
        if (thread is not None and occasion in row.occasions) or self._contradicts_another(id, agent):
            return "counted"
        row.occasions |= {occasion} if thread is not None else set()
        row.confidence, row.times = min(100, row.confidence + 15), row.times + 1
        self._witness(row, agent)
        self._climb(row)
        return "reinforced"

    def _contradicts_another(self, id: str, agent: str) -> bool:
        texts = [text for pk, (about, text) in self.proposals.items() if (about, self.proposers.get(pk)) == (id, agent)]
        contradicted = (self.rows[id].statement.contradicts(BY_TEXT[text]) for text in texts if text in BY_TEXT)
        return agent != self.rows[id].creator and any(contradicted)

    def _witness(self, row: Row, agent: str) -> None:
        if agent != row.creator:
            row.others.add(agent)

    def _climb(self, row: Row) -> None:
        if row.hold == "fixed" or (row.resembling and row.hold != "floor"):
            return
        most = LIVE.index("applied") if row.hold == "floor" else self._ceiling(row)
        if row.status == "candidate" and row.confidence >= 60 and most:
            row.status = "confirmed"
        if row.status == "confirmed" and row.confidence >= 80 and row.times >= 3 and most > 1:
            row.status = "applied"

    def _ceiling(self, row: Row) -> int:
        """How far it may climb beside equals that a person has put where they are; a place in LIVE."""
        if any(grave.is_met_by(row.scope, row.statement) and not grave.duplicate for grave in self.graves):
            return 0
        fixed = [one.status for one in self._equals(row) if one.hold == "fixed" and one.status != "dismissed"]
        return min((LIVE.index(status) if status in LIVE[:3] else 1 for status in fixed), default=2)

    def _equals(self, row: Row) -> list[Row]:
        rows = self.rows.values()
        return [
            one
            for one in rows
            if one is not row and one.scope == row.scope and one.statement.says_the_same_as(row.statement)
        ]

    def equals(self, id: str) -> list[str]:
        """The other live rows that claim the same in its scope."""
        found = self._equals(self.rows[id])
        return [pk for pk, row in self.rows.items() if row.is_live and any(row is one for one in found)]

    # what people decide

    def promote(self, id: str, to: str) -> Waiting | None:
        row = self.rows[id]
        if row.status not in ("candidate", "contested", *(["confirmed"] if to == "applied" else [])):
            return None
        row.confidence, row.hold = max(row.confidence, 60 if to == "confirmed" else 80), "floor"
        return self._move(id, to)

    def demote(self, id: str, to: str) -> Waiting | None:
        row = self.rows[id]
        if row.status not in ("applied", *(["confirmed"] if to == "candidate" else [])):
            return None
        row.hold = "fixed"
        return self._move(id, to)

    def dismiss(self, id: str, *, why: str) -> Waiting | None:
        return self._move(id, "dismissed", duplicate=why == "duplicate") if self.rows[id].is_live else None

    def restore(self, id: str) -> Waiting | None:
        row = self.rows[id]
        taken = row.status == "dismissed" and self.holder(row.scope, row.key)
        if row.status not in ("dismissed", "contested") or taken:
            return None
        row.hold = ""
        return self._move(id, "candidate")

    def snooze(self, id: str) -> Waiting | None:
        return {} if self.rows[id].is_live else None

    def edit(self, id: str, said: Statement) -> Waiting | None:
        row = self.rows[id]
        if not row.is_live:
            return {} if row.statement == said else None  # it says so already
        if row.statement != said:
            if any(grave.is_met_by(row.scope, said) for grave in self.graves):
                return None  # dismissed stays dismissed, until a person lifts it
            row.hold, row.statement = row.hold or "floor", said
        return {}

    def contest(self, id: str) -> Waiting | None:
        return self._move(id, "contested") if self.rows[id].status in LIVE[:3] else None

    def retract(self, id: str) -> Waiting | None:
        return self._move(id, "retracted") if self.rows[id].is_live else None

    def _move(self, id: str, status: str, *, duplicate: bool = False) -> Waiting:
        """What waits for a closed row is withdrawn; what is dismissed has a tombstone, and nothing else has."""
        row = self.rows[id]
        was, row.status = row.status, status
        if was == "dismissed" != status:
            self.graves = [grave for grave in self.graves if grave.row != id]
        if status == "dismissed" != was:
            self.buried[id] = Grave(row.scope, row.key, row.statement, id, duplicate)
            self.graves.append(self.buried[id])
        gone = {pk: about for pk, about in self.proposals.items() if about[0] == id and not row.is_live}
        self.proposals = {pk: about for pk, about in self.proposals.items() if pk not in gone}
        return gone

    def answer(self, proposal: str, answer: str) -> None:
        """Accepted or rejected; '' opens it again."""
        if answer:
            self.answered[proposal] = answer, self.proposals.pop(proposal)
        else:
            self.proposals[proposal] = self.answered.pop(proposal)[1]

    def _stands(self, proposal: str, answer: str) -> bool:
        """It is answered so; or open, where '' is asked for. It cannot be opened again beside its like."""
        if not answer:
            return proposal in self.proposals
        now, about = self.answered.get(proposal, ("", ("", "")))
        return now == answer and about not in self.proposals.values()

    # undo

    def remember(self, batch: UUID, id: str, before: Row, was: int, left: int, **more: Any) -> None:
        row = self.rows[id]
        changed = {name: getattr(before, name) for name in CHANGED if getattr(before, name) != getattr(row, name)}
        undone: Decided | None = more.pop("undone", None)
        if undone and left != was:
            self.returns[id, left] = self.returns.get((id, undone.was), undone.was)
        decided = Decided(id, changed, was, left if left != was else None, **more)
        self.batches.setdefault(batch, []).append(decided)

    def undo(self, decided: Decided, *, version: int) -> dict[str, Any] | None:
        """As it was before; what `remember` is told of it. None: it was changed since, or its key is another's now."""
        row, id = self.rows[decided.id], decided.id
        becomes = decided.before.get("status", row.status)
        taken = becomes in LIVE and self.holder(row.scope, row.key) not in (None, id)
        stands = not decided.proposal or self._stands(decided.proposal, decided.answer)
        as_it_left = decided.left is None or self._version(id, decided.left) == self._version(id, version)
        closed = bool(decided.answer) and becomes not in LIVE  # what would change it is not opened again
        if taken or closed or not as_it_left or not stands or (decided.undone and decided.left is not None):
            return None
        decided.undone = True
        was = "" if decided.answer else self.former.get(decided.proposal, "")
        buried = self.buried.get(id)
        for name in decided.before.keys() - {"status"}:
            setattr(row, name, decided.before[name])
        withdrawn = self._move(id, becomes)
        if becomes == "dismissed" and buried and "status" in decided.before:  # the same one holds again
            self.graves[-1] = self.buried[id] = buried
        if decided.proposal:
            self.former[decided.proposal] = decided.answer
            self.answer(decided.proposal, was)
        self.proposals |= decided.withdrawn
        return {"undone": decided, "proposal": decided.proposal, "answer": was, "withdrawn": withdrawn}

    def _version(self, id: str, version: int) -> int:
        return self.returns.get((id, version), version)
