"""The rows of the inbox and how many there are of each kind."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy

from memories.choices import Type
from memories.models import AuditEntry, Memory, Proposal
from memories.models.memory import MemoryQuerySet
from memories.trust import Trust
from memos_site import desk
from skills.models import SkillVersion

KINDS = {
    Type.SEMANTIC: gettext_lazy("Facts and preferences"),
    Type.WORKING: gettext_lazy("Working states"),
    Type.COMPETENCE: gettext_lazy("New skills"),
    desk.VERSION: gettext_lazy("Versions"),
    Type.PLAN_GRAPH: gettext_lazy("Plans"),
    Proposal.Kind.REVISION: gettext_lazy("Revisions"),
    Proposal.Kind.MERGE: gettext_lazy("Merges"),
    Proposal.Kind.CONFLICT: gettext_lazy("Conflicts"),
    Proposal.Kind.FAILING: gettext_lazy("Failing"),
}
FILTERS = ("kind", "scope", "source", "category", "company_id")


def rows(trust: Trust, **asked: str) -> MemoryQuerySet:
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    return desk.waiting(trust, at=timezone.now(), **asked).prefetch_related(versions)


def proposals(trust: Trust, **asked: str) -> "QuerySet[Proposal]":
    return desk.proposed(trust, at=timezone.now(), **asked)


def decided(trust: Trust, memory_id: Any) -> Memory | None:
    """The memory as it now stands, with the last thing that was done to it as `last`."""
    memory = Memory.objects.visible_to(trust).select_related("skill").filter(pk=memory_id).first()
    if memory:
        memory.last = AuditEntry.objects.visible_to(trust).about("memory", memory_id).last()  # type: ignore[attr-defined]
    return memory


def kinds(trust: Trust) -> list[dict[str, Any]]:
    """How many decisions wait, by kind."""
    counted = desk.kinds(trust, at=timezone.now())
    return [{"value": str(kind), "label": label, "n": counted.get(kind, 0)} for kind, label in KINDS.items()]
