"""What one agent alone has said, as others are offered it: marked, not at all, or plainly (UNREVIEWED_CLAIMS)."""

from django.conf import settings

from memories.models import Memory
from memories.values.choices import ActorKind
from memories.values.conditions import Filter
from memories.values.speakers import ReviewedFor, is_unreviewed
from memories.values.trust import Trust

SAID_BY = "said by one agent"
MARK = f"unreviewed, {SAID_BY}"
HIDE, PLAIN = "hide", "plain"


def is_marked(row: Memory, trust: Trust) -> bool:
    """Whether this reader is told that a memory is unreviewed. Its own claims an agent reads plainly."""
    return settings.UNREVIEWED_CLAIMS != PLAIN and is_unreviewed(row, reader=trust.actor.identity)


def shown_to(trust: Trust) -> Filter:
    """The filter for what is offered to this reader. Nothing is hidden from people, who review it."""
    hides = settings.UNREVIEWED_CLAIMS == HIDE and trust.actor.kind == ActorKind.AGENT
    return Filter((ReviewedFor(trust.actor.identity),)) if hides else Filter()


def announced_to(trust: Trust) -> Filter:
    """The filter for memories whose change of behaviour this reader is told of."""
    return Filter() if settings.UNREVIEWED_CLAIMS == PLAIN else Filter((ReviewedFor(trust.actor.identity),))
