"""Set aside what one agent alone has brought in, by one batch: its claims are dismissed, its runs count no more."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from memories.intake import episodes
from memories.models import Agent, Episode, Memory, Proposal
from memories.models.memory import MemoryQuerySet
from memories.values.choices import OutcomeSource, Review, Type
from memories.values.speakers import OfReview
from memories.values.trust import Trust
from memos_site.review.bulk import by_ids

MOST = 500  # claims, proposals and runs each at once, in one request
WHY = "said by {} alone, which is not to be relied on"


@dataclass(frozen=True)
class SetAside:
    """`batch`: by which all of it is undone; `claims`: dismissed, and proposals rejected; `runs`: that count no more;
    `is_all`: nothing of it is left."""

    batch: UUID
    claims: int
    runs: int
    is_all: bool


def set_aside(agent: Agent, *, trust: Trust, at: datetime) -> SetAside:
    """Dismiss the claims that nobody but this agent has said and no person decided, reject what it proposes, and say of
    its runs that how they ended cannot be told, but where a person has. What was learned from them follows with the
    next consolidation. NotAllowed: no permission to review.
    """
    claims = [*claims_of(agent, trust).values_list("pk", flat=True)[:MOST]]
    proposals = Proposal.objects.visible_to(trust).open().filter(made_by=agent.name)
    claims += proposals.values_list("pk", flat=True)[:MOST]
    result = by_ids(trust, claims, "dismiss", at=at, why=WHY.format(agent.name))
    runs = _runs_of(agent, trust)
    with transaction.atomic():
        for run in sorted(runs, key=lambda run: run.pk):
            episodes.judge(run, None, trust=trust, at=at, note=WHY.format(agent.name), batch=result.batch)
    is_all = max(len(claims), len(runs)) < MOST
    return SetAside(result.batch, len(result.done) + len(result.equals), len(runs), is_all)


def claims_of(agent: Agent, trust: Trust) -> MemoryQuerySet:
    """The live claims of which it is the only speaker, also those that were read in its runs."""
    me = agent.trust.actor.identity
    alone = Q(speakers=[me]) | Q(speakers=[], created_by_id=me)
    rows = Memory.objects.visible_to(trust).live().filter(alone, type=Type.SEMANTIC)
    return rows.filter(OfReview(Review.ONE_AGENT).q(""))


def _runs_of(agent: Agent, trust: Trust) -> list[Episode]:
    """The newest runs whose outcome is known, and not by a person."""
    rows = Episode.objects.visible_to(trust).filter(memory__created_by_id=agent.trust.actor.identity)
    rows = rows.exclude(outcome=None).exclude(outcome_source=OutcomeSource.PERSON).select_related("memory")
    return list(rows.order_by("-memory_id")[:MOST])
