"""Decide about a proposal, a tombstone or an adaptation; permission and version checks of every decision."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from uuid_utils.compat import uuid7

from memories import scanning
from memories.intake import equal_claims, proposals
from memories.models import Adaptation, Memory, Proposal, Tombstone, claim_locks
from memories.models.trusted import Trusted
from memories.values.choices import Permission, Status
from memories.values.exceptions import Conflict, Outdated, one_of
from memories.values.trust import Trust
from memos_site.review.verbs import Decision
from memos_site.review.verbs.attention import check_end


def decidable(rows: "Trusted[Any]", trust: Trust, row_id: UUID) -> Any:
    """Return the row, checked for a decision by the caller.

    NotFound: it does not exist or is not visible; NotAllowed: no permission to review, or to write into its scope.
    """
    row = one_of(rows.visible_to(trust).filter(pk=row_id), "there is nothing here")
    trust.require(Permission.REVIEW, "deciding needs the permission review")
    trust.scope_to_write(row.scope)
    return row


def version_token(row: Memory | Proposal) -> str:
    """Return a token of the present version of a row; a form sends it back as what the person was shown.

    Of a memory its version and, of a skill, the number of the proposed one; of a proposal the version of its memory and
    until when it is snoozed.
    """
    if isinstance(row, Proposal):
        return f"{row.memory.version}.{row.snoozed_until.isoformat() if row.snoozed_until else ''}"
    memory = row
    skill = getattr(memory, "skill", None)
    return f"{memory.version}.{skill.proposed.number if skill and skill.proposed else ''}"


def accept(
    trust: Trust,
    proposal_id: UUID,
    *,
    at: datetime,
    why: str = "",
    token: str = "",
    versions: frozenset[int] | None = None,
    keep: UUID | None = None,
    batch: UUID | None = None,
) -> UUID:
    """Apply a proposal and return the id of the batch by which it is undone: `batch`, else one of its own.

    `token`: the `version_token` that was shown; only the version of the memory in it counts. Conflict: it has changed.

    `versions`: those of the memory that an If-Match allows, else Outdated. `keep`: the memory that holds, or whose
    wording is kept, where a proposal compares several.
    """
    proposal = decidable(Proposal.objects.select_related("memory"), trust, proposal_id)
    batch = batch or uuid7()
    with transaction.atomic():
        claim_locks.to_decide(proposal.scope)
        _match(proposal, "accept", versions)
        if token:
            proposal.memory.lock_for("accept", Status.values)
            if str(proposal.memory.version) != token.partition(".")[0]:
                raise Conflict(f"the memory has changed since you saw it; it is {proposal.memory.status} now")
        proposals.accept(proposal, by=trust.actor, at=at, why=why.strip(), batch=batch, keep=keep)
    return batch


def reject(
    trust: Trust,
    proposal_id: UUID,
    *,
    at: datetime,
    why: str = "",
    token: str = "",
    versions: frozenset[int] | None = None,
    batch: UUID | None = None,
) -> UUID:
    """Close a proposal without applying it and return the batch.

    `versions` and `batch` as in `accept`; `token` is ignored.
    """
    proposal = decidable(Proposal.objects.select_related("memory"), trust, proposal_id)
    batch = batch or uuid7()
    with transaction.atomic():
        _match(proposal, "reject", versions)
        proposal.decide(Proposal.Decision.REJECTED, by=trust.actor, at=at, why=why.strip(), batch=batch)
    return batch


def snooze_proposal(
    trust: Trust,
    proposal_id: UUID,
    *,
    until: datetime | None,
    at: datetime,
    why: str = "",
    token: str = "",
    batch: UUID | None = None,
) -> UUID:
    """Take an open proposal out of the inbox until then (None: bring it back) and return the batch.

    `token`: the `version_token` that was shown; only the snooze in it counts. '' accepts any. `batch` as in `accept`.
    """
    check_end(until, at=at)
    proposal = decidable(Proposal.objects.select_related("memory"), trust, proposal_id)
    batch = batch or uuid7()
    if token and version_token(proposal).partition(".")[2] != token.partition(".")[2]:
        raise Conflict("cannot snooze a proposal that is snoozed anew")
    proposal.snooze(until, by=trust.actor, at=at, why=why.strip(), batch=batch)
    return batch


def _match(proposal: Proposal, verb: str, versions: frozenset[int] | None) -> None:
    if versions is None:
        return
    proposal.memory.lock_for(verb, Status.values)
    if proposal.memory.version not in versions:
        raise Outdated(f"its memory has version {proposal.memory.version} now")


OF_PROPOSALS: dict[str, Callable[..., UUID]] = {"accept": accept, "reject": reject, "snooze": snooze_proposal}
AMONG_MEMORIES = {"promote": "accept", "dismiss": "reject", "snooze": "snooze"}  # what a verb about many does to one


def decide_among(decision: Decision, proposal: Proposal, token: str) -> None:
    """Apply a decision about many rows to a proposal among them, within its batch.

    Conflict: it cannot be applied, or must be read first: what carries a flag, and which one of several holds.
    """
    if decision.verb not in AMONG_MEMORIES:
        raise Conflict("a proposed change is accepted, rejected or snoozed")
    if decision.verb == "promote" and proposal.change.get("verb") == proposals.CHOOSE:
        raise Conflict("decide conflicts one by one")
    if decision.verb == "promote" and (proposal.resembles or scanning.flags(proposal.content)):
        raise Conflict("it is flagged: accept it separately")
    options = decision.options if decision.verb == "snooze" else {}
    decide = OF_PROPOSALS[AMONG_MEMORIES[decision.verb]]
    decide(decision.trust, proposal.pk, at=decision.at, why=decision.why, token=token, batch=decision.batch, **options)


def lift(trust: Trust, tombstone_id: UUID, *, at: datetime, why: str = "") -> UUID:
    """Lift a tombstone, so that what it blocks may be stored again, and return the batch."""
    tombstone = decidable(Tombstone.objects.all(), trust, tombstone_id)
    batch = uuid7()
    with transaction.atomic():
        claim_locks.to_decide(tombstone.scope)
        tombstone.lift(by=trust.actor, at=at, why=why.strip(), batch=batch)
    return batch


def revert(trust: Trust, adaptation_id: UUID, *, keep_memory: bool = True, at: datetime, why: str = "") -> UUID:
    """End an adaptation and return the batch; its memory is kept, or dismissed with it."""
    adaptation = decidable(Adaptation.objects.select_related("memory"), trust, adaptation_id)
    batch = uuid7()
    with transaction.atomic():
        claim_locks.to_decide(adaptation.scope)
        equal_claims.revert_adaptation(
            adaptation, keep_memory=keep_memory, trust=trust, at=at, why=why.strip(), batch=batch
        )
    return batch
