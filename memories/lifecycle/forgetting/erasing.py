"""Erase one memory: as forget, and its names, keys, tombstone and trail go too."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memories.lifecycle.forgetting import audit_trail
from memories.lifecycle.forgetting.forget import Receipt, allow, take
from memories.models import Adaptation, AuditEntry, Memory, Tombstone, claim_locks
from memories.models.audit import AuditQuerySet
from memories.models.trusted import new_id
from memories.values.exceptions import NotFound
from memories.values.trust import Trust

ERASURE = "erasure"


def erase(memory_id: UUID, *, trust: Trust, at: datetime, dry_run: bool = False) -> Receipt:
    """Remove all of a memory, also of one that was forgotten before; only that something was erased stays.

    NotFound: neither it nor a trail of it within the caller's trust. Whether the caller may is asked at the door.
    """
    memory = Memory.objects.visible_to(trust).filter(pk=memory_id).first()
    known = AuditEntry.objects.about("memory", memory_id)
    if memory is None and (not known.visible_to(trust).exists() or Memory.objects.filter(pk=memory_id).exists()):
        raise NotFound("no such memory")
    if dry_run and memory:
        allow(memory, trust)
    if dry_run:
        return Receipt.of(memory) if memory else Receipt(memory_id)
    with transaction.atomic():
        claim_locks.to_decide(*Tombstone.objects.filter(memory_id=memory_id).values_list("scope", flat=True))
        receipt, subjects = take(memory, trust=trust, at=at) if memory else (Receipt(memory_id), set())
        tombstones = Tombstone.objects.filter(memory_id=memory_id)
        tombstones.lift(by=trust.actor, at=at)  # what they withheld is offered again
        _note(known, trust=trust, at=at)
        audit_trail.remove({memory_id, *subjects, *tombstones.values_list("pk", flat=True)})
        tombstones.delete()
        Adaptation.objects.filter(pk__in=subjects).delete()
    return receipt


def _note(known: AuditQuerySet, *, trust: Trust, at: datetime) -> None:
    """A new subject, so that it leads to nothing."""
    last = known.reverse().values_list("scope", "sensitivity").first()
    scope, sensitivity = last or ("", trust.max_sensitivity)
    about: dict[str, Any] = {
        "kind": ERASURE,
        "subject": new_id(),
        "label": "",
        "scope": scope,
        "sensitivity": sensitivity,
    }
    AuditEntry.draft(action="erase", by=trust.actor, at=at, **about).save(force_insert=True)
