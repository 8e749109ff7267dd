"""The review queue: candidates and contested memories, proposed versions of skills, open proposals."""

from collections.abc import Mapping
from datetime import datetime

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    BooleanField,
    Case,
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

from consolidation.models.commands import CommandFact
from consolidation.models.redundancies import Redundancy
from memories.models import Agent, Memory, Proposal
from memories.models.evidence import supporting_occasions, with_support
from memories.models.memory import MemoryQuerySet
from memories.models.passage import with_words
from memories.values.choices import Status, Type
from memories.values.trust import Trust
from skills.models import SkillVersion

ORDER = ("-weight", "-support_count", "-created_at", "-id")  # worth of a decision, support, newest
URGENT = (Proposal.Kind.CONFLICT, Proposal.Kind.FAILING)  # ranked above skills, whose worth is at most 1
SNOOZED_ORDER = ("snoozed_until", "id")
ORDERS = {"": ORDER, "newest": ("-created_at", "-id"), "surest": ("-confidence", "-created_at", "-id")}
PROPOSALS: tuple[str, ...] = tuple(Proposal.Kind.values)
SNOOZED = "snoozed"  # in the place of a kind: all that is snoozed, which no kind has
SNOOZED_PROPOSALS = "snoozed proposals"
VERSION = "version"
LEARNED = "learned"  # what is no claim, of all types
OTHER_TYPES: tuple[str, ...] = tuple(str(type) for type in Type if type != Type.SEMANTIC)
FLAGGED = "flagged"  # with any flag; RESEMBLES, WITHHELD and the names of flags are narrower
RESEMBLES, WITHHELD = "resembles", "withheld"
IN_FORCE = (Status.CONFIRMED, Status.APPLIED)
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
NOT_ASKED = (  # what consolidation learned and only keeps: it repeats what is known, or says too little by itself
    Q(status=Status.CANDIDATE, type=Type.PLAN_GRAPH, plan_shape__isnull=False),
    Q(status=Status.CANDIDATE, type=Type.COMPETENCE, pattern__waits=False),
)
EXACT = ("scope", "source", "category", "company_id", "created_by")
LAST = "last"  # of parts: what stands behind everything else
BEHIND = -1.0  # the weight of it


class IsAnyOf(Func):
    """Whether the first expression is an element of the second, an array that is computed once for the statement."""

    template, arg_joiner = "%(expressions)s)", " = ANY("
    output_field = BooleanField()


def waiting_memories(trust: Trust, *, at: datetime, kind: str = "", last: str = "", **filters: str) -> MemoryQuerySet:
    """Return the visible memories that wait for a decision, in the order of what a decision is worth.

    A skill waits as a candidate, and as kind `version` when a new version of a confirmed or applied one is proposed.
    Of the skills and facts that consolidation learned those wait which its pipelines chose (`pipelines.competences`,
    `pipelines.facts`), of what a model read in conversations those that agents need (`extraction.needs`); the others,
    and plans, are only stored.
    Snoozed ones wait again when their time has come; before that they are of the kind SNOOZED.
    `filters`: exact values of columns (EXACT), `q` as in a list of memories, and `flag`. Where they are many, the first
    ones are read much faster by `waiting_parts`. `last`: the identities of agents whose own
    candidates stand behind all else, as `crowding` tells them.
    """
    has_new_version, is_undecided = _has_new_version(), Q(status__in=UNDECIDED)
    condition = (
        has_new_version if kind == VERSION else is_undecided if kind in Type.values else has_new_version | is_undecided
    )
    rows = _open_to(trust, at, filters, kind).filter(condition)
    if kind != SNOOZED:  # a person has already dealt with what is snoozed
        rows = rows.exclude(NOT_ASKED[0]).exclude(NOT_ASKED[1]).exclude(_is_kept_fact()).exclude(_is_redundant())
    if kind in Type.values:
        rows = rows.filter(type=kind)
    elif kind in PROPOSALS:
        rows = rows.none()
    return _with_weight(rows, last)


def rows_of_parts(trust: Trust, *, last: str = "") -> MemoryQuerySet:
    """The visible memories with the columns of `waiting_memories`, for a list whose rows `waiting_parts` choose."""
    return _with_weight(Memory.objects.visible_to(trust), last)


