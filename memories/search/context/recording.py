"""Records written when a context is given to an agent: uses, the injection row, and announced adaptations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.crypto import salted_hmac

from memories.models import Adaptation, Injection, Memory
from memories.search.context.queries import ContextQuery
from memories.search.context.rendering import in_one_line
from memories.search.context.selection import MemoryWithQueries
from memories.search.filters import announced_to
from memories.search.request import ContextRequest
from memories.values.choices import Sensitivity
from memories.values.speakers import is_unreviewed
from memories.values.trust import SHARED_SCOPES, Trust

MOST_NOTICES = 10


@dataclass(frozen=True)
class InjectedContext:
    """A context given to an agent: `rows` are the memories of `entries`, in their order. `status`: ok or degraded.
    `trust`: the caller's, which the request may narrow."""

    trust: Trust
    source: str
    entries: Sequence[MemoryWithQueries]
    rows: Sequence[Memory]
    status: str


def count(context: InjectedContext, request: ContextRequest, query: ContextQuery) -> None:
    """Count one use of each memory given, and write the injection row, also when nothing was found.

    Of the task only a keyed fingerprint is stored.
    """
    if context.rows:
        Memory.objects.count_use([row.pk for row in context.rows], at=query.at)
    Injection.objects.create(
        agent=query.trust.actor.name[:200],
        source=context.source,
        thread_id=request.thread_id or "",
        at=query.at,
        task_sha256=salted_hmac("memos.context", request.task, algorithm="sha256").digest(),
        items=[_item(entry, row, query) for entry, row in zip(context.entries, context.rows, strict=True)],
        status=context.status,
        scope=_scope(context, request, query),
        sensitivity=max((row.sensitivity for row in context.rows), default=Sensitivity.LOW),
    )


def _item(entry: MemoryWithQueries, row: Memory, query: ContextQuery) -> dict[str, Any]:
    unreviewed = is_unreviewed(row, reader=query.trust.actor.identity)
    return {"memory": str(entry.memory), "why": entry.why, "score": round(entry.score, 4), "unreviewed": unreviewed}


def _scope(context: InjectedContext, request: ContextRequest, query: ContextQuery) -> str:
    """The scope of the injection: the requested one, else the first of a memory in it, else the caller's only one."""
    requested_scope = request.only_scope(context.trust)
    if requested_scope is not None:
        return requested_scope
    item_scopes = [row.scope for row in context.rows if row.scope not in SHARED_SCOPES]
    caller_scopes = list(query.trust.scopes or context.trust.scopes or ())
    return item_scopes[0] if item_scopes else caller_scopes[0] if len(caller_scopes) == 1 else ""


def announce(query: ContextQuery, source: str) -> list[str]:
    """Notices of new adaptations for this source, each given once, also to concurrent callers.

    A notice about one company is not given in the context of another, nor one about another agent's unreviewed claim.
    """
    is_of_companies = Q(memory__company_id=None) | Q(memory__company_id__in=["", *query.companies])
    is_reviewed = announced_to(query.trust).q("memory__")
    adaptations = Adaptation.objects.unannounced(source).offered_to(query.trust, "memory__")
    waiting_adaptations = adaptations.filter(is_of_companies, is_reviewed)
    notices = list(waiting_adaptations.select_for_update(skip_locked=True, of=("self",))[:MOST_NOTICES])
    if notices:
        Adaptation.objects.filter(pk__in=[row.pk for row in notices]).update(notified_at=query.at)
    return ["\n".join(in_one_line(line) for line in row.notice.rsplit("\n", 1)) for row in notices]
