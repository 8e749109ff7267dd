"""QuerySet methods of memories that depend on time: validity, use, reinforcement, decay, expiry and pruning."""

import math
from collections.abc import Collection
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Self
from uuid import UUID

from django.db import connection, models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.db.models.functions import Greatest, Least, Ln

from memories.models import bulk_rows
from memories.models.as_of import AsOf, FormerTable
from memories.models.trusted import M_co, Snoozed, all_of
from memories.values import conditions, decay, keyset
from memories.values.choices import BELIEVED, EXPERIENCE, LIVE, DeletionPolicy, Type
from memories.values.speakers import review_expression
from memos_site.platform import outages
from memos_site.platform.postgres import replicas

LIVE_FIRST = Case(When(status__in=LIVE, then=Value(0)), default=Value(1))
BY_HAND = (DeletionPolicy.MANUAL_ONLY, DeletionPolicy.NEVER)
PRUNABLE = Q(  # condition of the index over fades_at: without rows that pruning skips
    fades_at__isnull=False,
    type__in=EXPERIENCE,
    deletion_policy=DeletionPolicy.AUTO_PRUNE,
    pinned=False,
    evidence_of_live=False,
)
UNLIMITED = {
    "pinned": False,
    "min_salience__lte": 0.0,
    "max_age__lte": 0.0,
}  # follows its half-life alone
LIMITED = Q(pinned=True) | Q(min_salience__gt=0.0) | Q(max_age__gt=0.0)
# From one half-life to the next by the index, which the table's rows would take far longer for.
HALF_LIVES = """
WITH RECURSIVE free AS NOT MATERIALIZED (
    SELECT half_life FROM memories_memory
    WHERE type {of_episodes} 'episodic' AND NOT pinned AND min_salience <= 0 AND max_age <= 0
), known AS (
    (SELECT half_life FROM free ORDER BY half_life LIMIT 1)
    UNION ALL
    SELECT (SELECT half_life FROM free WHERE free.half_life > known.half_life ORDER BY half_life LIMIT 1)
    FROM known WHERE half_life IS NOT NULL
)
SELECT half_life FROM known WHERE half_life IS NOT NULL LIMIT %s
"""
# Nobody waits until a use is on the disk: a crash may lose those of the last second. A transaction around it stays as
# durable as it was.
COUNT_USE = """
WITH durability AS MATERIALIZED (
    SELECT CASE WHEN %(alone)s THEN set_config('synchronous_commit', 'off', true) END
)
UPDATE memories_memory AS used SET
    times_used = times_used + 1,
    last_used_at = %(at)s::timestamptz,
    idle_since = CASE WHEN kept THEN greatest(idle_since, %(at)s::timestamptz) ELSE idle_since END,
    decay_steps = CASE WHEN kept THEN 0 ELSE decay_steps END
FROM (
    SELECT id, status = ANY(%(believed)s::text[]) AND idle_since IS NOT NULL AS kept
    FROM memories_memory, durability WHERE id = ANY(%(ids)s::uuid[])
    ORDER BY id FOR UPDATE OF memories_memory SKIP LOCKED
) AS free
WHERE used.id = free.id
"""
MOST_HALF_LIVES = 24  # different ones that lists by salience read one after the other


