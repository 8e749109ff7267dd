"""What people decided and what came in since an instant, in numbers."""

from datetime import datetime

from django.db.models import Count

from memories.models import AuditEntry, Memory, Tombstone
from memories.models.proposal import PROPOSAL
from memories.values.choices import EXPERIENCE, ActorKind
from memories.values.trust import Trust

DECISIONS = ("promote", "dismiss", "accept", "reject", "revise", "snooze")


def tally(trust: Trust, *, since: datetime) -> dict[str, int]:
    """By decision, as far as the caller may see; `new`: memories that are there since, `blocked`: dismissed claims that
    were said again."""
    trail = AuditEntry.objects.visible_to(trust).filter(at__gte=since, actor_kind=ActorKind.PERSON)
    decided = trail.filter(action__in=DECISIONS, subject_kind__in=("memory", PROPOSAL)).order_by().values_list("action")
    counted = dict.fromkeys(DECISIONS, 0) | dict(decided.annotate(n=Count("pk")))
    counted["new"] = Memory.objects.visible_to(trust).exclude(type__in=EXPERIENCE).filter(created_at__gte=since).count()
    counted["blocked"] = Tombstone.objects.visible_to(trust).filter(last_hit_at__gte=since).count()
    return counted
