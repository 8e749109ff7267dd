"""Filters of search and context: trust, scope, status, validity, type, tags; for the ORM and for SQL.

Also how other readers get a claim that one agent alone has made: marked, hidden or plain (UNREVIEWED_CLAIMS).
"""

from collections.abc import Collection
from datetime import datetime

from django.conf import settings

from memories.models import Memory
from memories.search.request import SearchRequest
from memories.values.choices import BELIEVED, ActorKind, Type
from memories.values.conditions import EitherOf, Filter, SalientAt, Where, not_withheld, valid, where
from memories.values.speakers import ReviewedFor, is_unreviewed
from memories.values.trust import Trust

SELECTIVE = ("source", "company_id", "thread_id", "category", "tags", "confidence", "salience", "review")
OF_PASSAGE, OF_VECTOR = ("scope", "sensitivity", "type"), ("scope", "sensitivity")  # columns copied from the memory
INDEXED = {"scope": "ARRAY[{column}] && {value}::text[]"}  # in the form of the index passage_search
SAID_BY = "said by one agent"
MARK = f"unreviewed, {SAID_BY}"
HIDE, PLAIN = "hide", "plain"


def is_marked(row: Memory, trust: Trust) -> bool:
    """Whether a memory is marked as unreviewed for this reader; an agent's own claims are not."""
    return settings.UNREVIEWED_CLAIMS != PLAIN and is_unreviewed(row, reader=trust.actor.identity)


def shown_to(trust: Trust) -> Filter:
    """The filter for what is offered to this reader. Nothing is hidden from people, who review it."""
    hides = settings.UNREVIEWED_CLAIMS == HIDE and trust.actor.kind == ActorKind.AGENT
    return Filter((ReviewedFor(trust.actor.identity),)) if hides else Filter()


def announced_to(trust: Trust) -> Filter:
    """The filter for memories whose change of behaviour this reader is told of."""
    return Filter() if settings.UNREVIEWED_CLAIMS == PLAIN else Filter((ReviewedFor(trust.actor.identity),))


def of_search(request: SearchRequest, trust: Trust, at: datetime) -> Filter:
    """Filter for the memories that a request asks for, among those that `trust` may be offered."""
    conditions = trust.offered & shown_to(trust) & valid(at) & where(status__in=request.statuses_wanted)
    exact = {name: getattr(request, name) for name in ("source", "company_id", "thread_id")}
    lists = {"type__in": request.types, "category__in": request.categories, "tags__contains": request.tags}
    least = {"confidence__gte": request.min_confidence}
    conditions &= where(**{name: value for name, value in (exact | lists | least).items() if value})
    return conditions & Filter((SalientAt(at, request.min_salience),)) if request.min_salience else conditions


def of_context(trust: Trust, companies: Collection[str], at: datetime) -> Filter:
    """Filter for what may be put into a prompt.

    Knowledge that is believed, unflagged and not dismissed in the caller's scopes, about one of these companies or
    about none. Published skills only if people brought them in: consolidation.guidance chooses those learned from runs.
    """
    is_about = Where("company_id", "in", ["", *companies], or_null=True)
    is_published = EitherOf(
        (Where("type", "exact", Type.SEMANTIC.value), Where("payload__skill__path", "isnull", False))
    )
    is_brought_in = Where("payload__effects", "isnull", True)
    types = where(type__in=[Type.SEMANTIC.value, Type.COMPETENCE.value])
    is_believed = where(status__in=[status.value for status in BELIEVED])
    is_readable = trust.filter & not_withheld(trust.scopes_to_read) & shown_to(trust)
    return (
        is_readable
        & valid(at)
        & is_believed
        & types
        & Filter((is_about, is_published, is_brought_in))
        & where(flags=[])
    )


def is_selective(search_filter: Filter) -> bool:
    """Whether a filter leaves few memories, whatever their scope and type."""
    statuses = search_filter.value("status")
    has_unusual_status = statuses is not None and not set(BELIEVED) <= set(statuses)
    return has_unusual_status or any(
        condition.column in SELECTIVE and not getattr(condition, "or_null", False)
        for condition in search_filter.conditions
    )
