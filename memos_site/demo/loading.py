"""Load the demo team, once, and remove it: every row of its scopes, from every table, with its trail."""

from datetime import datetime, timedelta

from django.apps import apps
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q

from consolidation.insights import day_counts
from consolidation.models import DailyCount, LLMCall, PluginRun, ToolUse
from memories import leases
from memories.indexing import queue
from memories.lifecycle import words_elsewhere
from memories.models import Agent, AuditEntry, Event, Memory, Subject
from memories.models.agent import AgentQuerySet
from memories.values.exceptions import Conflict
from memories.values.trust import SYSTEM
from memos_site.demo.agent_steps import history
from memos_site.demo.claims import AGENTS, PREFIX, TEAM
from memos_site.demo.people_steps import decisions, jobs, uses

ROOMS = ("memories", "skills", "consolidation")
LEASE = "demo"
BEGAN = timedelta(days=85)  # before the first step


class NotEmpty(Conflict):
    def __str__(self) -> str:  # and no argument: `serve --demo` raises it in a fork, which pickles it
        return "this store holds other data: confirm that the demo team shall be added to it"


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
    half-way is removed again, at once or by the next that loads it.
    """
    with leases.hold(LEASE, wait=False) as fence:
        if not fence:
            raise Busy
        if _is_cut_off():
            _remove()
        if is_loaded():
            return False
        if holds_other_data() and not beside_others:
            raise NotEmpty
        try:
            _load(at)
        except BaseException:
            _remove()
            raise
    return True


def _is_cut_off() -> bool:
    """Whether its process was killed while it loaded the team: its agents are used at the very end."""
    return _agents().filter(last_used_at=None).exists()


def _agents() -> AgentQuerySet:
    return Agent.objects.filter(name__in=AGENTS, scopes__0__startswith=PREFIX)


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


def remove() -> int:
    """Remove the team and return how many memories it had. Busy: another process loads or removes it.

    Packages of its skills are swept by the job that looks for orphans.
    """
    with leases.hold(LEASE, wait=False) as fence:
        if not fence:
            raise Busy
        return _remove()


def _remove() -> int:
    ours = Q(scope__startswith=PREFIX)
    with transaction.atomic(), words_elsewhere.erasing():
        ids = list(Memory.objects.filter(ours).values_list("pk", flat=True))
        agents = _agents()
        subjects = Subject.objects.drop_unmentioned(ids)
        AuditEntry.objects.filter(subject_id__in=[*ids, *subjects, *agents.values_list("pk", flat=True)]).delete()
        LLMCall.objects.filter(run__scope__startswith=PREFIX).delete()
        PluginRun.objects.filter(episode_id__in=ids).delete()
        Event.objects.filter(episode__in=ids).delete()
        agents.delete()
        for model in _with_a_scope():
            model._default_manager.filter(ours).delete()
        Memory.objects.filter(ours).delete()
        calls = Event.objects.filter(kind="tool_call", tool=OuterRef("tool"))
        ToolUse.objects.exclude(Exists(calls)).delete()
        if not Memory.objects.exists():
            DailyCount.objects.all().delete()  # the marks of days, too: what comes is counted from its first day
    return len(ids)


def _with_a_scope() -> list[type[models.Model]]:
    """The tables that name a scope, memories left out: what belongs to them goes with them."""
    own_models = [model for room in ROOMS for model in apps.get_app_config(room).get_models()]
    return [
        model
        for model in own_models
        if model is not Memory and any(f.name == "scope" for f in model._meta.get_fields())
    ]
