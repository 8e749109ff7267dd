"""The run that carries out a bulk decision, or the undo of one, that is too large for a request.

Its order keeps the place that it has come to, written in the transaction of the decisions themselves: a worker that is
killed leaves whole parts behind, and the next one goes on with the first row that was not decided.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from consolidation import run_queue
from consolidation.execution import Reporter, never
from consolidation.models import BulkOrder, Run, RunStopped
from consolidation.models.bulk_orders import KIND, UNDO
from memories.models import claim_locks
from memories.people import trust_of
from memories.values.choices import Permission
from memories.values.exceptions import Conflict, NotAllowed, NotFound
from memories.values.trust import Trust
from memos_site.review import bulk, undo
from memos_site.review.verbs import VERBS, Decision

PART = 300  # rows in one transaction: stores into their scopes wait for it, and progress is shown after it
MOST_IN_A_RUN = 100_000


def order(
    person: User, chosen: Mapping[UUID, str], verb: str, *, at: datetime, why: str = "", **options: Any
) -> BulkOrder:
    """Queue a bulk decision about the memories of `chosen` (id -> version token; '' for as they stand now).

    NotAllowed and Invalid as in `bulk.by_ids`, with MOST_IN_A_RUN.
    """
    trust = trust_of(person)
    bulk.check_order(trust, verb, why, len(chosen), most=MOST_IN_A_RUN)
    current_tokens = bulk.version_tokens(trust, [pk for pk, token in chosen.items() if not token])
    rows = [[str(pk), chosen[pk] or current_tokens.get(pk, "")] for pk in sorted(chosen)]
    return _queue(person, at=at, verb=verb, why=why.strip(), options=options, chosen=rows, total=len(rows))


def options_of(bulk_order: BulkOrder) -> dict[str, Any]:
    """Return the options of the verb that was ordered."""
    return VERBS[bulk_order.verb].stored_options(bulk_order.options) if bulk_order.verb in VERBS else {}


def order_undo(person: User, batch: UUID, *, at: datetime) -> BulkOrder:
    """Queue the undo of a batch.

    NotFound and NotAllowed as in `undo.undo`; Conflict: the run of the batch, or another undo of it, is under way.
    """
    trust = trust_of(person)
    undo.end_order(trust, batch, at=at)
    plan = undo.plan_of(trust, batch)
    with transaction.atomic():
        claim_locks.alone(f"memos:undo:{batch}")  # of two at once, the second one meets the order of the first
        if BulkOrder.objects.filter(undoes=batch, run__in=Run.objects.unfinished()).exists():
            raise Conflict("it is being undone already")
        return _queue(person, at=at, verb=UNDO, undoes=batch, total=len(plan.groups))


def _queue(person: User, *, at: datetime, **facts: Any) -> BulkOrder:
    with transaction.atomic():
        bulk_order = BulkOrder(person=person, **facts)
        bulk_order.run = Run.objects.create(
            kind=KIND, trigger=Run.Trigger.PAGE, subject=bulk_order.pk, total=bulk_order.total
        )
        bulk_order.save(force_insert=True)
        bulk_order.run.audit("start", by=trust_of(person).actor, at=at).save(force_insert=True)
    run_queue.nudge()
    return bulk_order


def process(run: Run, *, should_stop: Callable[[], bool] = never) -> None:
    """Carry out the bulk order of a run, part by part, and finish the run. RunStopped: it was paused or ended."""
    bulk_order = BulkOrder.objects.get(run=run)
    reporter = Reporter(run, Counter(), should_stop)
    reporter.done, reporter.total = bulk_order.done_count + bulk_order.refused_count, bulk_order.total
    try:
        decide_next = _undoer(bulk_order) if bulk_order.verb == UNDO else _decider(bulk_order)
        reporter.stage("undoing" if bulk_order.verb == UNDO else "deciding")
        while number := decide_next():
            counts = BulkOrder.objects.values_list("counts", flat=True).get(pk=bulk_order.pk)
            reporter.batch(number, Counter(counts))
    except (NotAllowed, NotFound) as refusal:
        final_order = BulkOrder.objects.light().get(pk=bulk_order.pk)
        return run.finish(Run.Status.FAILED, counters=final_order.counts, at=timezone.now(), error=str(refusal))
    final_order = BulkOrder.objects.light().get(pk=bulk_order.pk)
    BulkOrder.objects.filter(pk=bulk_order.pk).update(chosen=[])
    return run.finish(Run.Status.SUCCEEDED, counters=final_order.counts, at=timezone.now())


def _decider(bulk_order: BulkOrder) -> Callable[[], int]:
    """Return a function that decides about the next PART rows of an order and returns how many they were."""
    chosen = {UUID(pk): token for pk, token in bulk_order.chosen}
    ids, scopes, claim_of = list(chosen), bulk.scopes_of(_trust(bulk_order), chosen), bulk.claim_reader()

    def decide_next() -> int:
        with transaction.atomic():
            locked_order = _lock(bulk_order)
            start = bisect_right(ids, locked_order.cursor) if locked_order.cursor else 0
            part = {pk: chosen[pk] for pk in ids[start : start + PART]}
            if part:
                result = bulk.Bulk(batch=locked_order.batch)
                options = options_of(locked_order)
                decision = Decision(
                    locked_order.verb,
                    _trust(locked_order),
                    timezone.now(),
                    locked_order.batch,
                    locked_order.why,
                    options,
                )
                bulk.decide_part(decision, part, scopes, result, claim_of)
                locked_order.record(max(part), done=len(result.done), refused=result.failed)
        return len(part)

    return decide_next


def _undoer(bulk_order: BulkOrder) -> Callable[[], int]:
    """Return a function that undoes the next PART groups of a batch and returns how many they were."""
    assert bulk_order.undoes is not None
    plan = undo.plan_of(_trust(bulk_order), bulk_order.undoes)
    groups = sorted(plan.groups, key=lambda group: group.memory_id)
    ids = [group.memory_id for group in groups]

    def undo_next() -> int:
        with transaction.atomic():
            locked_order = _lock(bulk_order)
            start = bisect_right(ids, locked_order.cursor) if locked_order.cursor else 0
            part = groups[start : start + PART]
            if part:
                result = undo.UndoResult(batch=locked_order.batch)
                undo.undo_part(part, plan.scopes, result, trust=_trust(locked_order), at=timezone.now())
                refusals = [{"id": row["id"], "code": "conflict", "detail": row["why"]} for row in result.refused]
                locked_order.record(part[-1].memory_id, done=len(result.undone), refused=refusals)
        return len(part)

    return undo_next


def _lock(bulk_order: BulkOrder) -> BulkOrder:
    """Lock the order for a part. RunStopped: its run was paused, or ended, meanwhile."""
    locked_order = BulkOrder.objects.light().select_for_update(of=("self",)).get(pk=bulk_order.pk)
    if locked_order.run.status != Run.Status.RUNNING:
        raise RunStopped
    return locked_order


def _trust(bulk_order: BulkOrder) -> Trust:
    """Return the trust of the person who ordered it. NotAllowed: the person may not decide any more."""
    trust = trust_of(bulk_order.person)
    if not bulk_order.person.is_active or not trust.may(Permission.REVIEW):
        raise NotAllowed("deciding needs the permission review")
    return trust
