"""Competences and plans that a caller brings whole. They never climb by number; a person publishes or promotes them."""

from datetime import datetime
from typing import Any

from django.db import transaction

from memories.intake.claims import occasions
from memories.intake.claims.creating import Taken, begun, create
from memories.intake.claims.suppression import met_by, suppress
from memories.intake.claims.writing import hold, live_row
from memories.intake.statements import NOTHING_TOLD, Occasion, Statement, Stored
from memories.models import Memory, Proposal
from memories.models.proposal import REJECTED
from memories.values.choices import Sensitivity
from memories.values.exceptions import Conflict
from memories.values.trust import Trust


def write_packaged(statement: Statement, founding: Occasion, *, trust: Trust, at: datetime) -> Stored:
    """A candidate under its key. The same again changes nothing; another one for that key is proposed in its place."""
    with transaction.atomic():
        hold(statement.scope, statement.key)
        evidence = occasions.sensitivity_of([founding], statement.scope, trust)
        row = live_row(statement.scope, statement.key, at=at)
        if row is not None:
            return _met(row, statement, evidence=evidence, trust=trust, at=at)
        suppressing, resembled = met_by(statement, trust=trust)
        if suppressing is not None:
            return suppress(suppressing, statement, trust=trust, at=at)
        try:
            memory = create(statement, [founding], evidence=evidence, resembled=resembled, trust=trust, at=at)
        except Taken:
            raise Conflict(f"another live memory holds the key {statement.key!r} meanwhile") from None
        return begun(memory, resembled)


def _met(row: Memory, statement: Statement, *, evidence: int, trust: Trust, at: datetime) -> Stored:
    seen = trust.sees(scope=row.scope, sensitivity=row.sensitivity)
    if seen and row.type != statement.type:
        raise Conflict(f"the key {row.key!r} is that of a memory of the type {row.type}")
    if row.content == statement.content and row.payload == statement.payload:
        return Stored(row) if seen else NOTHING_TOLD
    needed = max(row.sensitivity, statement.at_least(evidence))
    proposal = Proposal.objects.propose(
        Proposal.Kind.REVISION,
        row,
        {"verb": "supersede", "memory": _as_memory(statement, needed)},
        by=trust.actor,
        why=f"{statement.source} says otherwise"[:2000],
        at=at,
        sensitivity=needed,
    )
    if not seen:
        return NOTHING_TOLD
    return Stored(row, notice=REJECTED) if proposal.is_rejected else Stored(row, proposal=proposal.pk)


def _as_memory(statement: Statement, sensitivity: int) -> dict[str, Any]:
    """The typed fields, as a revision takes them."""
    said = {"type": statement.type.value, "content": statement.content, "payload": statement.payload}
    told: dict[str, Any] = {"source": statement.source, "sensitivity": Sensitivity(sensitivity).label}
    return {**said, **told, **({"tags": list(statement.tags)} if statement.tags else {})}
