"""Rows, filters and counts of the inbox."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories import scanning
from memories.models import AuditEntry, Memory, Proposal, Relation
from memories.models.evidence import with_doubt
from memories.models.memory import MemoryQuerySet
from memories.values.choices import Category, Type
from memories.values.trust import Trust
from memos_site import review
from skills.models import SkillVersion

KINDS = {
    Type.SEMANTIC: gettext_lazy("Facts and preferences"),
    Type.WORKING: gettext_lazy("Working states"),
    Type.COMPETENCE: gettext_lazy("New skills"),
    review.VERSION: gettext_lazy("Versions"),
    Type.PLAN_GRAPH: gettext_lazy("Plans"),
    Proposal.Kind.REVISION: gettext_lazy("Revisions"),
    Proposal.Kind.MERGE: gettext_lazy("Merges"),
    Proposal.Kind.CONFLICT: gettext_lazy("Conflicts"),
    Proposal.Kind.FAILING: gettext_lazy("Failing"),
}
FLAGS = {
    review.FLAGGED: gettext_lazy("any flag"),
    review.RESEMBLES: gettext_lazy("resembles one you dismissed"),
    scanning.SECRET: gettext_lazy("secret"),
    scanning.INSTRUCTION: gettext_lazy("instruction-like"),
    scanning.HIDDEN: gettext_lazy("hidden characters"),
}
ORDERS = {"newest": gettext_lazy("newest first"), "surest": gettext_lazy("surest first")}
TALLY_LABELS = {
    "promote": gettext_lazy("promoted"),
    "dismiss": gettext_lazy("dismissed"),
    "accept": gettext_lazy("proposals accepted"),
    "reject": gettext_lazy("proposals rejected"),
    "revise": gettext_lazy("edited"),
    "snooze": gettext_lazy("snoozed"),
    "new": gettext_lazy("new memories"),
    "blocked": gettext_lazy("dismissed claims said again, and not heard"),
}
FILTERS = ("kind", *review.EXACT, "q", "flag")
MAX_FILTER = 512  # characters
MAX_CHOICES = 1_000  # combinations of scope, source and company that the filters offer


def filters_of(query: Mapping[str, str]) -> dict[str, str]:
    """Read the filters of a query; '' for a value that is missing or not known."""
    filters = {name: query.get(name, "").replace("\0", "").strip()[:MAX_FILTER] for name in FILTERS}
    known = {"kind": KINDS, "category": Category.values, "flag": FLAGS}
    return {name: value if value in known.get(name, (value,)) else "" for name, value in filters.items()}


def rows(trust: Trust, **filters: str) -> MemoryQuerySet:
    """Return the waiting memories with the versions of skills and what contests each.

    `contests`: the relations; `doubt`: the words.
    """
    now = timezone.now()
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    contests = Prefetch("relations", Relation.objects.contests(trust, at=now), to_attr="contests")
    memories = with_doubt(review.waiting_memories(trust, at=now, **filters))
    waiting: MemoryQuerySet = memories.prefetch_related(versions, contests)
    return waiting


def proposals(trust: Trust, **filters: str) -> "QuerySet[Proposal]":
    """Return the open proposals within the filters."""
    return review.open_proposals(trust, at=timezone.now(), **filters)


def decided_memory(trust: Trust, memory_id: Any) -> Memory | None:
    """Return the memory in its present state, with its latest audit entry as `last_entry`; None when not visible."""
    memory = Memory.objects.visible_to(trust).select_related("skill").filter(pk=memory_id).first()
    if memory:
        trail = AuditEntry.objects.visible_to(trust).with_rationale(trust).about("memory", memory_id)
        memory.last_entry = trail.last()  # type: ignore[attr-defined]  # for the template alone
    return memory


def decided_memories(trust: Trust, ids: Collection[UUID]) -> list[Memory]:
    """Return several memories, each as by `decided_memory`."""
    rows = {row.pk: row for row in Memory.objects.visible_to(trust).select_related("skill").filter(pk__in=ids)}
    trail = (
        AuditEntry.objects.visible_to(trust).with_rationale(trust).filter(subject_kind="memory", subject_id__in=rows)
    )
    for entry in trail.order_by("subject_id", "-at", "-id").distinct("subject_id"):
        rows[entry.subject_id].last_entry = entry  # type: ignore[attr-defined]  # for the template alone
    return list(rows.values())


def every_proposal(trust: Trust) -> "QuerySet[Proposal]":
    """Return all visible proposals, open or decided, with the relations that a row shows."""
    return Proposal.objects.visible_to(trust).select_related("memory__skill")


def today(trust: Trust) -> list[tuple[Any, int]]:
    """Count decisions since midnight in the workspace's time zone, as (label, n); zeros are left out."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    counts = review.tally(trust, since=midnight)
    return [(word, counts[name]) for name, word in TALLY_LABELS.items() if counts[name]]


def kinds(trust: Trust, filters: Mapping[str, str]) -> list[dict[str, Any]]:
    """Count the waiting decisions within the filters by kind; of every kind, whichever tab is open."""
    others = {name: value for name, value in filters.items() if name != "kind"}
    counts = review.kinds(trust, at=timezone.now(), **others)
    return [{"value": str(kind), "label": label, "n": counts.get(kind, 0)} for kind, label in KINDS.items()]


def choices(trust: Trust) -> dict[str, list[tuple[str, Any]]]:
    """Return the options of the filters: values of waiting rows, flags and orders."""
    names = ("scope", "source", "company_id")
    waiting = review.waiting_memories(trust, at=timezone.now()).order_by().values_list(*names).distinct()[:MAX_CHOICES]
    values = zip(names, zip(*waiting, strict=True), strict=False)
    return {
        **{name: [(value, value) for value in _sorted_values(column)] for name, column in values},
        "category": [(value, _(value)) for value in Category.values],
        "flag": list(FLAGS.items()),
        "sort": list(ORDERS.items()),
    }


def _sorted_values(values: Iterable[str | None]) -> list[str]:
    return sorted({value for value in values if value}, key=str.casefold)
