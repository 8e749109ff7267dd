"""What the tests of the desk share: who decides, and applied memories with what stands beside them."""

from datetime import timedelta
from typing import Any

from memories.models import Memory, Proposal
from memories.values.choices import Category, Status
from memories.values.trust import everything
from tests.make import ANNA, AT, make_memory

TRUST = everything(ANNA)
LATER = AT + timedelta(hours=1)


def make_applied(content: str = "Reply in German", **facts: Any) -> Memory:
    """A preference that was promoted to applied: an adaptation is active."""
    memory = make_memory(content, **{"category": Category.PREFERENCE, "times_confirmed": 3} | facts)
    memory.promote(to=Status.APPLIED, by=ANNA, at=AT)
    return memory


def propose(memory: Memory, **change: Any) -> Proposal:
    """An agent's wish, open."""
    said = {"verb": "edit", **(change or {"content": "Acme pays on net-60 terms"})}
    told: dict[str, Any] = {"by": ANNA, "why": "new contract", "at": AT, "sensitivity": 1}
    return Proposal.objects.propose(Proposal.Kind.REVISION, memory, said, **told)


def stands(memory: Memory) -> tuple[str, int, str]:
    row: tuple[str, int, str] = Memory.objects.values_list("status", "confidence", "hold").get(pk=memory.pk)
    return row
