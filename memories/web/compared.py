"""The memories that a proposal compares, for the pages that show it."""

from collections.abc import Iterable

from memories.models import Memory, Proposal
from memories.values.trust import Trust


def attach_compared(rows: Iterable[Memory | Proposal], trust: Trust) -> None:
    """Set `compared` on each proposal about several memories: those that the caller may see, the one to change first.

    One query for all of them, none when no proposal compares any.
    """
    proposals = [row for row in rows if isinstance(row, Proposal) and row.others]
    if not proposals:
        return
    wanted = {memory_id for proposal in proposals for memory_id in proposal.subjects}
    visible = {row.pk: row for row in Memory.objects.visible_to(trust).filter(pk__in=wanted).select_related("skill")}
    for proposal in proposals:
        compared = [visible[memory_id] for memory_id in proposal.subjects if memory_id in visible]
        proposal.compared = compared  # type: ignore[attr-defined]  # for the template alone
