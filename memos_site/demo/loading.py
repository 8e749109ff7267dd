"""Load the demo team, once."""

from datetime import datetime, timedelta

from consolidation.insights import day_counts
from memories import leases
from memories.indexing import queue
from memories.models import Agent, Memory
from memories.values.exceptions import Conflict
from memories.values.trust import SYSTEM
from memos_site.demo.agent_steps import history
from memos_site.demo.people_steps import decisions, jobs, uses
from memos_site.demo.removing import remove
from memos_site.demo.scopes import AGENTS, PREFIX, TEAM

LEASE = "demo"
BEGAN = timedelta(days=85)  # before the first step


class NotEmpty(Conflict):
    def __str__(self) -> str:  # and no argument: `serve --demo` raises it in a fork, which pickles it
        return "this store holds data of its own: say that the demo team shall come beside it"


class Busy(Conflict):
    def __str__(self) -> str:
        return "the demo team is being loaded or removed right now"


def is_loaded() -> bool:
    return Memory.objects.filter(scope__startswith=PREFIX).exists()


def holds_other_data() -> bool:
    return Memory.objects.exclude(scope__startswith=PREFIX).exists()


def load(*, at: datetime, beside_others: bool = False) -> bool:
    """Load the team as if it had worked here for weeks until `at`; False: it is there already.

    NotEmpty: the store has other data, and nobody said that this is fine. Busy: another process does it. What fails
    half-way is removed again.
    """
    with leases.hold(LEASE, wait=False) as fence:
        if not fence:
            raise Busy
        if is_loaded():
            return False
        if holds_other_data() and not beside_others:
            raise NotEmpty
        try:
            _load(at)
        except BaseException:
            remove()
            raise
    return True


def _load(at: datetime) -> None:
    for name, scopes in AGENTS.items():
        Agent.objects.issue(name, scopes=sorted({*scopes, TEAM}), by=SYSTEM)
    before_uses = sorted([*history(), *decisions(), *jobs()], key=lambda step: -step.days_ago)
    for step in before_uses:
        step.run(at)
    for step in sorted(uses(), key=lambda step: -step.days_ago):
        step.run(at)
    Agent.objects.filter(name__in=AGENTS).update(created_at=at - BEGAN, last_used_at=at)
    while queue.embed_some(at=at):
        pass
    day_counts.count(at=at)
