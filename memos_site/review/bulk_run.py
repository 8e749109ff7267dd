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
from memos_site.review.verbs import Verdict

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
    now = bulk.version_tokens(trust, [pk for pk, seen in chosen.items() if not seen])
    rows = [[str(pk), chosen[pk] or now.get(pk, "")] for pk in sorted(chosen)]
    return _queue(person, at=at, verb=verb, why=why.strip(), options=options, chosen=rows, total=len(rows))


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
        ordered = BulkOrder(person=person, **facts)
        ordered.run = Run.objects.create(kind=KIND, trigger=Run.Trigger.PAGE, subject=ordered.pk, total=ordered.total)
        ordered.save(force_insert=True)
        ordered.run.audit("start", by=trust_of(person).actor, at=at).save(force_insert=True)
    run_queue.nudge()
    return ordered


def process(run: Run, *, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run."""
    ordered = BulkOrder.objects.get(run=run)
    reporter = Reporter(run, Counter(), should_stop)
    reporter.done, reporter.total = ordered.done_count + ordered.refused_count, ordered.total
    try:
        decide_next = _undoing(ordered) if ordered.verb == UNDO else _deciding(ordered)
        reporter.stage("undoing" if ordered.verb == UNDO else "deciding")
        while number := decide_next():
            counts = BulkOrder.objects.values_list("counts", flat=True).get(pk=ordered.pk)
            reporter.batch(number, Counter(counts))
    except (NotAllowed, NotFound) as refusal:
        ended = BulkOrder.objects.light().get(pk=ordered.pk)
        return run.finish(Run.Status.FAILED, counters=ended.counts, at=timezone.now(), error=str(refusal))
    ended = BulkOrder.objects.light().get(pk=ordered.pk)
    BulkOrder.objects.filter(pk=ordered.pk).update(chosen=[])
    return run.finish(Run.Status.SUCCEEDED, counters=ended.counts, at=timezone.now())


def _deciding(ordered: BulkOrder) -> Callable[[], int]:
    """Return what decides about the next rows of an order and answers how many they were."""
    chosen = {UUID(pk): seen for pk, seen in ordered.chosen}
    ids, scopes, claim_of = list(chosen), bulk.scopes_of(_trust(ordered), chosen), bulk.remembering()

    def decide_next() -> int:
        with transaction.atomic():
            held = _locked(ordered)
            start = bisect_right(ids, held.cursor) if held.cursor else 0
            part = {pk: chosen[pk] for pk in ids[start : start + PART]}
            if part:
                result = bulk.Bulk(batch=held.batch)
                how = held.verdict_options
                verdict = Verdict(held.verb, _trust(held), timezone.now(), held.batch, held.why, **how)
                bulk.decide_part(verdict, part, scopes, result, claim_of)
                held.record(max(part), done=len(result.done), refused=result.failed)
        return len(part)

    return decide_next


def _undoing(ordered: BulkOrder) -> Callable[[], int]:
    """Return what takes back the next groups of a batch and answers how many they were."""
    assert ordered.undoes is not None
    plan = undo.plan_of(_trust(ordered), ordered.undoes)
    groups = sorted(plan.groups, key=lambda group: group.memory_id)
    ids = [group.memory_id for group in groups]

    def undo_next() -> int:
        with transaction.atomic():
            held = _locked(ordered)
            start = bisect_right(ids, held.cursor) if held.cursor else 0
            part = groups[start : start + PART]
            if part:
                result = undo.UndoResult(batch=held.batch)
                undo.undo_part(part, plan.scopes, result, trust=_trust(held), at=timezone.now())
                refused = [{"id": row["id"], "code": "conflict", "detail": row["why"]} for row in result.refused]
                held.record(part[-1].memory_id, done=len(result.undone), refused=refused)
        return len(part)

    return undo_next


def _locked(ordered: BulkOrder) -> BulkOrder:
    """Lock the order for a part. RunStopped: its run was paused, or ended, meanwhile."""
    held = BulkOrder.objects.light().select_for_update(of=("self",)).get(pk=ordered.pk)
    if held.run.status != Run.Status.RUNNING:
        raise RunStopped
    return held


def _trust(ordered: BulkOrder) -> Trust:
    """NotAllowed: the person may not decide any more."""
    trust = trust_of(ordered.person)
    if not ordered.person.is_active or not trust.may(Permission.REVIEW):
        raise NotAllowed("deciding needs the permission review")
    return trust
