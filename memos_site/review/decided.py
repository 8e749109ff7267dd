"""What became of a person's decisions: in force, taken back, or overtaken by somebody."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memories.models import AuditEntry
from memories.models.proposal import PROPOSAL
from memories.values.trust import Trust
from memos_site.review.history import History

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

    Of a decision about many the first few tell.
    """
    entries = _entries(trust, {*batches, *(history.latest[batch] for batch in batches)})
    subjects = {entry.subject_id for rows in entries.values() for entry in rows if entry.subject_kind in ABOUT}
    since = min((entry.at for rows in entries.values() for entry in rows), default=None)
    about = (
        AuditEntry.objects.visible_to(trust)
        .with_rationale(trust)
        .filter(subject_kind__in=ABOUT, subject_id__in=subjects)
    )
    trails: dict[UUID, list[AuditEntry]] = defaultdict(list)
    for entry in about.filter(at__gte=since).order_by("at", "id") if subjects else ():
        trails[entry.subject_id].append(entry)
    decided = []
    for batch in batches:
        if rows := entries.get(batch):
            latest = history.latest[batch]
            ends = [_overtaken(entry, trails[entry.subject_id]) for entry in entries.get(latest, ())]
            overtaken = next(filter(None, ends), None) if ends and all(ends) else None
            is_undone = latest not in history.decisions
            decided.append(PastDecision(rows, history.rows[batch], latest, is_undone, overtaken))
    return decided


def _entries(trust: Trust, batches: Collection[UUID]) -> dict[UUID, list[AuditEntry]]:
    """Return the first MAX_ENTRIES of each batch."""
    rows = AuditEntry.objects.visible_to(trust).with_rationale(trust).filter(batch_id__in=batches)
    number = Window(RowNumber(), partition_by=F("batch_id"), order_by=F("id").asc())
    entries: dict[UUID, list[AuditEntry]] = defaultdict(list)
    for entry in rows.annotate(number=number).filter(number__lte=MAX_ENTRIES).order_by("id"):
        entries[entry.batch_id].append(entry)
    return entries


def _overtaken(entry: AuditEntry, trail: Iterable[AuditEntry]) -> AuditEntry | None:
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
