"""Where a revision left words of a memory that is forgotten: at those that it replaced, or that it became part of."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from memories.lifecycle.forgetting import audit_trail
from memories.models import AuditEntry, Evidence, Memory, Proposal, Relation
from memories.models.proposal import PROPOSAL
from memories.values.choices import Type


def unquote(memory: Memory) -> set[UUID]:
    """Takes these words away, in the caller's transaction. The ids of the proposals that made it, which go: what was
    said of them goes too."""
    if memory.type == Type.EPISODIC:  # is never revised
        return set()
    ends = Relation.objects.touching(memory.pk).values_list("source", "target")
    others = {end for pair in ends for end in pair} - {memory.pk}
    about = AuditEntry.objects.about("memory", memory.pk)
    batches = set(about.values_list("batch_id", flat=True))
    audit_trail.silence(_decisions(memory, others, batches))
    heard = memory.evidence.values("occasion")
    Evidence.objects.filter(memory__in=others, occasion__in=heard).update(snapshot="")  # merged, it speaks there too
    return _proposals(others, batches)


def _decisions(memory: Memory, others: Collection[UUID], batches: Collection[UUID]) -> list[UUID]:
    """What was done to others because of it: its rationale may be the words themselves."""
    told = str(memory.pk)
    names = Q(after__relation__source=told) | Q(after__relation__target=told)
    with_it = AuditEntry.objects.filter(subject_id__in=others).filter(names | Q(batch_id__in=batches))
    undone = AuditEntry.objects.filter(names, batch_id__in=batches)  # the relation went with the undoing
    return [*with_it.values_list("pk", flat=True), *undone.values_list("pk", flat=True)]


def _proposals(others: Collection[UUID], batches: Collection[UUID]) -> set[UUID]:
    accepted = AuditEntry.objects.filter(subject_kind=PROPOSAL, batch_id__in=batches).values("subject_id")
    rows = Proposal.objects.filter(pk__in=accepted, memory__in=others)
    ids = set(rows.values_list("pk", flat=True))
    rows.delete()
    return ids
