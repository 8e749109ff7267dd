"""A proposal is put off: out of the inbox for a while, still open."""

from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from memories.choices import Permission
from memories.exceptions import NotAllowed, NotFound
from memories.models import Proposal
from memories.trust import Trust


def put_off(trust: Trust, proposal_id: UUID, *, until: datetime | None, at: datetime, why: str = "") -> UUID:
    """It is back at `until`, or at once for None; the batch by which that is undone."""
    proposal = Proposal.objects.visible_to(trust).filter(pk=proposal_id).first()
    if proposal is None:
        raise NotFound("there is nothing here")
    if not trust.may(Permission.REVIEW):
        raise NotAllowed("deciding needs the permission review")
    batch = uuid7()
    proposal.snooze(until, by=trust.actor, at=at, why=why.strip(), batch=batch)
    return batch
