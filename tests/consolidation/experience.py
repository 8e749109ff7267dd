"""Small recorded experience: conversations with tools, as agents would post them, and what consolidation made of it."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from consolidation.consolidation_run import consolidate
from consolidation.models import Pattern, Run
from memories.intake import episodes
from memories.intake.reports import conversation
from memories.models import Memory
from memories.values.choices import ActorKind
from memories.values.trust import Actor, Trust, everything

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
AGENT = everything(Actor(ActorKind.AGENT, "build-agent"))
_number = count(1)


def messages(tools: list[str], *, opening: str = "please build it") -> list[dict[str, Any]]:
    """A user's wish, and a call with its result for each tool."""
    said: list[dict[str, Any]] = [{"role": "user", "content": opening}]
    for n, tool in enumerate(tools):
        call = {"id": f"call-{n}", "type": "function", "function": {"name": tool, "arguments": '{"path": "src"}'}}
        said.append({"role": "assistant", "content": "", "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"call-{n}", "content": "done"})
    return said


def run(
    used: list[str], outcome: str | None = "success", *, minutes: int = 0, trust: Trust = AGENT, **fields: Any
) -> Memory:
    """One stored run. `minutes` after noon it was closed; further fields are those of a conversation."""
    fields = {"id": f"run-{next(_number)}", "messages": messages(used), "scope": "project:acme", **fields}
    draft = conversation.parse({**fields, "outcome": outcome} if outcome else fields)
    stored = episodes.conversation(draft, trust=trust, at=NOON + timedelta(minutes=minutes))
    assert stored.memory is not None
    return stored.memory


def consolidated(*, at: datetime = NOON + timedelta(hours=1)) -> Run:
    """A run of consolidation by hand, which must not have failed."""
    done = consolidate(trigger=Run.Trigger.COMMAND, wait=True, at=at)
    assert done is not None
    assert done.status == Run.Status.SUCCEEDED, done.error
    return done


def competence(signature: str) -> Memory:
    """The competence memory of a pattern, read afresh."""
    memory = Pattern.objects.get(signature=signature).memory
    assert memory is not None
    return Memory.objects.select_related("performance", "skill").get(pk=memory.pk)


def totals() -> list[tuple[str, int, int, int, int]]:
    """What all patterns have counted, and how much evidence their memories hold."""
    return sorted(
        (p.signature, p.successes, p.failures, p.partials, p.memory.evidence.count() if p.memory else 0)
        for p in Pattern.objects.select_related("memory")
    )