class Ageing(Snoozed[M_co]):
    def as_of(self, moment: AsOf | None) -> Self:
        """Memories as they stood at that instant, for all filters of the query; None: as they stand."""
        rows = self.all()
        if moment is not None:
            alias = rows.query.get_initial_alias()
            rows.query.alias_map[alias] = FormerTable(moment, alias)
        return rows

    def current(self, at: datetime) -> Self:
        """Memories that hold by default: confirmed or applied, within their time to live and period of validity."""
        return self.filter(conditions.valid(at).q(), status__in=BELIEVED)

    def unexpired(self, at: datetime) -> Self:
        """Memories within their time to live, since the job that removes expired ones may be late."""
        return self.filter(conditions.unexpired(at).q())

    def keyed(self, key: str, *, scope: str) -> Self:
        """Memories with this key: the live one first, then closed ones, the latest first."""
        return self.filter(scope=scope, key=key).order_by(LIVE_FIRST, "-updated_at", "-pk")

    def with_review(self) -> Self:
        """Annotate `review`, as `review_of` tells it of a row."""
        return self.annotate(review=review_expression())

    def with_salience(self, at: datetime) -> Self:
        return self.annotate(salience_now=decay.SalienceAt(at))

    def in_salience_order(self, at: datetime) -> Self:
        """Annotate `salience_order`, the binary logarithm of salience at a moment, and for parts of one half-life
        `salience_rank`, which has the same order.
        """
        halvings = Value(at.timestamp(), models.FloatField()) / F("half_life")
        exact_order = Ln(Greatest(decay.SalienceAt(at), Value(1e-300))) / Value(math.log(2.0))
        rank = decay.SalienceRank()
        order = Case(When(LIMITED, then=exact_order), default=rank - halvings, output_field=models.FloatField())
        return self.annotate(salience_rank=rank, salience_order=order)

    def parts_by_salience(self, at: datetime, *, of_episodes: bool = False) -> list[keyset.Part[Any]] | None:
        """The rows, none of them an episode or all, in parts that have an index in the order of salience: one for each
        half-life, and those that something limits, of which there are few. None: there are too many half-lives.
        """
        with connection.cursor() as cursor:
            cursor.execute(HALF_LIVES.format(of_episodes="=" if of_episodes else "<>"), [MOST_HALF_LIVES + 1])
            half_lives = [half_life for (half_life,) in cursor.fetchall()]
        if len(half_lives) > MOST_HALF_LIVES:
            return None
        kind = self.filter(type=Type.EPISODIC) if of_episodes else self.exclude(type=Type.EPISODIC)
        free = kind.filter(**UNLIMITED)
        parts = [keyset.Part(kind.filter(LIMITED))]
        for half_life in half_lives:
            rank = {"salience_order": ("salience_rank", at.timestamp() / half_life)}
            parts.append(keyset.Part(free.filter(half_life=half_life), rank))
        return parts

    def most_salient(self, at: datetime, most: int, *, by_parts: Collection[bool] = ()) -> Self:
        """The most salient rows at a moment, of equal ones the newest first.

        `by_parts`: of knowledge (False) and of episodes (True) only the first rows of each part of `parts_by_salience`
        are compared, unless there are too many parts; empty: all rows of this query are.
        """
        rows, first = self.with_salience(at), self.in_salience_order(at)
        parts = [first.parts_by_salience(at, of_episodes=of_episodes) for of_episodes in by_parts]
        if parts and None not in parts:
            rows = rows.filter(pk__in=keyset.heads(chain(*filter(None, parts)), ("-salience_order", "-pk"), most))
        return rows.order_by("-salience_now", "-created_at", "-pk")[:most]

    def count_use(self, ids: Collection[UUID], *, at: datetime) -> None:
        """Count one use of each of these memories; rows that another transaction has locked are skipped.

        Restarts the idle time of believed memories, not of candidates. `decay_due_at` stays, so that no index is
        written. One statement, which outside of a transaction is one of its own. On the primary, also where a replica
        answers the read that counts; not counted while the disk is full.
        """
        parameters = {"ids": list(ids), "at": at, "believed": [status.value for status in BELIEVED]}
        with outages.dispensable("uses of memories"), replicas.primary(), bulk_rows.prepared() as cursor:
            cursor.execute(COUNT_USE, {**parameters, "alone": not connection.in_atomic_block})

    def reinforce(self, amount: float | None = None, *, at: datetime) -> int:
        """Raise salience by `amount`, or by each row's own gain, to at most 1."""
        gain = F("reinforcement_gain") if amount is None else Value(amount, models.FloatField())
        salience = Least(Value(1.0), decay.SalienceAt(at) + gain)
        return self.update(salience=salience, salience_at=at, reinforced_at=at)

    def penalize(self, amount: float, *, at: datetime) -> int:
        """Lower salience by `amount`, to at least each row's minimum."""
        salience = decay.SalienceAt(at) - Value(amount, models.FloatField())
        return self.update(salience=Greatest(F("min_salience"), Value(0.0), salience), salience_at=at)

    def idle(self, at: datetime) -> Self:
        """Claims that nobody used or confirmed for so long that confidence decay is due."""
        return self.filter(idle_since__lte=at - timedelta(days=decay.Pace.of_settings().idle_days))

    def due_to_decay(self, at: datetime) -> Self:
        return self.filter(decay_due_at__lte=at).order_by("decay_due_at")

    def expired(self, at: datetime) -> Self:
        """Memories past their time to live, except those that are deleted by hand only."""
        return self.filter(expires_at__lte=at).exclude(deletion_policy__in=BY_HAND).order_by("expires_at")

    def prunable(self, at: datetime) -> Self:
        """Faded experience: working states, and closed episodes that every pipeline has read.

        Does not check whether a memory rests on them, see `witnessing`.
        """
        faded_rows = self.filter(PRUNABLE, fades_at__lt=at)
        has_unruled_event = Exists(all_of("Event").unruled().order_by().filter(episode=OuterRef("pk")))
        is_digested = Q(~has_unruled_event, episode__closed_at__isnull=False, episode__digested_at__isnull=False)
        return faded_rows.filter(Q(type=Type.WORKING) | is_digested).order_by("fades_at")

    def witnessing(self) -> Self:
        """Episodes that are evidence of a live memory."""
        live = self.model._default_manager.filter(status__in=LIVE)
        return self.filter(Exists(live.filter(evidence__episode=OuterRef("pk"))))

    def released(self, ids: Collection[UUID]) -> int:
        """Let pruning check the episodes behind these memories again, because these are being closed or deleted."""
        is_witness = Q(episode__evidence_for__memory__in=list(ids), evidence_of_live=True)
        witnesses = self.model._default_manager.filter(is_witness).order_by().values("pk")
        return self._of(witnesses).update(evidence_of_live=False)

    def _of(self, ids: object) -> Self:
        return type(self)(self.model, using=self.db).filter(pk__in=ids)
