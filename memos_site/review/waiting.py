"""The review queue: candidates and contested memories, proposed versions of skills, open proposals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    F,
    FloatField,
    Func,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest

from memories.models import Memory, Proposal
from memories.models.evidence import supporting_occasions, with_support
from memories.models.memory import MemoryQuerySet
from memories.models.passage import saying
from memories.models.value_counts import count_values
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
FLAGGED = "flagged"  # with any flag; RESEMBLES and the names of flags are narrower
RESEMBLES = "resembles"
IN_FORCE = (Status.CONFIRMED, Status.APPLIED)
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
NOT_ASKED = (  # what consolidation learned and only keeps: it repeats what is known, or says too little by itself
    Q(status=Status.CANDIDATE, type=Type.PLAN_GRAPH, plan_shape__waits=False),
    Q(status=Status.CANDIDATE, type=Type.COMPETENCE, pattern__waits=False),
)
EXACT = ("scope", "source", "category", "company_id")
MOST_COUNTED = 10_000  # more of a kind are shown as 10,000+
MOST_OF_VIEW = 999  # of a saved view, which is counted beside others
MOST_READ = 2_000  # rows of a kind whose values the filters offer
EACH = Func(template="each.value", output_field=CharField())  # the value for which `_counted` counts


class IsAnyOf(Func):
    """Whether the first expression is an element of the second, an array that is computed once for the statement."""

    template, arg_joiner = "%(expressions)s)", " = ANY("
    output_field = BooleanField()


def waiting_memories(trust: Trust, *, at: datetime, kind: str = "", **filters: str) -> MemoryQuerySet:
    """Return the visible memories that wait for a decision, in the order of what a decision is worth.

    A skill waits as a candidate, and as kind `version` when a new version of a confirmed or applied one is proposed.
    Of the plans and skills that consolidation learned those wait which its pipelines chose (`pipelines.waiting_plans`,
    `pipelines.ripeness`); the others are only stored.
    Snoozed ones wait again when their time has come; before that they are of the kind SNOOZED.
    `filters`: exact values of columns (EXACT), `q` as in a list of memories, and `flag`. Where they are many, the first
    ones are read much faster by `waiting_parts`.
    """
    updated, undecided = _updated(), Q(status__in=UNDECIDED)
    wanted = updated if kind == VERSION else undecided if kind in Type.values else updated | undecided
    rows = _open_to(trust, at, filters, kind).filter(wanted)
    rows = rows.exclude(NOT_ASKED[0]).exclude(NOT_ASKED[1])
    if kind in Type.values:
        rows = rows.filter(type=kind)
    elif kind in PROPOSALS:
        rows = rows.none()
    return _weighed(rows)


def rows_of_parts(trust: Trust) -> MemoryQuerySet:
    """The visible memories with the columns of `waiting_memories`, for a list whose rows `waiting_parts` choose."""
    return _weighed(Memory.objects.visible_to(trust))


def _weighed(rows: MemoryQuerySet) -> MemoryQuerySet:
    counted = _support_count()
    support = Case(When(type=Type.SEMANTIC, then=F("times_confirmed")), default=counted, output_field=IntegerField())
    rows = with_support(rows.select_related("skill", "performance", "worth")).annotate(support_count=support)
    weighed: MemoryQuerySet = rows.annotate(weight=Coalesce(F("worth__weight"), 0.0))
    return weighed.order_by(F("weight").desc(), F("support_count").desc(), "-created_at", "-id")


def waiting_parts(trust: Trust, *, at: datetime, kind: str = "", **filters: str) -> dict[str, MemoryQuerySet]:
    """The memories of `waiting_memories` in parts, with the columns of ORDERS.

    Claims, of which there may be many, are read in the order of an index; of the others (LEARNED) there are few.
    """
    return {name: _with_order(name, rows) for name, rows in _parts(trust, at, filters, kind).items()}


def _with_order(name: str, rows: MemoryQuerySet) -> MemoryQuerySet:
    ordered: MemoryQuerySet
    if name == Type.SEMANTIC:
        ordered = rows.annotate(weight=Value(0.0), support_count=F("times_confirmed"))
    else:
        ordered = rows.annotate(weight=Coalesce(F("worth__weight"), 0.0), support_count=_support_count())
    return ordered


def _parts(trust: Trust, at: datetime, filters: Mapping[str, str], kind: str = "") -> dict[str, MemoryQuerySet]:
    """The parts of `waiting_parts`, to be counted."""
    rows = _open_to(trust, at, filters, kind)
    if kind == SNOOZED:
        return {SNOOZED: rows.filter(Q(status__in=UNDECIDED) | _updated())}
    undecided = rows.filter(status__in=UNDECIDED)
    parts: dict[str, MemoryQuerySet] = {}
    others = [type for type in OTHER_TYPES if kind in ("", type)]
    if others:
        learned = undecided.exclude(NOT_ASKED[0]).exclude(NOT_ASKED[1])
        parts[kind or LEARNED] = learned.filter(type__in=others)
    if kind in ("", Type.SEMANTIC):
        parts[str(Type.SEMANTIC)] = undecided.filter(type=Type.SEMANTIC)
    if kind in ("", VERSION):
        parts[VERSION] = rows.filter(_updated())
    return parts


def _updated() -> Q:
    """Condition of skills with a proposed version beside the one in force; their ids are read once."""
    proposed = SkillVersion.objects.filter(status=SkillVersion.Status.PROPOSED).order_by().values("skill")
    return Q(IsAnyOf(F("pk"), ArraySubquery(proposed)), status__in=IN_FORCE)


def _open_to(trust: Trust, at: datetime, filters: Mapping[str, str], kind: str) -> MemoryQuerySet:
    rows = Memory.objects.visible_to(trust)
    rows = rows.asleep(at) if kind == SNOOZED else rows.awake(at)
    rows = rows.unexpired(at).filter(**_columns(filters))
    return filter_rows(rows, filters)


def _support_count() -> Coalesce:
    """Occasions that speak for a memory beyond the one that it was made of; a claim counts its confirmations."""
    return Coalesce(Greatest(supporting_occasions() - 1, 0), 0, output_field=IntegerField())


def open_proposals(trust: Trust, *, at: datetime, kind: str = "", **filters: str) -> "QuerySet[Proposal]":
    """Return the open proposals, unordered, with the columns of ORDERS; support counts occasions beyond the
    proposer's.

    `filters`: those of the memory that each is about.
    """
    about = Memory.objects.visible_to(trust).unexpired(at).filter(**_columns(filters))
    if filters.get("q"):
        about = saying(about, filters["q"])
    opened = Proposal.objects.visible_to(trust).open()
    rows = (opened.asleep(at) if kind == SNOOZED else opened.awake(at)).filter(memory__in=about)
    if filters.get("flag"):
        rows = rows.exclude(resembles=None) if filters["flag"] in (FLAGGED, RESEMBLES) else rows.none()
    if kind and kind != SNOOZED:
        rows = rows.filter(kind=kind)
    spoken = Func(F("evidence"), function="jsonb_array_length", output_field=IntegerField())
    weight = Case(When(kind__in=URGENT, then=Value(2.0)), default=Value(0.0), output_field=FloatField())
    rows = rows.annotate(support_count=Greatest(spoken - 1, Value(0)), created_at=F("opened_at"), weight=weight)
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


def kinds(
    trust: Trust,
    *,
    at: datetime,
    filters: Mapping[str, str] | None = None,
    most: int = MOST_COUNTED,
    snoozed: bool = False,
    views: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, int]:
    """Count by kind the memories and proposals that wait and match the filters, each kind up to `most` + 1.

    `views`: names of their own -> filters, counted along (each kind of them up to MOST_OF_VIEW + 1). `snoozed`: what is
    snoozed too, as SNOOZED (memories) and SNOOZED_PROPOSALS. One statement, whose cost does not grow
    with what waits beyond that.
    """
    filters = filters or {}
    rows: dict[str, QuerySet[Any]] = {**_first_ones(_parts(trust, at, filters))}
    proposals = open_proposals(trust, at=at, **filters).order_by()
    each = {"type": (OTHER_TYPES, rows.pop(LEARNED)), "kind": (PROPOSALS, proposals)}
    if snoozed:
        rows |= _parts(trust, at, filters, SNOOZED)
        rows[SNOOZED_PROPOSALS] = open_proposals(trust, at=at, kind=SNOOZED, **filters).order_by()
    totals: dict[str, int] = {}
    for name, n in _counted(rows | _rows_of_views(trust, views or {}, at=at), each, most + 1).items():
        kind = name.partition("/")[0]
        totals[kind] = totals.get(kind, 0) + n
    return {kind: n for kind, n in totals.items() if n}


def _rows_of_views(trust: Trust, views: Mapping[str, Mapping[str, str]], *, at: datetime) -> "dict[str, QuerySet[Any]]":
    """The first rows of each kind of these views, named by the view and the kind."""
    rows: dict[str, QuerySet[Any]] = {}
    for name, filters in views.items():
        kind = filters.get("kind", "")
        for part, memories in _first_ones(_parts(trust, at, filters, kind)).items():
            rows[f"{name}/{part}"] = memories[: MOST_OF_VIEW + 1]
        if kind in ("", SNOOZED, *PROPOSALS):
            rows[f"{name}/proposals"] = open_proposals(trust, at=at, **filters).order_by()[: MOST_OF_VIEW + 1]
    return rows


def waiting_count(trust: Trust, *, at: datetime, most: int) -> int:
    """Count what waits, up to `most` + 1; one statement, for every page."""
    return min(sum(kinds(trust, at=at, most=most).values()), most + 1)


def values_of_waiting(trust: Trust, names: Sequence[str], *, at: datetime) -> dict[str, Counter[str]]:
    """Count the values of these columns, column -> value -> rows, among the first MOST_READ memories of each part."""
    return count_values({part: (rows, names) for part, rows in _first_ones(_parts(trust, at, {})).items()}, MOST_READ)


def _first_ones(parts: Mapping[str, MemoryQuerySet]) -> dict[str, MemoryQuerySet]:
    """The parts in the order of their index, so that the first rows are not sought in the whole table."""
    best = ("-times_confirmed", "-created_at", "-pk")
    return {part: rows.order_by(*best) if part == Type.SEMANTIC else rows.order_by() for part, rows in parts.items()}


def _counted(
    rows: Mapping[str, "QuerySet[Any]"], each: Mapping[str, tuple[Sequence[str], "QuerySet[Any]"]], most: int
) -> dict[str, int]:
    """Count the rows of several queries, each up to `most`, by one statement.

    `each`: column -> values, each of which is counted for itself, and a query.
    """
    selects: list[str] = []
    parameters: list[Any] = []
    for name, queryset in rows.items():
        if found := _sql_of(queryset if queryset.query.is_sliced else queryset[:most]):
            selects.append(f"SELECT %s, count(*) FROM ({found[0]}) AS rows")  # noqa: S608 - a query of ours
            parameters += [name, *found[1]]
    for column, (values, queryset) in each.items():
        if found := _sql_of(queryset.filter(**{column: EACH})[:most]):
            counted = f"SELECT count(*) FROM ({found[0]}) AS rows"  # noqa: S608 - a query of ours
            selects.append(f"SELECT value, ({counted}) FROM unnest(%s::text[]) AS each (value)")  # noqa: S608
            parameters += [*found[1], list(values)]
    if not selects:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(selects), parameters)
        return dict(cursor.fetchall())


def _sql_of(rows: "QuerySet[Any]") -> tuple[str, tuple[Any, ...]] | None:
    """The ids of these rows as a statement with its parameters; None where there can be none."""
    try:
        return rows.values("pk").query.sql_with_params()
    except EmptyResultSet:
        return None


def kind_of(row: Memory | Proposal) -> str:
    """Return the kind of a waiting row: that of a proposal, VERSION, or the type of the memory."""
    if isinstance(row, Proposal):
        return row.kind
    return VERSION if row.status in IN_FORCE else row.type
