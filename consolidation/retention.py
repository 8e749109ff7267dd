"""The daily jobs that remove what was kept long enough: transcripts of agents' runs, runs of background work, and
messages to webhooks.

A transcript goes once everything was learned from it. What was learned stays, with its evidence: who said it, when, in
which words, and how the run ended. So do the episode, its outcome and verdict, and what guidance compares. No search
finds what was said in it any more.

Of background work the runs and their steps go. The calls to the language model stay, and so do audit entries of
decisions about a run, which name its kind.
"""

from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, Sum
from uuid_utils.compat import uuid7

from consolidation.models import ImportFile, Run, RunStep, Sighting, WebhookDelivery
from consolidation.models.profiles import PendingProfile
from consolidation.models.statement_messages import StatementMessage
from consolidation.pipelines.competences import RUNS_OF_PATTERN, RUNS_OF_SCOPE
from memories import leases
from memories.lifecycle import batches, removal
from memories.models import AuditEntry, Episode, Event
from memories.models.episode import EpisodeQuerySet
from memories.values.choices import DeletionPolicy, OutcomeSource
from memories.values.trust import SYSTEM

RETENTION = timedelta(days=90)  # of runs of background work and of messages; longer than the outbox looks back
LEASE = "transcripts"
AT_ONCE = 200  # episodes in one transaction
ACTION = "remove transcripts"
UNMARKED = {"memory__pinned": False, "memory__hold": "", "memory__deletion_policy": DeletionPolicy.AUTO_PRUNE}
WITH_OUTCOME = Q(outcome__isnull=False, outcome_counts=True)


