"""Undo history and daily counts of people's decisions, read from the audit trail."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from django.db.models import Count, Max, Q, TextField
from django.db.models.functions import Cast

from consolidation.models.runs import RUN
from memories.models import AuditEntry, Memory, Tombstone
from memories.models.built import INSTANT, Statement, ask, statement_of
from memories.models.proposal import PROPOSAL
from memories.values.choices import EXPERIENCE, ActorKind
from memories.values.trust import Actor, Trust
from memos_site.review.undo import IRREVERSIBLE
from memos_site.review.verbs import OF_MANY, VERBS

MAX_BATCHES = 1_000  # most batches in a history
COUNTED_ACTIONS = (*(verb.action for verb in VERBS.values() if verb.is_tallied), "accept")
ACTIONS_ON_ROWS = (*(verb.action for verb in OF_MANY), "unpin")  # of which one batch has many


@dataclass
class History:
    """Batches of one person, oldest first.

    `decisions`: those in force; `undos`: those that can be taken back (redo) until the next decision; `latest`: each
    decision -> the batch that did it, undid it or did it again last; `rows`: each decision -> of how many rows it is.
    """

    decisions: list[UUID] = field(default_factory=list)
    undos: list[UUID] = field(default_factory=list)
    latest: dict[UUID, UUID] = field(default_factory=dict)
    rows: dict[UUID, int] = field(default_factory=dict)
    _order: dict[UUID, int] = field(default_factory=dict)
    _first: dict[UUID, UUID] = field(default_factory=dict)

    @property
    def decided_count(self) -> int:
        """How many rows are decided by what is in force."""
        return sum(self.rows[self._first[batch]] for batch in self.decisions)

    @property
    def is_cut(self) -> bool:
        """Whether there may be older batches than these."""
        return len(self._order) >= MAX_BATCHES

    def add(self, batch: UUID, undoes: UUID | None, rows: int = 1) -> None:
        """Append a batch. `undoes`: the batch that it took back, None for a decision."""
        self._order[batch] = len(self._order)
        first = self._first.get(undoes, undoes) if undoes else batch
        self._first[batch] = first
        self.latest[first] = batch
        self.rows.setdefault(first, rows)
        if undoes is None:
            self.decisions.append(batch)
            self.undos.clear()
        elif undoes in self.undos:  # a redo: what it did again can be undone again
            self.undos.remove(undoes)
            self.decisions.append(batch)
        else:
            self.decisions = [decision for decision in self.decisions if decision != undoes]
            self.undos.append(batch)

    def undo_before(self, batch: UUID | None = None) -> UUID | None:
        """Return the latest decision in force before this batch; the latest of all when it is not in the history."""
        return self._before(self.decisions, batch)

    def redo_before(self, batch: UUID | None = None) -> UUID | None:
        """Return the latest undo before this batch; the latest of all when it is not in the history."""
        return self._before(self.undos, batch)

    def _before(self, batches: list[UUID], batch: UUID | None) -> UUID | None:
        end = self._order.get(batch, len(self._order)) if batch else len(self._order)
        return next((one for one in reversed(batches) if self._order[one] < end), None)


def history(person: Actor, *, since: datetime) -> History:
    """Return a person's undo history since then: at most MAX_BATCHES batches, without irreversible actions."""
    latest = ask(_batches(person.name), since)
    undoes = [of for _batch, _last, of, _rows in latest if of]
    batch_of = dict(AuditEntry.objects.filter(pk__in=undoes).values_list("pk", "batch_id")) if undoes else {}
    entries_read = History()
    for batch, _last, of, rows in reversed(latest):
        entries_read.add(batch, batch_of.get(UUID(of)) if of else None, max(1, rows))
    return entries_read


@lru_cache(maxsize=256)
def _batches(person: str) -> Statement | None:
    """The statement of a person's latest batches since an instant: id, time, an undone entry, rows."""
    trail = AuditEntry.objects.filter(actor_kind=ActorKind.PERSON, actor=person, at__gte=INSTANT)
    trail = trail.exclude(action__in=IRREVERSIBLE).exclude(subject_kind=RUN)
    trail = trail.exclude(action="create", before={}).order_by()
    many = Count("pk", filter=Q(subject_kind="memory", action__in=ACTIONS_ON_ROWS))
    batches = trail.values("batch_id").annotate(last=Max("at"), of=Max(Cast("undoes", TextField())), rows=many)
    return statement_of(batches.order_by("-last", "-batch_id")[:MAX_BATCHES])


def tally(trust: Trust, *, since: datetime) -> dict[str, int]:
    """Count people's decisions since then by action, as far as visible to the caller.

    `mine`: those of the caller; `all`: of everybody; `new`: memories created since; `blocked`: tombstones hit since,
    i.e. dismissed claims that were reported again.
    """
    trail = AuditEntry.objects.visible_to(trust).filter(at__gte=since, actor_kind=ActorKind.PERSON)
    decided = trail.filter(action__in=COUNTED_ACTIONS, subject_kind__in=("memory", PROPOSAL)).order_by()
    counts = dict.fromkeys((*COUNTED_ACTIONS, "mine", "all"), 0)
    for action, actor, n in decided.values_list("action", "actor").annotate(n=Count("pk")):
        counts[action] += n
        counts["all"] += n
        counts["mine"] += n if actor == trust.actor.name else 0
    counts["new"] = Memory.objects.visible_to(trust).exclude(type__in=EXPERIENCE).filter(created_at__gte=since).count()
    counts["blocked"] = Tombstone.objects.visible_to(trust).filter(last_hit_at__gte=since).count()
    return counts
