"""How far a person can go back and forth through decisions of their own, told from the audit trail alone."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Max, TextField
from django.db.models.functions import Cast

from memories.models import AuditEntry
from memories.values.choices import ActorKind
from memories.values.trust import Actor
from memos_site.review.undo import HAPPENED

MOST = 200  # batches that one can go back


@dataclass
class History:
    """Batches, oldest first: decisions that `stand`, and undoings (`undone`) that can be taken back, which a new
    decision ends."""

    stand: list[UUID] = field(default_factory=list)
    undone: list[UUID] = field(default_factory=list)
    _order: dict[UUID, int] = field(default_factory=dict)

    def add(self, batch: UUID, undoes: UUID | None) -> None:
        """The next batch; `undoes`: the one that it took back."""
        self._order[batch] = len(self._order)
        if undoes is None:
            self.stand.append(batch)
            self.undone.clear()
        elif undoes in self.undone:  # a redo: what it did again can be undone again
            self.undone.remove(undoes)
            self.stand.append(batch)
        else:
            self.stand = [one for one in self.stand if one != undoes]
            self.undone.append(batch)

    def undo_before(self, batch: UUID | None = None) -> UUID | None:
        """The latest decision that stands and is older than this one (than any, when it is not of this history)."""
        return self._before(self.stand, batch)

    def redo_before(self, batch: UUID | None = None) -> UUID | None:
        return self._before(self.undone, batch)

    def _before(self, batches: list[UUID], batch: UUID | None) -> UUID | None:
        end = self._order.get(batch, len(self._order)) if batch else len(self._order)
        return next((one for one in reversed(batches) if self._order[one] < end), None)


def history(person: Actor, *, since: datetime) -> History:
    """What the person did since then, but what cannot be undone; at most the last MOST batches."""
    trail = AuditEntry.objects.filter(actor_kind=ActorKind.PERSON, actor=person.name, at__gte=since)
    trail = trail.exclude(action__in=HAPPENED).exclude(action="create", before={}).order_by()
    batches = trail.values("batch_id").annotate(last=Max("at"), of=Max(Cast("undoes", TextField())))
    latest = list(batches.order_by("-last", "-batch_id")[:MOST])
    undoes = [row["of"] for row in latest if row["of"]]
    batch_of = dict(AuditEntry.objects.filter(pk__in=undoes).values_list("pk", "batch_id"))
    found = History()
    for row in reversed(latest):
        found.add(row["batch_id"], batch_of.get(UUID(row["of"])) if row["of"] else None)
    return found
