"""Records written when a context is given to an agent: uses, the injection row, and announced adaptations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.crypto import salted_hmac

from memories.models import Adaptation, Injection, Memory
from memories.search.context.queries import ContextQuery
from memories.search.context.rendering import in_one_line
from memories.search.context.selection import Merged
from memories.search.filters import announced_to
from memories.search.request import ContextRequest
from memories.values.choices import Sensitivity
from memories.values.speakers import is_unreviewed
from memories.values.trust import SHARED_SCOPES, Trust

MOST_NOTICES = 10


@dataclass(frozen=True)
class InjectedContext:
    """A context given to an agent: `rows` are the memories of `chosen`, in their order. `status`: ok or degraded.
    `trust`: the caller's, which the request may narrow."""

    trust: Trust
    source: str
    chosen: Sequence[Merged]
    rows: Sequence[Memory]
    status: str


def count(given: InjectedContext, request: ContextRequest, wanted: ContextQuery) -> None:
    """Count one use of each memory given, and write the injection row, also when nothing was found.

    Of the task only a keyed fingerprint is stored.
    """
    if given.rows:
        Memory.objects.count_use([row.pk for row in given.rows], at=wanted.at)
    Injection.objects.create(
        agent=wanted.trust.actor.name[:200],
        source=given.source,
        thread_id=request.thread_id or "",
        at=wanted.at,
        task_sha256=salted_hmac("memos.context", request.task, algorithm="sha256").digest(),
        items=[_item(one, row, wanted) for one, row in zip(given.chosen, given.rows, strict=True)],
        status=given.status,
        scope=_scope(given, request, wanted),
        sensitivity=max((row.sensitivity for row in given.rows), default=Sensitivity.LOW),
    )


def _item(one: Merged, row: Memory, wanted: ContextQuery) -> dict[str, Any]:
    unreviewed = is_unreviewed(row, reader=wanted.trust.actor.identity)
    return {"memory": str(one.memory), "why": one.why, "score": round(one.score, 4), "unreviewed": unreviewed}


def _scope(given: InjectedContext, request: ContextRequest, wanted: ContextQuery) -> str:
    """The scope of the injection: the requested one, else the first of a memory in it, else the caller's only one."""
    asked = request.only_scope(given.trust)
    if asked is not None:
        return asked
    of_items = [row.scope for row in given.rows if row.scope not in SHARED_SCOPES]
    only = list(wanted.trust.scopes or given.trust.scopes or ())
    return of_items[0] if of_items else only[0] if len(only) == 1 else ""


def announce(wanted: ContextQuery, source: str) -> list[str]:
    """Notices of new adaptations for this source, each given once, also to concurrent callers.

    A notice about one company is not given in the context of another, nor one about what only another agent has said.
    """
    right = Q(memory__company_id=None) | Q(memory__company_id__in=["", *wanted.companies])
    reviewed = announced_to(wanted.trust).q("memory__")
    offered = Adaptation.objects.unannounced(source).offered_to(wanted.trust, "memory__")
    waiting = offered.filter(right, reviewed)
    notices = list(waiting.select_for_update(skip_locked=True, of=("self",))[:MOST_NOTICES])
    if notices:
        Adaptation.objects.filter(pk__in=[row.pk for row in notices]).update(notified_at=wanted.at)
    return ["\n".join(in_one_line(line) for line in row.notice.rsplit("\n", 1)) for row in notices]
