"""Remove the words of a forgotten memory from those that it replaced, or that it became part of, by a revision."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from memories.lifecycle.forgetting import audit_trail
from memories.models import AuditEntry, Evidence, Memory, Proposal, Relation
from memories.models.proposal import PROPOSAL
from memories.values.choices import Type


def unquote(memory: Memory) -> set[UUID]:
    """Remove these words, in the caller's transaction; the ids of the proposals that made it, which are removed too."""
    if memory.type == Type.EPISODIC:  # is never revised
        return set()
    ends = Relation.objects.touching(memory.pk).values_list("source", "target")
    others = {end for pair in ends for end in pair} - {memory.pk}
    about = AuditEntry.objects.about("memory", memory.pk)
    batches = set(about.values_list("batch_id", flat=True))
    audit_trail.silence(_decisions(memory, others, batches))
    occasions = memory.evidence.values("occasion")
    Evidence.objects.filter(memory__in=others, occasion__in=occasions).update(snapshot="")  # of merged ones
    return _proposals(others, batches)


def _decisions(memory: Memory, others: Collection[UUID], batches: Collection[UUID]) -> list[UUID]:
    """The audit entries of others that concern it: their rationale may hold its words."""
    key = str(memory.pk)
    names = Q(after__relation__source=key) | Q(after__relation__target=key)
    with_it = AuditEntry.objects.filter(subject_id__in=others).filter(names | Q(batch_id__in=batches))
    undone = AuditEntry.objects.filter(names, batch_id__in=batches)  # the relation went with the undoing
    return [*with_it.values_list("pk", flat=True), *undone.values_list("pk", flat=True)]


def _proposals(others: Collection[UUID], batches: Collection[UUID]) -> set[UUID]:
    accepted = AuditEntry.objects.filter(subject_kind=PROPOSAL, batch_id__in=batches).values("subject_id")
    rows = Proposal.objects.filter(pk__in=accepted, memory__in=others)
    ids = set(rows.values_list("pk", flat=True))
    rows.delete()
    return ids