def remove(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Remove the transcripts of runs that ended TRANSCRIPT_RETENTION_DAYS ago. Counters: transcripts, events.

    One worker at a time; each batch is a transaction of its own with one audit entry, so a job that is stopped goes on
    where it was. `until`: of the monotonic clock.
    """
    done: Counter[str] = Counter()
    if not (days := settings.TRANSCRIPT_RETENTION_DAYS):
        return done
    before = at - timedelta(days=days)
    with leases.hold(LEASE, wait=False) as is_held:
        for scope in _scopes(before) if is_held else ():
            done += batches.each(_Scope(scope, before, at).remove_some, until=until)
    return done


def due(*, at: datetime, days: int | None = None) -> Counter[str]:
    """What `remove` would take, with the same names; `days`: with another setting."""
    before = at - timedelta(days=settings.TRANSCRIPT_RETENTION_DAYS if days is None else days)
    counts: Counter[str] = Counter()
    for scope in _scopes(before):
        sums = removable(scope, before).aggregate(transcripts=Count("pk"), events=Sum("event_count"))
        counts.update({name: n or 0 for name, n in sums.items()})
    return +counts


def _scopes(before: datetime) -> list[str]:
    rows = Episode.objects.filter(closed_at__lt=before, transcript_removed_at=None).order_by()
    return sorted(rows.values_list("scope", flat=True).distinct())


def removable(scope: str, before: datetime) -> EpisodeQuerySet:
    """Runs of a scope whose transcripts nobody needs any more.

    Needed are those that a pipeline has not read, that a queue holds, that a language model is to read, and that
    learning reads again: the latest of their pattern, and of their scope up to their level. Kept are, too, those that a
    person pinned, keeps from being deleted, or said the outcome of.
    """
    rows: EpisodeQuerySet = Episode.objects.filter(scope=scope, transcript_removed_at=None, **UNMARKED)
    rows = rows.filter(closed_at__lt=before, digested_at__isnull=False, verdict_at__isnull=False)
    rows = rows.exclude(outcome_source=OutcomeSource.PERSON)
    waits_for_rules = Exists(Event.objects.unruled().order_by().filter(episode=OuterRef("pk")))
    waits_for_profile = Exists(PendingProfile.objects.filter(episode=OuterRef("pk")))
    waits_for_statements = Exists(StatementMessage.objects.filter(event__episode=OuterRef("pk")))
    waits_for_model = Exists(Run.objects.unfinished().filter(episode=OuterRef("pk")))
    sightings = Sighting.objects.filter(episode_id=OuterRef("pk"))
    read_again = Exists(sightings.read_again(RUNS_OF_PATTERN))
    return rows.filter(
        _older_than_compared(scope),
        ~waits_for_rules,
        ~waits_for_profile,
        ~waits_for_statements,
        ~waits_for_model,
        ~read_again,
    )


def _older_than_compared(scope: str) -> Q:
    """Runs that are not among the latest of their scope and level, with which a pattern's are compared."""
    with_end = Episode.objects.filter(scope=scope).with_end()
    older = ~WITH_OUTCOME
    for level in with_end.order_by().values_list("memory__sensitivity", flat=True).distinct():
        latest = with_end.filter(memory__sensitivity__lte=level).order_by("-closed_at", "-pk")
        least = latest.values_list("closed_at", flat=True)[RUNS_OF_SCOPE - 1 : RUNS_OF_SCOPE].first()
        if least is not None:
            older |= WITH_OUTCOME & Q(memory__sensitivity=level, closed_at__lt=least)
    return older


class _Scope:
    """One scope of one run of the job, batch by batch; what stays is passed once."""

    def __init__(self, scope: str, before: datetime, at: datetime) -> None:
        self.scope, self.before, self.at = scope, before, at
        self.after: tuple[datetime, UUID] | None = None

    def remove_some(self) -> Counter[str] | None:
        """Within a transaction. None: nothing is left."""
        rows = removable(self.scope, self.before).order_by("closed_at", "pk")
        rows = rows.after(*self.after) if self.after else rows
        rows_to_lock = rows.select_related("memory").select_for_update(skip_locked=True, of=("self", "memory"))
        episodes = list(rows_to_lock.only("closed_at", "memory__sensitivity")[:AT_ONCE])
        if not episodes:
            return None
        ids, ends = (
            [episode.pk for episode in episodes],
            [episode.closed_at for episode in episodes if episode.closed_at],
        )
        self.after = (ends[-1], ids[-1])
        counts = Counter(transcripts=len(ids), events=removal.remove_transcripts(ids, at=self.at))
        self._note(
            counts, {"first": ends[0], "last": ends[-1]}, max(episode.memory.sensitivity for episode in episodes)
        )
        return counts

    def _note(self, counts: Counter[str], period: dict[str, Any], sensitivity: int) -> None:
        """One audit entry for the batch: how much of which time. The episodes themselves say when it was done."""
        batch, runs = uuid7(), f"{counts['transcripts']} runs"
        AuditEntry.draft(
            kind="transcripts",
            subject=batch,
            label=f"{runs} of {self.scope}" if self.scope else f"{runs} without scope",
            action=ACTION,
            by=SYSTEM,
            at=self.at,
            scope=self.scope,
            sensitivity=sensitivity,
            after={**counts, **period},
            batch=batch,
        ).save(force_insert=True)


def prune_runs(*, at: datetime, until: float | None = None) -> Counter[str]:
    """Remove runs, steps of runs that stay, and messages to webhooks that ended RETENTION ago, and uploads that nobody
    imported. Counters: runs, steps, messages, files."""
    kinds: dict[str, Any] = {"runs": Run, "steps": RunStep, "messages": WebhookDelivery}
    counts = +Counter(files=ImportFile.objects.forget_stale(at=at))
    for name, kind in kinds.items():
        counts += batches.each(partial(_prune_some, kind, name, before=at - RETENTION), until=until)
    return counts


def _prune_some(kind: Any, name: str, *, before: datetime) -> Counter[str] | None:
    rows = kind.objects.prunable(before=before)
    ids = list(rows.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)[: batches.BATCH])
    if not ids:
        return None
    kind.objects.filter(pk__in=ids).delete()
    return Counter({name: len(ids)})
