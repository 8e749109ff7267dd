"""The review queue: candidates and contested memories, proposed versions of skills, open proposals."""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    Func,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest

from memories.models import Memory, Proposal
from memories.models.evidence import with_support
from memories.models.memory import MemoryQuerySet
from memories.models.passage import saying
from memories.values.choices import Status, Type
from memories.values.trust import Trust
from skills.models import SkillVersion

ORDER = ("-weight", "-support_count", "-created_at", "-id")  # worth of a decision, support, newest
URGENT = (Proposal.Kind.CONFLICT, Proposal.Kind.FAILING)  # ranked above skills, whose worth is at most 1
ORDERS = {"": ORDER, "newest": ("-created_at", "-id"), "surest": ("-confidence", "-created_at", "-id")}
PROPOSALS: tuple[str, ...] = tuple(Proposal.Kind.values)
VERSION = "version"
FLAGGED = "flagged"  # with any flag; RESEMBLES and the names of flags are narrower
RESEMBLES = "resembles"
IN_FORCE = (Status.CONFIRMED, Status.APPLIED)
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
EXACT = ("scope", "source", "category", "company_id")


def waiting_memories(trust: Trust, *, at: datetime, kind: str = "", **filters: str) -> MemoryQuerySet:
    """Return the visible memories that wait for a decision, in the order of what a decision is worth.

    A skill waits as a candidate, and as kind `version` when a new version of a confirmed or applied one is proposed.
    `filters`: exact values of columns (EXACT), `q` as in a list of memories, and `flag`.
    """
    update = SkillVersion.objects.filter(skill=OuterRef("pk"), status=SkillVersion.Status.PROPOSED)
    updated = Q(Exists(update), status__in=IN_FORCE)
    undecided = Q(status__in=UNDECIDED)
    wanted = updated if kind == VERSION else undecided if kind in Type.values else updated | undecided
    rows = Memory.objects.visible_to(trust).awake(at).unexpired(at).filter(wanted, **_columns(filters))
    rows = filter_rows(rows, filters)
    if kind in Type.values:
        rows = rows.filter(type=kind)
    elif kind in PROPOSALS:
        rows = rows.none()
    rows = with_support(rows.select_related("skill", "performance", "worth"))
    weighed: MemoryQuerySet = rows.annotate(weight=Coalesce(F("worth__weight"), 0.0))
    return weighed.order_by(F("weight").desc(), F("support_count").desc(), "-created_at", "-id")


def open_proposals(trust: Trust, *, at: datetime, kind: str = "", **filters: str) -> "QuerySet[Proposal]":
    """Return the open proposals, unordered, with the columns of ORDERS; support is at least 1, the proposer.

    `filters`: those of the memory that each is about.
    """
    about = Memory.objects.visible_to(trust).unexpired(at).filter(**_columns(filters))
    if filters.get("q"):
        about = saying(about, filters["q"])
    rows = Proposal.objects.visible_to(trust).open().awake(at).filter(memory__in=about)
    if filters.get("flag"):
        rows = rows.exclude(resembles=None) if filters["flag"] in (FLAGGED, RESEMBLES) else rows.none()
    if kind:
        rows = rows.filter(kind=kind)
    spoken = Func(F("evidence"), function="jsonb_array_length", output_field=IntegerField())
    weight = Case(When(kind__in=URGENT, then=Value(2.0)), default=Value(0.0), output_field=FloatField())
    rows = rows.annotate(support_count=Greatest(spoken, Value(1)), created_at=F("opened_at"), weight=weight)
    return rows.annotate(confidence=F("memory__confidence")).select_related("memory__skill")


def _columns(filters: Mapping[str, str]) -> dict[str, str]:
    return {name: filters[name] for name in EXACT if filters.get(name)}


def filter_rows(rows: MemoryQuerySet, filters: Mapping[str, str]) -> MemoryQuerySet:
    """Filter by `flag` and `q`, where they are given."""
    if filters.get("flag"):
        rows = rows.filter(flag_condition(filters["flag"]))
    return saying(rows, filters["q"]) if filters.get("q") else rows


def flag_condition(flag: str) -> Q:
    """Return the condition of a flag: its name, RESEMBLES, or FLAGGED for any."""
    if flag == RESEMBLES:
        return Q(resembles__isnull=False)
    return ~Q(flags=[]) | Q(resembles__isnull=False) if flag == FLAGGED else Q(flags__contains=[flag])


def kinds(trust: Trust, *, at: datetime, **filters: str) -> dict[str, int]:
    """Count by kind the memories and proposals that wait and match the filters."""
    ids = waiting_memories(trust, at=at, **filters).order_by().values("pk")
    counted: dict[str, int] = {}
    memories = Memory.objects.filter(pk__in=ids).order_by().values("type", "status").annotate(n=Count("pk"))
    for row in memories:
        kind = VERSION if row["status"] in IN_FORCE else row["type"]
        counted[kind] = counted.get(kind, 0) + row["n"]
    proposals = open_proposals(trust, at=at, **filters).order_by()
    counted.update(proposals.values_list("kind").annotate(n=Count("pk")))
    return counted


def kind_of(row: Memory | Proposal) -> str:
    """Return the kind of a waiting row: that of a proposal, VERSION, or the type of the memory."""
    if isinstance(row, Proposal):
        return row.kind
    return VERSION if row.status in IN_FORCE else row.type