def _with_weight(rows: MemoryQuerySet, last: str) -> MemoryQuerySet:
    support_count = _support_count()
    support = Case(
        When(type=Type.SEMANTIC, then=F("times_confirmed")), default=support_count, output_field=IntegerField()
    )
    rows = with_support(rows.select_related("skill", "performance", "worth")).annotate(support_count=support)
    weight: Case | Coalesce = Coalesce(F("worth__weight"), 0.0)
    if last:
        weight = Case(When(_said_by(last), then=Value(BEHIND)), default=weight, output_field=FloatField())
    ordered_rows: MemoryQuerySet = rows.annotate(weight=weight)
    return ordered_rows.order_by(F("weight").desc(), F("support_count").desc(), "-created_at", "-id")


def waiting_parts(
    trust: Trust, *, at: datetime, kind: str = "", last: str = "", **filters: str
) -> dict[str, MemoryQuerySet]:
    """The memories of `waiting_memories` in parts, with the columns of ORDERS.

    Claims, of which there may be many, are read in the order of an index; of the others (LEARNED) there are few.
    """
    parts = parts_to_count(trust, at, filters, kind)
    if last and Type.SEMANTIC in parts:
        claims = parts[Type.SEMANTIC]
        parts |= {str(Type.SEMANTIC): claims.exclude(_said_by(last)), LAST: claims.filter(_said_by(last))}
    return {name: _with_order(name, rows) for name, rows in parts.items()}


def _said_by(agents: str) -> Q:
    """Condition of the candidates that one of these agents made, in words that nobody else has said."""
    return Q(type=Type.SEMANTIC, status=Status.CANDIDATE, created_by_id__in=agents.split(","), speakers=[])


def _with_order(name: str, rows: MemoryQuerySet) -> MemoryQuerySet:
    ordered_rows: MemoryQuerySet
    if name in (Type.SEMANTIC, LAST):
        weight = BEHIND if name == LAST else 0.0
        ordered_rows = rows.annotate(weight=Value(weight), support_count=F("times_confirmed"))
    else:
        ordered_rows = rows.annotate(weight=Coalesce(F("worth__weight"), 0.0), support_count=_support_count())
    return ordered_rows


def parts_to_count(trust: Trust, at: datetime, filters: Mapping[str, str], kind: str = "") -> dict[str, MemoryQuerySet]:
    """The parts of `waiting_parts`, without the columns of their order."""
    rows = _open_to(trust, at, filters, kind)
    if kind == SNOOZED:
        return {SNOOZED: rows.filter(Q(status__in=UNDECIDED) | _has_new_version())}
    undecided = rows.filter(status__in=UNDECIDED)
    parts: dict[str, MemoryQuerySet] = {}
    other_types = [type for type in OTHER_TYPES if kind in ("", type)]
    if other_types:
        waiting_rows = undecided.exclude(NOT_ASKED[0]).exclude(NOT_ASKED[1]).exclude(_is_redundant())
        parts[kind or LEARNED] = waiting_rows.filter(type__in=other_types)
    if kind in ("", Type.SEMANTIC):
        parts[str(Type.SEMANTIC)] = undecided.filter(type=Type.SEMANTIC).exclude(_is_kept_fact())
        parts[str(Type.SEMANTIC)] = parts[str(Type.SEMANTIC)].exclude(_is_redundant())
    if kind in ("", VERSION):
        parts[VERSION] = rows.filter(_has_new_version())
    return parts


def _is_kept_fact() -> Q:
    """Condition of facts about commands that do not wait for a person. It reads only the id of a claim, which all
    indexes of claims hold, so that counting needs no table access.
    """
    facts = CommandFact.objects.filter(memory=OuterRef("pk"), waits=False, memory__status=Status.CANDIDATE)
    return Q(Exists(facts))


def _is_redundant() -> Q:
    """Condition of claims that a model read in conversations and that agents do not need (Redundancy)."""
    return Q(Exists(Redundancy.objects.filter(memory=OuterRef("pk"), memory__status=Status.CANDIDATE)))


def _has_new_version() -> Q:
    """Condition of skills with a proposed version beside the one in force; their ids are read once."""
    proposed_skills = SkillVersion.objects.filter(status=SkillVersion.Status.PROPOSED).order_by().values("skill")
    return Q(IsAnyOf(F("pk"), ArraySubquery(proposed_skills)), status__in=IN_FORCE)


