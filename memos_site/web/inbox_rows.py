"""Rows, filters and counts of the inbox."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories import scanning
from memories.models import AuditEntry, Memory, Proposal, Relation, SavedView
from memories.models.evidence import with_doubt, with_support
from memories.models.memory import MemoryQuerySet
from memories.values.choices import Category, Type
from memories.values.trust import Trust
from memos_site import review
from memos_site.web import action_words
from memos_site.web.words import in_words
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
    review.SNOOZED: gettext_lazy("Snoozed"),
}
FLAGS = {
    review.FLAGGED: gettext_lazy("any flag"),
    review.RESEMBLES: gettext_lazy("resembles one you dismissed"),
    review.WITHHELD: gettext_lazy("dismissed in a scope"),
    scanning.SECRET: gettext_lazy("secret"),
    scanning.REMOVED: gettext_lazy("secret removed"),
    scanning.INSTRUCTION: gettext_lazy("instruction-like"),
    scanning.HIDDEN: gettext_lazy("hidden characters"),
}
ORDERS = {"newest": gettext_lazy("newest first"), "surest": gettext_lazy("surest first")}
FILTERS = ("kind", *review.EXACT, "q", "flag")
COLUMNS = {  # filters whose values are those of the rows
    "source": gettext_lazy("Source"),
    "scope": gettext_lazy("Scope"),
    "company_id": gettext_lazy("Company"),
    "created_by": gettext_lazy("Agent"),
}
MAX_COUNTED = review.MOST_OF_VIEW  # of all that waits
ALL = "all"  # beside the saved views: what waits without filters
MAX_FILTER = 512  # characters
IDENTITY = re.compile(r"agent:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Kinds:
    """The counts of the tabs: `rows` of each kind; `waiting`: of all that waits, without filters; `has_orders`: the
    person has bulk orders that are to be told.
    """

    rows: list[dict[str, Any]]
    waiting: str
    has_orders: bool = False

    def matching(self, kind: str) -> dict[str, Any]:
        """The number of rows on a tab, as number and as text; without snoozed ones, which no bulk decision takes."""
        tab_rows = [row for row in self.rows if row["value"] != review.SNOOZED and kind in ("", row["value"])]
        number = sum(row["n"] for row in tab_rows)
        more = "+" if any(row["shown"].endswith("+") for row in tab_rows) else ""
        return {"matching_count": number, "matching_shown": action_words.with_separators(number) + more}


def filters_of(query: Mapping[str, str]) -> dict[str, str]:
    """Read the filters of a query; '' for a value that is missing or not known."""
    filters = {name: query.get(name, "").replace("\0", "").strip()[:MAX_FILTER] for name in FILTERS}
    allowed_values = {"kind": KINDS, "category": Category.values, "flag": FLAGS}
    return {name: value if value in allowed_values.get(name, (value,)) else "" for name, value in filters.items()}


def rows(trust: Trust, **filters: str) -> MemoryQuerySet:
    """Return the waiting memories with what a row shows of each."""
    now = timezone.now()
    return _with_grounds(review.waiting_memories(trust, at=now, **filters), trust, at=now)


def _with_grounds(memories: MemoryQuerySet, trust: Trust, *, at: datetime) -> MemoryQuerySet:
    """With the versions of skills and what contests each: `contests`, the relations; `doubt`, the words."""
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    contests = Prefetch("relations", Relation.objects.contests(trust, at=at), to_attr="contests")
    rows_with_grounds: MemoryQuerySet = with_doubt(memories).prefetch_related(versions, contests)
    return rows_with_grounds


def visible(trust: Trust) -> MemoryQuerySet:
    """Return every visible memory, waiting or decided, with what a row shows of it."""
    memories = with_doubt(with_support(Memory.objects.visible_to(trust).unexpired(timezone.now())))
    versions = Prefetch("skill__versions", SkillVersion.objects.for_lists())
    rows_with_grounds: MemoryQuerySet = memories.select_related("skill", "performance", "worth").prefetch_related(
        versions
    )
    return rows_with_grounds


def order_of(kind: str, sort: str) -> tuple[str, ...]:
    """Return the order of a tab; snoozed rows by the end of their snooze."""
    by_default = review.SNOOZED_ORDER if kind == review.SNOOZED else review.ORDER
    return review.ORDERS[sort] if sort in ORDERS else by_default


def proposals(trust: Trust, **filters: str) -> "QuerySet[Proposal]":
    """Return the open proposals within the filters."""
    return review.open_proposals(trust, at=timezone.now(), **filters)


def decided_memory(trust: Trust, memory_id: Any) -> Memory | None:
    """Return the memory in its present state, with its latest audit entry as `last_entry`; None when not visible."""
    return next(iter(decided_memories(trust, [memory_id])), None)


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


def inbox_zero(trust: Trust, kinds: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what an inbox shows in which nothing waits: the numbers since midnight in the reader's time zone, by kind
    of decision without zeros, how much is snoozed, and whether anything has come in at all.
    """
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    counts = review.tally(trust, since=midnight)
    words = action_words.tallies() | {"blocked": _("dismissed claims that were reported again and suppressed")}
    decisions = [(word, counts[name]) for name, word in words.items() if counts[name]]
    snoozed_count = next((kind["shown"] for kind in kinds if kind["value"] == review.SNOOZED and kind["n"]), "")
    return {
        "counts": counts,
        "decisions": decisions,
        "snoozed": snoozed_count,
        "is_new": not decisions and not snoozed_count and not Memory.objects.visible_to(trust).exists(),
    }


