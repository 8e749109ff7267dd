"""Remove the demo team: every row of its scopes, from every table, with its trail."""

from django.apps import apps
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q

from consolidation.models import DailyCount, LLMCall, PluginRun, ToolUse
from memories.lifecycle.forgetting import audit_trail
from memories.models import Agent, AuditEntry, Event, Memory, Subject
from memos_site.demo.scopes import AGENTS, PREFIX

ROOMS = ("memories", "skills", "consolidation")


def remove() -> int:
    """Returns how many memories there were. Packages of skills are swept by the job that looks for orphans."""
    ours = Q(scope__startswith=PREFIX)
    with transaction.atomic(), audit_trail.erasing():
        ids = list(Memory.objects.filter(ours).values_list("pk", flat=True))
        agents = Agent.objects.filter(name__in=AGENTS, scopes__0__startswith=PREFIX)
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
