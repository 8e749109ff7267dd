"""Who may revise a memory without a person: reviewers any, an agent its own."""

from memories.models import Evidence, Memory
from memories.values.choices import ActorKind, Hold, Permission, Status
from memories.values.trust import Actor, Trust


def decides(trust: Trust) -> bool:
    """Whether the caller is a person or a token with `review`: its revisions hold at once."""
    return trust.actor.kind == ActorKind.PERSON or trust.may(Permission.REVIEW)


def is_own(memory: Memory, trust: Trust, *, of_others: bool | None = None) -> bool:
    """Whether the caller may revise it without a person: who `decides` any, an agent what is its alone."""
    return decides(trust) or is_alone(memory, trust.actor, of_others=of_others)


def is_alone(memory: Memory, agent: Actor, *, of_others: bool | None = None) -> bool:
    """Made by this agent, no other agent's evidence, no hold, not applied.

    `of_others`: whether there is such evidence, where the caller has asked.
    """
    me = agent.identity
    mine = memory.created_by_id == me and memory.hold == Hold.NONE and memory.status != Status.APPLIED
    if not mine or of_others is not None:
        return mine and not of_others
    return not Evidence.objects.filter(memory=memory).exclude(made_by="").exclude(made_by_id=me).exists()
