"""Propose to demote a skill that fails too often: once for each version; it is never demoted by itself."""

from datetime import datetime
from typing import Any

from memories.models import Evidence, Memory, Performance, Proposal
from memories.values.choices import BELIEVED, Outcome
from memories.values.field_errors import format_instant
from memories.values.trust import SYSTEM

MOST_EPISODES = 20  # failing ones that the proposal names, the latest first


def flag_if_failing(memory: Memory, *, at: datetime) -> None:
    """Open the proposal to demote it, or update the open one. What a person decided is not asked again."""
    records = Performance.objects.filter(memory=memory, memory__status__in=BELIEVED)
    record = records.failing().select_related("memory").first()
    if record is None:
        return
    row = record.memory
    change = {"verb": "demote", "version": row.payload.get("skill", {}).get("version")}
    earlier = Proposal.objects.filter(kind=Proposal.Kind.FAILING, memory=row, change=change)
    if earlier.filter(decision__in=(Proposal.Decision.ACCEPTED, Proposal.Decision.REJECTED)).exists():
        return
    why = f"it fails too often: {record.successes} of {record.uses} uses ended well"
    facts: dict[str, Any] = {"by": SYSTEM, "why": why, "at": at, "sensitivity": row.sensitivity}
    proposal = Proposal.objects.propose(Proposal.Kind.FAILING, row, change, **facts)
    Proposal.objects.filter(pk=proposal.pk).update(why=why, evidence=_failures(row))


def _failures(memory: Memory) -> list[dict[str, str]]:
    """The latest episodes that failed with it, of those that whoever sees the memory may see."""
    failed = Evidence.objects.filter(memory=memory, outcome=Outcome.FAILURE, episode__isnull=False)
    visible = failed.filter(episode__memory__sensitivity__lte=memory.sensitivity, episode__scope__in={memory.scope, ""})
    latest = visible.order_by("-at", "-pk").values_list("episode", "at")[:MOST_EPISODES]
    return [{"episode_id": str(episode), "at": format_instant(moment)} for episode, moment in latest]
