"""A person's decisions, read from the audit trail: undo history, how each stands now, and daily counts."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Count, F, Max, Q, TextField, Window
from django.db.models.functions import Cast, RowNumber

from consolidation.models.runs import RUN
from memories.models import AuditEntry, Memory, Tombstone
from memories.models.proposal import PROPOSAL
from memories.values.choices import EXPERIENCE, ActorKind
from memories.values.trust import Actor, Trust
from memos_site.review.undo import IRREVERSIBLE
from memos_site.review.verbs import OF_MANY, VERBS

MAX_BATCHES = 1_000  # most batches in a history
COUNTED_ACTIONS = (*(action for verb in VERBS.values() if verb.is_tallied for action in verb.actions), "accept")
ACTIONS_ON_ROWS = tuple(action for verb in OF_MANY for action in verb.actions)  # of which one batch has many


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
        return self._latest_before(self.decisions, batch)

    def redo_before(self, batch: UUID | None = None) -> UUID | None:
        """Return the latest undo before this batch; the latest of all when it is not in the history."""
        return self._latest_before(self.undos, batch)

    def _latest_before(self, batches: list[UUID], batch: UUID | None) -> UUID | None:
        end = self._order.get(batch, len(self._order)) if batch else len(self._order)
        return next((former for former in reversed(batches) if self._order[former] < end), None)


def history(person: Actor, *, since: datetime) -> History:
    """Return a person's undo history since then: at most MAX_BATCHES batches, without irreversible actions."""
    latest = _batches(person.name, since)
    undoes = [of for _batch, _last, of, _rows in latest if of]
    batch_of = dict(AuditEntry.objects.filter(pk__in=undoes).values_list("pk", "batch_id")) if undoes else {}
    entries_read = History()
    for batch, _last, of, rows in reversed(latest):
        entries_read.add(batch, batch_of.get(UUID(of)) if of else None, max(1, rows))
    return entries_read


def _batches(person: str, since: datetime) -> list[tuple[UUID, datetime, str | None, int]]:
    """A person's latest batches since an instant: id, time, an undone entry, rows."""
    trail = AuditEntry.objects.filter(actor_kind=ActorKind.PERSON, actor=person, at__gte=since)
    trail = trail.exclude(action__in=IRREVERSIBLE).exclude(subject_kind=RUN)
    trail = trail.exclude(action="create", before={}).order_by()
    row_count = Count("pk", filter=Q(subject_kind="memory", action__in=ACTIONS_ON_ROWS))
    batches = trail.values("batch_id").annotate(last=Max("at"), of=Max(Cast("undoes", TextField())), rows=row_count)
    return list(batches.order_by("-last", "-batch_id").values_list("batch_id", "last", "of", "rows")[:MAX_BATCHES])


def tally(trust: Trust, *, since: datetime) -> dict[str, int]:
    """Count people's decisions since then by action, as far as visible to the caller.

    `mine`: those of the caller; `all`: of everybody; `new`: memories created since; `blocked`: tombstones hit since,
    i.e. dismissed claims that were reported again.
    """
    trail = AuditEntry.objects.visible_to(trust).filter(at__gte=since, actor_kind=ActorKind.PERSON)
    entries = trail.filter(action__in=COUNTED_ACTIONS, subject_kind__in=("memory", PROPOSAL)).order_by()
    counts = dict.fromkeys((*COUNTED_ACTIONS, "mine", "all"), 0)
    for action, actor, n in entries.values_list("action", "actor").annotate(n=Count("pk")):
        counts[action] += n
        counts["all"] += n
        counts["mine"] += n if actor == trust.actor.name else 0
    counts["new"] = Memory.objects.visible_to(trust).exclude(type__in=EXPERIENCE).filter(created_at__gte=since).count()
    counts["blocked"] = Tombstone.objects.visible_to(trust).filter(last_hit_at__gte=since).count()
    return counts


MAX_ENTRIES = 8  # of one batch that are read: what it is about, and the first rows of many
ABOUT = ("memory", PROPOSAL)
State = tuple[UUID, ...]  # the decisions about a subject that are in force, oldest first


@dataclass(frozen=True)
class PastDecision:
    """A decision and how it stands.

    `entry`: what was done, about the first of `entries`; `row_count`: how many rows it is about; `latest`: the batch
    that undoes it or, if it was taken back, does it again; `overtaken`: what somebody did since, so that neither is
    possible.
    """

    entries: Sequence[AuditEntry]
    row_count: int
    latest: UUID
    is_undone: bool
    overtaken: AuditEntry | None

    @property
    def entry(self) -> AuditEntry:
        """The entry that says what was done: about the proposal where there is one, else about a memory."""
        kinds = {PROPOSAL: 0, "memory": 1}
        return min(self.entries, key=lambda entry: kinds.get(entry.subject_kind, 2))


def past_decisions(trust: Trust, history: History, batches: Sequence[UUID]) -> list[PastDecision]:
    """Return these decisions of a history as they stand now, in this order, without those that the caller may not see.

    A decision about many rows is judged by its first MAX_ENTRIES.
    """
    entries = _entries(trust, {*batches, *(history.latest[batch] for batch in batches)})
    subjects = {entry.subject_id for rows in entries.values() for entry in rows if entry.subject_kind in ABOUT}
    since = min((entry.at for rows in entries.values() for entry in rows), default=None)
    audit_entries = (
        AuditEntry.objects.visible_to(trust)
        .with_rationale(trust)
        .filter(subject_kind__in=ABOUT, subject_id__in=subjects)
    )
    trails: dict[UUID, list[AuditEntry]] = defaultdict(list)
    for entry in audit_entries.filter(at__gte=since).order_by("at", "id") if subjects else ():
        trails[entry.subject_id].append(entry)
    decisions = []
    for batch in batches:
        if rows := entries.get(batch):
            latest = history.latest[batch]
            ends = [_overtaking_entry(entry, trails[entry.subject_id]) for entry in entries.get(latest, ())]
            overtaken = next(filter(None, ends), None) if ends and all(ends) else None
            is_undone = latest not in history.decisions
            decisions.append(PastDecision(rows, history.rows[batch], latest, is_undone, overtaken))
    return decisions


def _entries(trust: Trust, batches: Collection[UUID]) -> dict[UUID, list[AuditEntry]]:
    """Return the first MAX_ENTRIES of each batch."""
    rows = AuditEntry.objects.visible_to(trust).with_rationale(trust).filter(batch_id__in=batches)
    number = Window(RowNumber(), partition_by=F("batch_id"), order_by=F("id").asc())
    entries: dict[UUID, list[AuditEntry]] = defaultdict(list)
    for entry in rows.annotate(number=number).filter(number__lte=MAX_ENTRIES).order_by("id"):
        entries[entry.batch_id].append(entry)
    return entries


def _overtaking_entry(entry: AuditEntry, trail: Iterable[AuditEntry]) -> AuditEntry | None:
    """Return what was done last to the subject if it does not stand any more as this entry left it.

    Decisions that were taken back since do not count, as in `AuditQuerySet.stands_as`.
    """
    state: State = ()
    states: dict[UUID, State] = {}
    before: dict[UUID, State] = {}
    version, last = 0, None
    for later in trail:
        if later.subject_kind == "memory" and later.subject_version <= version:
            states[later.pk] = before[later.pk] = state  # nothing of the memory was moved
            continue
        before[later.pk] = state
        state = before.get(later.undoes, (*state, later.pk)) if later.undoes else (*state, later.pk)
        states[later.pk], version, last = state, max(version, later.subject_version), later
    return last if states.get(entry.pk, state) != state else None