def kinds(trust: Trust, filters: Mapping[str, str], views: Sequence[SavedView] = (), *, orders_of: Any = None) -> Kinds:
    """Count the waiting decisions within the filters by kind, of all kinds.

    `shown` of a row: the count as text, with a plus where counting stopped; it is set on each of `views` too.
    `orders_of`: the id of a person, whose bulk orders are looked for.
    """
    other_filters = {name: value for name, value in filters.items() if name != "kind"}
    filters_by_view = {str(view.pk): filters_of(QueryDict(view.query).dict()) for view in views}
    filters_by_view |= {ALL: {}} if any(other_filters.values()) else {}
    counts = review.kinds(
        trust, at=timezone.now(), filters=other_filters, snoozed=True, views=filters_by_view, orders_of=orders_of
    )
    counts[review.SNOOZED] = counts.get(review.SNOOZED, 0) + counts.pop(review.SNOOZED_PROPOSALS, 0)
    for view in views:
        view.shown = shown_count(counts.get(str(view.pk), 0))  # type: ignore[attr-defined]  # for the template alone
    rows = [{"value": str(kind), "label": label, **_capped_count(counts.get(kind, 0))} for kind, label in KINDS.items()]
    everything = sum(row["n"] for row in rows if row["value"] != review.SNOOZED)
    waiting = counts.get(ALL, 0) if any(other_filters.values()) else everything
    return Kinds(rows, shown_count(waiting), has_orders=review.BULK_ORDERS in counts)


def shown_count(n: int) -> str:
    """Return how many are waiting or new, as far as that is counted."""
    return f"{MAX_COUNTED}+" if n > MAX_COUNTED else str(n)


def _capped_count(count: int) -> dict[str, Any]:
    n = min(count, review.MOST_COUNTED)
    return {"n": n, "shown": action_words.with_separators(n) + ("+" if count > n else "")}


@dataclass(frozen=True)
class Choice:
    """What the filter of a column offers. `is_cut`: there are more values, which may be typed."""

    name: str
    label: Any
    chosen: str
    values: list[tuple[str, str]]
    is_cut: bool


def values_of_waiting(trust: Trust) -> dict[str, Counter[str]]:
    """Count what the filters offer, and who made what waits first."""
    return review.values_of_waiting(trust, [*COLUMNS, review.MAKER], at=timezone.now())


def last_of(query: Mapping[str, str], value_counts: Mapping[str, Counter[str]]) -> str:
    """The identities of agents whose candidates stand last, comma-separated; of a further page those in its address."""
    if "cursor" not in query:
        return review.crowding(value_counts)
    makers = query.get("last", "").split(",")[: review.MOST_OFFERED]
    return ",".join(maker for maker in makers if IDENTITY.fullmatch(maker))


def choices(value_counts: Mapping[str, Counter[str]], filters: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return the options of the filters; of `columns` the most frequent values of what waits."""
    return {
        "columns": [_choice(name, value_counts.get(name, Counter()), filters[name]) for name in COLUMNS],
        "category": [(value, in_words(value)) for value in Category.values],
        "flag": list(FLAGS.items()),
        "sort": list(ORDERS.items()),
    }


def _choice(name: str, counts: Counter[str], chosen: str) -> Choice:
    values = [value for value, _n in counts.most_common() if value]
    options = sorted({*values[: review.MOST_OFFERED], *filter(None, [chosen])}, key=str.casefold)
    is_cut = len(values) > review.MOST_OFFERED
    return Choice(name, COLUMNS[name], chosen, [(value, value) for value in options], is_cut)