def _open_to(trust: Trust, at: datetime, filters: Mapping[str, str], kind: str) -> MemoryQuerySet:
    rows = Memory.objects.visible_to(trust)
    rows = rows.asleep(at) if kind == SNOOZED else rows.awake(at)
    rows = rows.unexpired(at).filter(**_columns(filters))
    return filter_rows(rows, filters)


def _support_count() -> Coalesce:
    """Supporting occasions of a memory beyond the one that it was made of."""
    return Coalesce(Greatest(supporting_occasions() - 1, 0), 0, output_field=IntegerField())


def open_proposals(
    trust: Trust, *, at: datetime, kind: str = "", last: str = "", **filters: str
) -> "QuerySet[Proposal]":
    """Return the open proposals, unordered, with the columns of ORDERS; support counts occasions beyond the
    proposer's.

    `filters`: those of the memory that each is about, but `created_by`, which is who proposes. `last`: as of
    `waiting_memories`.
    """
    columns = _columns(filters)
    made_by = columns.pop("created_by", None)
    memories = Memory.objects.visible_to(trust).unexpired(at).filter(**columns)
    if filters.get("q"):
        memories = with_words(memories, filters["q"])
    proposals = Proposal.objects.visible_to(trust).open()
    rows = (proposals.asleep(at) if kind == SNOOZED else proposals.awake(at)).filter(memory__in=memories)
    if filters.get("flag"):
        rows = rows.exclude(resembles=None) if filters["flag"] in (FLAGGED, RESEMBLES) else rows.none()
    if kind and kind != SNOOZED:
        rows = rows.filter(kind=kind)
    if made_by:
        rows = rows.filter(made_by=made_by)
    evidence_count = Func(F("evidence"), function="jsonb_array_length", output_field=IntegerField())
    last_cases = [When(_is_of(last), then=Value(BEHIND))] if last else []
    weight = Case(*last_cases, When(kind__in=URGENT, then=Value(2.0)), default=Value(0.0), output_field=FloatField())
    rows = rows.annotate(support_count=Greatest(evidence_count - 1, Value(0)), created_at=F("opened_at"), weight=weight)
    return rows.annotate(confidence=F("memory__confidence")).select_related("memory__skill")


def _is_of(agents: str) -> Q:
    """Condition of proposals made by these agents, and of conflicts and merges with a claim that one of them alone has
    said."""
    claims = Memory.objects.filter(type=Type.SEMANTIC, hold="", created_by_id__in=agents.split(","), speakers=[])
    compared_claims = claims.filter(Q(pk=OuterRef("memory")) | Q(IsAnyOf(F("pk"), OuterRef("others"))))
    is_about_claims = Q(Exists(compared_claims), kind__in=(Proposal.Kind.CONFLICT, Proposal.Kind.MERGE))
    return is_about_claims | Q(made_by__in=Agent.objects.identified(*agents.split(",")).values("name"))


def _columns(filters: Mapping[str, str]) -> dict[str, str]:
    return {name: filters[name] for name in EXACT if filters.get(name)}


def filter_rows(rows: MemoryQuerySet, filters: Mapping[str, str]) -> MemoryQuerySet:
    """Filter by `flag` and `q`, where they are given."""
    if filters.get("flag"):
        rows = rows.filter(flag_condition(filters["flag"]))
    return with_words(rows, filters["q"]) if filters.get("q") else rows


def flag_condition(flag: str) -> Q:
    """Return the condition of a flag: its name, RESEMBLES, WITHHELD, or FLAGGED for any."""
    is_similar, is_withheld = Q(resembles__isnull=False), ~Q(withheld_from=[])
    conditions = {RESEMBLES: is_similar, WITHHELD: is_withheld, FLAGGED: ~Q(flags=[]) | is_similar | is_withheld}
    return conditions[flag] if flag in conditions else Q(flags__contains=[flag])


def kind_of(row: Memory | Proposal) -> str:
    """Return the kind of a waiting row: that of a proposal, VERSION, or the type of the memory."""
    if isinstance(row, Proposal):
        return row.kind
    return VERSION if row.status in IN_FORCE else row.type
