"""How many decisions wait: by kind, within filters, in saved views; and the values that filters offer.

A statement depends on trust, filters and instant alone: on no setting, no language and no row. So it is built once
for a trust and its filters (`memories.models.built`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import CharField, Count, Exists, Func, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Concat

from consolidation.models import BulkOrder
from memories.models import Agent, Memory, Proposal
from memories.models.built import INSTANT, Statement, ask, statement_of
from memories.models.memory import MemoryQuerySet
from memories.models.value_counts import frequent_values, read_counts
from memories.values.choices import ActorKind, Type
from memories.values.trust import Trust
from memos_site.review import judging
from memos_site.review.waiting import (
    LEARNED,
    OTHER_TYPES,
    PROPOSALS,
    SNOOZED,
    SNOOZED_PROPOSALS,
    open_proposals,
    parts_to_count,
    waiting_memories,
)
from skills.models import SkillVersion

BULK_ORDERS = "bulk_orders"
MOST_COUNTED = 10_000  # more of a kind are shown as 10,000+
MOST_OF_VIEW = 999  # of a saved view, which is counted beside others
MOST_READ = 2_000  # rows of a kind whose values the filters offer
MAKER = "created_by_id"
LEAST_OF_MAKER = 40  # rows of one agent that crowd others out: what a person decides in a day
MOST_OFFERED = 50  # values of such a filter
MOST_VALUES = MOST_OFFERED + 2  # '' among them, which no filter offers, and one that tells of more
EACH = Func(template="each.value", output_field=CharField())  # the value for which `_count_statement` counts
Filters = tuple[tuple[str, str], ...]


def kinds(
    trust: Trust,
    *,
    at: datetime,
    filters: Mapping[str, str] | None = None,
    most: int = MOST_COUNTED,
    snoozed: bool = False,
    views: Mapping[str, Mapping[str, str]] | None = None,
    orders_of: Any = None,
) -> dict[str, int]:
    """Count by kind the memories and proposals that wait and match the filters, each kind up to `most` + 1.

    `views`: name -> filters of saved views, each counted under its name (each of their kinds up to MOST_OF_VIEW + 1).
    `snoozed`: count snoozed rows too, as SNOOZED (memories) and SNOOZED_PROPOSALS. `orders_of`: a person, whose bulk
    orders that no page has shown as ended are counted as BULK_ORDERS. One statement of bounded cost.
    """
    fixed_views = tuple((name, _as_key(view)) for name, view in (views or {}).items())
    statement = _kinds(trust, _as_key(filters or {}), fixed_views, most, snoozed, orders_of)
    totals: dict[str, int] = {}
    for name, n in ask(statement, at):
        kind = name.partition("/")[0]
        totals[kind] = totals.get(kind, 0) + n
    return {kind: n for kind, n in totals.items() if n}


def _as_key(filters: Mapping[str, str]) -> Filters:
    return tuple(filters.items())


@lru_cache(maxsize=256)
def _kinds(
    trust: Trust,
    fixed_filters: Filters,
    views: tuple[tuple[str, Filters], ...],
    most: int,
    snoozed: bool,
    orders_of: Any,
) -> Statement | None:
    filters = dict(fixed_filters)
    rows: dict[str, QuerySet[Any]] = {**_countable_parts(trust, filters)}
    proposals = open_proposals(trust, at=INSTANT, **filters).order_by()
    by_value = {"type": (OTHER_TYPES, rows.pop(LEARNED)), "kind": (PROPOSALS, proposals)}
    if snoozed:
        rows |= parts_to_count(trust, INSTANT, filters, SNOOZED)
        rows[SNOOZED_PROPOSALS] = open_proposals(trust, at=INSTANT, kind=SNOOZED, **filters).order_by()
    if orders_of is not None:
        rows[BULK_ORDERS] = BulkOrder.objects.to_tell(orders_of).order_by()
    return _count_statement(rows | _rows_of_views(trust, views), by_value, most + 1)


def _rows_of_views(trust: Trust, views: tuple[tuple[str, Filters], ...]) -> "dict[str, QuerySet[Any]]":
    """The first rows of each kind of these views, named by the view and the kind."""
    rows: dict[str, QuerySet[Any]] = {}
    for name, fixed_filters in views:
        filters = dict(fixed_filters)
        kind = filters.get("kind", "")
        for part, memories in _countable_parts(trust, filters, kind).items():
            rows[f"{name}/{part}"] = memories[: MOST_OF_VIEW + 1]
        if kind in ("", SNOOZED, *PROPOSALS):
            rows[f"{name}/proposals"] = open_proposals(trust, at=INSTANT, **filters).order_by()[: MOST_OF_VIEW + 1]
    return rows


def waiting_count(trust: Trust, *, at: datetime, most: int) -> int:
    """Count what waits, up to `most` + 1; one statement, for every page, which reads no more rows than it counts."""
    return sum(n for (n,) in ask(_of_all_kinds(trust, most + 1), at))


@lru_cache(maxsize=256)
def _of_all_kinds(trust: Trust, most: int) -> Statement | None:
    parts: dict[str, QuerySet[Any]] = {**_countable_parts(trust, {})}
    claims = parts.pop(Type.SEMANTIC)  # first: they are many where there are many, and are read from an index alone
    rows = [claims, *parts.values(), open_proposals(trust, at=INSTANT).order_by()]
    statements = [statement for part in rows if (statement := statement_of(_ids(part[:most])))]
    if not statements:
        return None
    union = " UNION ALL ".join(f"({sql})" for sql, _parameters in statements)
    parameters = [value for _sql, values in statements for value in values]
    return f"SELECT count(*) FROM ({union} LIMIT {most:d}) AS rows", parameters  # noqa: S608 - queries of ours


def new_count(trust: Trust, *, since: datetime, at: datetime, most: int) -> int:
    """Count what waits at `at` and was made after `since`: memories, versions of skills and proposals, up to `most` + 1
    of each kind.
    """
    versions = SkillVersion.objects.filter(skill=OuterRef("pk"), status="proposed", created_at__gt=since)
    memories = waiting_memories(trust, at=at).filter(Q(created_at__gt=since) | Exists(versions)).order_by()
    proposals = open_proposals(trust, at=at).filter(opened_at__gt=since).order_by()
    return sum(rows.values("pk")[: most + 1].count() for rows in (memories, proposals))


def rail_counts(trust: Trust, *, at: datetime, most: int) -> tuple[int, int, bool]:
    """Count what waits for a decision, as `waiting_count`, and the runs to judge; and whether the caller sees no memory
    at all. One statement, for every page.
    """
    ((decisions, runs, is_empty),) = ask(_of_rail(trust, most + 1, judging.MOST_COUNTED + 1), at)
    return decisions, runs, is_empty


@lru_cache(maxsize=256)
def _of_rail(trust: Trust, most: int, most_runs: int) -> Statement:
    decisions, parameters = _of_all_kinds(trust, most) or ("SELECT 0", [])
    queries = {"runs": judging.newest_to_judge(trust)[:most_runs], "memories": Memory.objects.visible_to(trust)[:1]}
    numbers = dict.fromkeys(queries, "0")
    values = list(parameters)
    for name, rows in queries.items():
        if statement := statement_of(rows.values("pk")):
            numbers[name] = f"(SELECT count(*) FROM ({statement[0]}) AS {name})"  # noqa: S608 - a query of ours
            values += statement[1]
    return f"SELECT ({decisions}), {numbers['runs']}, {numbers['memories']} = 0", values


def values_of_waiting(trust: Trust, names: Sequence[str], *, at: datetime) -> dict[str, Counter[str]]:
    """Count the MOST_VALUES most frequent values of these columns, column -> value -> rows, among the first MOST_READ
    memories of each part. Of MAKER what agents propose counts as well.
    """
    return read_counts(ask(_values(trust, tuple(names)), at))


def crowding(value_counts: Mapping[str, Counter[str]]) -> str:
    """The comma-separated identities of agents that crowd others out, at most half of all makers: each made at least
    LEAST_OF_MAKER rows, and more than all that rank below it together. `value_counts`: `values_of_waiting` of MAKER.
    Where MOST_READ rows were read, one more maker is assumed behind them."""
    makers = value_counts.get(MAKER, Counter[str]())
    ranked, rest = makers.most_common(), makers.total()
    maker_count = len(ranked) + (makers.total() >= MOST_READ)
    for n, (_, rows) in enumerate(ranked[: maker_count // 2], 1):
        rest -= rows
        if rows > rest and rows >= LEAST_OF_MAKER:
            return ",".join(maker for maker, _ in ranked[:n] if maker.startswith(f"{ActorKind.AGENT}:"))
    return ""


@lru_cache(maxsize=256)
def _values(trust: Trust, names: tuple[str, ...]) -> Statement | None:
    parts = _countable_parts(trust, {})
    statement = frequent_values(parts.values(), names, row_limit=MOST_READ, most=MOST_VALUES)
    proposing = statement_of(_proposals_by_agent(trust)) if statement and MAKER in names else None
    if not statement or not proposing:
        return statement
    return f"{statement[0]} UNION ALL ({proposing[0]})", [*statement[1], *proposing[1]]


def _proposals_by_agent(trust: Trust) -> QuerySet[Any, Any]:
    """The number of open proposals by agent: rows (MAKER, identity of the agent, number)."""
    identity = Concat(Value(f"{ActorKind.AGENT}:"), "pk", output_field=CharField())
    maker = Subquery(Agent.objects.filter(name=OuterRef("made_by")).values(key=identity))
    proposals = (
        Proposal.objects.visible_to(trust).open().order_by().values("made_by").annotate(n=Count("pk"), maker=maker)
    )
    return proposals.values_list(Value(MAKER), "maker", "n")


def _countable_parts(trust: Trust, filters: Mapping[str, str], kind: str = "") -> dict[str, MemoryQuerySet]:
    """The parts of `parts_to_count`, ordered so that counting their first rows is cheap.

    Claims of all scopes are read in the order of an index, instead of a scan of the whole table. Those of some scopes
    have their own index, which the planner would not choose with that order.
    """
    parts = parts_to_count(trust, INSTANT, filters, kind)
    best = () if filters.get("scope") or trust.scopes is not None else ("-times_confirmed", "-created_at", "-pk")
    return {part: rows.order_by(*best) if part == Type.SEMANTIC else rows.order_by() for part, rows in parts.items()}


def _count_statement(
    rows: Mapping[str, "QuerySet[Any]"], by_value: Mapping[str, tuple[Sequence[str], "QuerySet[Any]"]], most: int
) -> Statement | None:
    """The statement that counts the rows of several queries, each up to `most`; None where there can be none.

    `by_value`: column -> (values, query): the rows of the query are counted for each of the values.
    """
    selects: list[str] = []
    parameters: list[Any] = []
    for name, queryset in rows.items():
        if statement := statement_of(_ids(queryset if queryset.query.is_sliced else queryset[:most])):
            selects.append(f"SELECT %s, count(*) FROM ({statement[0]}) AS rows")  # noqa: S608 - a query of ours
            parameters += [name, *statement[1]]
    for column, (values, queryset) in by_value.items():
        if statement := statement_of(_ids(queryset.filter(**{column: EACH})[:most])):
            count = f"SELECT count(*) FROM ({statement[0]}) AS rows"  # noqa: S608 - a query of ours
            selects.append(f"SELECT value, ({count}) FROM unnest(%s::text[]) AS each (value)")  # noqa: S608
            parameters += [*statement[1], list(values)]
    return (" UNION ALL ".join(selects), parameters) if selects else None


def _ids(rows: "QuerySet[Any]") -> "QuerySet[Any, Any]":
    return rows.values("pk")
