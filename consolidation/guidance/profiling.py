"""Finished runs become profiles, which guidance compares a new run with; `PendingProfile` is the queue.

What their commands and arguments show is counted in the same transaction. New episodes are put into the queue when they
are digested and taken from it right after; what failed then, or whose worker died, waits for the next run.
"""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from consolidation.guidance import features, holdback
from consolidation.guidance.voices import voice_of
from consolidation.learning.effects.effects import changes, effects
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Run
from consolidation.models.profiles import PendingMeasurement, PendingProfile, RunProfile
from consolidation.pipelines import counting, recorded
from consolidation.pipelines.attempts import Checkpoint, attempt, no_checkpoint
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode

LONGEST_OPENING = 300
BATCH = 50


def write(ids: Sequence[UUID]) -> Counter[str]:
    """Write the profiles of those that are in the queue. What fails is counted, and tried again in the next run."""
    return attempt(PendingProfile.objects.all(), ids, lambda ids: Counter(profiles_written=_write(ids)))


def write_waiting(scope: str, *, checkpoint: Checkpoint = no_checkpoint) -> Counter[str]:
    """Write the profile of every run of a scope that has waited since an earlier run."""
    counters: Counter[str] = Counter()
    attempted_ids: set[UUID] = set()
    while ids := _next(scope, attempted_ids):
        attempted_ids.update(ids)
        counters.update(write(ids))
        checkpoint(0, counters)
    return counters


def _next(scope: str, attempted_ids: set[UUID]) -> list[UUID]:
    rows = PendingProfile.objects.due().filter(scope=scope).exclude(pk__in=attempted_ids).order_by("attempts", "pk")
    return list(rows.values_list("pk", flat=True)[:BATCH])


def _write(ids: Sequence[UUID]) -> int:
    """One transaction. An episode without an outcome that counts, or in which no user spoke, has no profile."""
    with transaction.atomic():
        rows_to_lock = Episode.objects.select_for_update(of=("self",)).filter(pk__any=ids).select_related("memory")
        episodes = {episode.pk: episode for episode in rows_to_lock.order_by("pk")}
        rules = tool_rules(episodes.values())
        runs = recorded.runs(list(episodes))
        with_request = [(run, episodes[run.id]) for run in runs if run.user_messages]
        rows = [
            profile(run, memory.scope, memory.sensitivity, rules, voice=voice_of(memory, run.source))
            for run, memory in ((run, episode.memory) for run, episode in with_request)
        ]
        RunProfile.objects.put(rows)
        counting.count_runs([(run, episodes[run.id]) for run in runs], rules)
        _settle_others([row for pk, row in episodes.items() if pk not in {run.id for run in runs}])
        holdback.settle(episodes.values())
        scopes = [episode.scope for episode in episodes.values()][:1]  # of one scope all
        PendingMeasurement.objects.bulk_create(
            [PendingMeasurement(scope=scope) for scope in scopes], ignore_conflicts=True
        )
        PendingProfile.objects.filter(pk__any=ids).delete()
    return len(rows)


def _settle_others(episodes: Sequence[Episode]) -> None:
    """Remove the profiles of episodes that no longer count; one whose transcript was removed keeps its profile and gets
    its present outcome."""
    without_transcript = [episode for episode in episodes if episode.transcript_removed_at and episode.counted_outcome]
    for outcome in {row.counted_outcome for row in without_transcript}:
        ids = [row.pk for row in without_transcript if row.counted_outcome == outcome]
        RunProfile.objects.filter(pk__in=ids).update(outcome=outcome)
    if ids := [episode.pk for episode in episodes]:
        RunProfile.objects.filter(pk__in=ids).exclude(pk__in=[row.pk for row in without_transcript]).delete()
        counting.discount_runs(ids)


def profile(run: Run, scope: str, sensitivity: int, rules: ToolRules, *, voice: str = "") -> RunProfile:
    """The profile of a run in which a user spoke, not saved."""
    until = first_change(run, rules)
    before, identifiers = features.of_moment(run, until=until, rules=rules)
    return RunProfile(
        episode_id=run.id,
        scope=scope,
        sensitivity=sensitivity,
        thread=run.thread,
        voice=voice,
        outcome=run.outcome,
        at=run.at,
        effects=sorted(effects(run, rules)),
        opening=run.user_messages[0].text.strip()[:LONGEST_OPENING],
        identifiers=identifiers,
        packed=before.pack(),
        packed_opening=features.of(run, until=run.user_messages[0].position + 1).pack(),
        vector=before.vector,
    )


def first_change(run: Run, rules: ToolRules) -> int | None:
    """The position of the first call with an effect."""
    acting = (call.position for call in run.steps if changes(call, rules))
    return next(acting, None)
