"""First half of consolidation: new episodes are read, each once and in order, by everything that learns from them.

A batch is locked, read and digested in one transaction: sightings of patterns, what else READERS write, the mark that
it is digested. What needs a transaction of its own (it may fail without the episode) follows, and has a queue.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import accumulate, takewhile
from uuid import UUID

from django.db import transaction
from django.db.models import F

from consolidation.extraction import queue
from consolidation.models import Pattern, Sighting, case_of
from consolidation.models.profiles import PendingProfile, RunProfile
from consolidation.pipelines import inferring, recorded, user_statements
from consolidation.pipelines.attempts import Checkpoint, Count, attempt, no_checkpoint, no_count
from consolidation.pipelines.pattern_identity import PatternIdentity, by_pattern
from consolidation.pipelines.recorded import Recording
from memories.intake.episodes.copies import copies
from memories.models import Episode
from memories.models.performance import COLUMN
from memories.values.choices import Outcome

BATCH, BATCH_EVENTS = 200, 4_000  # of episodes, and of their events unless the first episode alone has more
IDENTITY = ("kind", "scope", "sensitivity", "signature_sha256")
COUNTED = ("due", "cases", *COLUMN.values(), "first_seen_at", "last_seen_at")
After = Callable[[Sequence[UUID]], Counter[str]]


def digest(
    scope: str,
    *,
    at: datetime,
    after: Sequence[After] = (),
    count: Count = no_count,
    checkpoint: Checkpoint = no_checkpoint,
) -> Counter[str]:
    """Digest every new episode of a scope. Counters: episodes_read, failed, set_aside (of all runs), those of `after`.

    `after` is called with the ids of each batch that was committed. `count` is told in the transaction that digests
    them how many episodes were read. An attempt is counted and committed before the work: an episode whose worker died
    is then tried alone, so that only the one that kills is tried three times and then set aside. No copy is read.
    """
    counters: Counter[str] = Counter()
    last: tuple[datetime, UUID] | None = None
    while batch := _next_batch(scope, last):
        last, ids = batch[-1][:2], [episode_id for _, episode_id, _ in batch]
        digested_ids: list[UUID] = []
        counters.update(attempt(Episode.objects.all(), ids, partial(_digest_into, digested_ids, count, at=at)))
        for pipeline in after if digested_ids else ():
            counters.update(pipeline(digested_ids))
        checkpoint(len(ids), counters)
    if aside := Episode.objects.set_aside().filter(scope=scope).count():
        counters["set_aside"] = aside
    return counters


def _next_batch(scope: str, last: tuple[datetime, UUID] | None) -> list[tuple[datetime, UUID, int]]:
    """The next unattempted episodes, or one attempted episode alone: (closed_at, id, attempts)."""
    rows = Episode.objects.undigested().filter(scope=scope)
    if last:
        rows = rows.after(*last)
    columns = rows.values_list("closed_at", "pk", "digest_attempts", "event_count")[:BATCH]
    batch = [(closed_at, pk, attempts, events) for closed_at, pk, attempts, events in columns if closed_at]
    new = list(takewhile(lambda row: row[2] == 0, batch))
    ends = accumulate(min(events, recorded.MOST_EVENTS) for *_, events in new)
    selected = new[: 1 + sum(end <= BATCH_EVENTS for end in list(ends)[1:])] or batch[:1]
    return [(closed_at, pk, attempts) for closed_at, pk, attempts, _ in selected]


def _digest_into(digested_ids: list[UUID], count: Count, ids: Sequence[UUID], *, at: datetime) -> Counter[str]:
    learned_ids = _digest(ids, count, at=at)
    digested_ids += learned_ids
    return Counter(episodes_read=len(learned_ids))


def _digest(ids: Sequence[UUID], count: Count, *, at: datetime) -> list[UUID]:
    """Digest episodes in one transaction; returns those to learn from, which nobody else had digested meanwhile."""
    with transaction.atomic():
        episodes = Episode.objects.select_for_update(of=("self",)).filter(pk__any=ids, digested_at=None)
        recordings = recorded.read(list(episodes.select_related("memory").order_by("pk")))
        recordings = inferring.infer(recordings, at=at)
        digested_ids = [recording.episode.pk for recording in recordings]
        passed_over = _passed_over(digested_ids)
        witnesses = [recording for recording in recordings if recording.episode.pk not in passed_over]
        for reader in READERS:
            reader(witnesses)
        Episode.objects.digested(digested_ids, at=at)
        learned_ids = [recording.episode.pk for recording in witnesses]
        queue.queue_digested(learned_ids)
        count(len(learned_ids))
    return learned_ids


def _passed_over(ids: Sequence[UUID]) -> set[UUID]:
    """The copies among these, of which nothing was learned before: what was is kept up to date."""
    copy_ids = set(copies(Episode.objects.filter(pk__any=ids)).values_list("pk", flat=True))
    return copy_ids - _learned([*copy_ids]) if copy_ids else copy_ids


def record(recordings: Sequence[Recording]) -> None:
    """Record a sighting of its pattern for each episode of one scope; correct it for one that was recorded before.

    Of one without a transcript nobody knows any more which pattern it shows.
    """
    ids = [recording.episode.pk for recording in recordings]
    recorded_ids = set(Sighting.objects.filter(episode_id__any=ids).values_list("episode_id", flat=True))
    if recorded_ids:
        _correct_outcomes([recording.episode for recording in recordings if recording.episode.pk in recorded_ids])
    if new := by_pattern(
        [recording for recording in recordings if recording.episode.pk not in recorded_ids and recording.has_transcript]
    ):
        _record(new)


def _correct_outcomes(episodes: Sequence[Episode]) -> None:
    """Correct the counters of patterns for episodes that were digested before with another outcome, or with one that
    does not count any more ('')."""
    outcome = {episode.pk: episode.counted_outcome or "" for episode in episodes}
    changes_by_pattern: dict[UUID, list[Sighting]] = defaultdict(list)
    for sighting in Sighting.objects.select_for_update().filter(episode_id__in=outcome):
        if outcome[sighting.episode_id] != sighting.outcome:
            changes_by_pattern[sighting.pattern_id].append(sighting)
    for pattern_id, sightings in sorted(changes_by_pattern.items()):
        rows = Sighting.objects.filter(pattern=pattern_id)
        cases = {sighting.case for sighting in sightings}
        before, counts = rows.well(cases), Counter[str]()
        for sighting in sightings:
            now = outcome[sighting.episode_id]
            counts.update({now: 1})
            counts.subtract([sighting.outcome])
            Sighting.objects.filter(pk=sighting.pk).update(outcome=now)
        difference = len(rows.well(cases)) - len(before)
        counters = {COLUMN[Outcome(name)]: F(COLUMN[Outcome(name)]) + n for name, n in counts.items() if n and name}
        Pattern.objects.filter(pk=pattern_id).update(due=True, cases=F("cases") + difference, **counters)


def _record(new: Mapping[PatternIdentity, Sequence[Episode]]) -> None:
    """Write the sightings of a batch and move the counters of their patterns, which are locked meanwhile."""
    patterns = _locked(new)
    rows = [row for identity, pattern in patterns.items() for row in _count(pattern, new[identity])]
    well = {(row.pattern_id, row.case) for row in rows if row.outcome == Outcome.SUCCESS}
    of_patterns = Sighting.objects.filter(pattern__in=patterns.values())
    cases = Counter(pattern for pattern, _ in well - of_patterns.well({case for _, case in well}))
    for pattern in patterns.values():
        pattern.cases += cases[pattern.pk]
    Sighting.objects.bulk_create(rows)
    Pattern.objects.bulk_create(patterns.values(), update_conflicts=True, unique_fields=IDENTITY, update_fields=COUNTED)


def _locked(new: Mapping[PatternIdentity, Sequence[Episode]]) -> dict[PatternIdentity, Pattern]:
    """The patterns in their order, made where there are none yet."""
    patterns = _find(new)
    if missing := new.keys() - patterns.keys():
        rows = [_pattern(identity, new[identity]) for identity in sorted(missing, key=lambda one: one.order)]
        Pattern.objects.bulk_create(rows, ignore_conflicts=True)
        patterns = _find(new)
    return patterns


def _find(identities: Mapping[PatternIdentity, object]) -> dict[PatternIdentity, Pattern]:
    [(kind, scope)] = {(identity.kind, identity.scope) for identity in identities}
    of_batch = Pattern.objects.filter(kind=kind, scope=scope, signature_sha256__in=[row.sha256 for row in identities])
    rows = of_batch.select_for_update(of=("self",)).order_by("signature_sha256", "sensitivity")
    patterns = {PatternIdentity(kind, scope, row.sensitivity, row.signature): row for row in rows}
    return {identity: pattern for identity, pattern in patterns.items() if identity in identities}


def _pattern(identity: PatternIdentity, episodes: Sequence[Episode]) -> Pattern:
    moments = [episode.closed_at for episode in episodes if episode.closed_at]
    return Pattern(
        kind=identity.kind,
        scope=identity.scope,
        sensitivity=identity.sensitivity,
        signature=identity.signature,
        signature_sha256=identity.sha256,
        effects=list(identity.effects),
        first_seen_at=min(moments),
        last_seen_at=max(moments),
    )


def _count(pattern: Pattern, episodes: Sequence[Episode]) -> list[Sighting]:
    """Count these episodes in the pattern, except its cases; returns their sightings, not saved yet."""
    rows = [
        Sighting(
            pattern=pattern,
            episode_id=episode.pk,
            case=case_of(episode.thread_id, episode.pk),
            outcome=episode.counted_outcome,
            at=episode.closed_at,
        )
        for episode in episodes
        if episode.counted_outcome and episode.closed_at
    ]
    pattern.due = True
    pattern.first_seen_at = min(pattern.first_seen_at, *(row.at for row in rows))
    pattern.last_seen_at = max(pattern.last_seen_at, *(row.at for row in rows))
    for row in rows:
        column = COLUMN[Outcome(row.outcome)]
        setattr(pattern, column, getattr(pattern, column) + 1)
    return rows


def _queue_profiles(recordings: Sequence[Recording]) -> None:
    """Those with an outcome that counts, and those from which something was learned before: it may count no more."""
    counting = {
        recording.episode.pk
        for recording in recordings
        if recording.episode.counted_outcome and recording.has_transcript
    }
    episodes = [recording.episode for recording in recordings]
    ids = [episode.pk for episode in episodes if episode.pk not in counting]
    ids_to_queue = counting | _learned(ids) if ids else counting
    PendingProfile.objects.put(episode for episode in episodes if episode.pk in ids_to_queue)


def _learned(ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of these episodes from which something was learned before."""
    profiles = RunProfile.objects.filter(pk__in=ids).values_list("pk", flat=True)
    sightings = Sighting.objects.filter(episode_id__any=ids).values_list("episode_id", flat=True)
    return frozenset({*profiles, *sightings})


def _queue_statements(recordings: Sequence[Recording]) -> None:
    user_statements.queue_messages([recording.episode for recording in recordings])


# Each is called once a batch, within the transaction that digests it. An episode comes again when its outcome is
# replaced: what counts it keeps a unique row. One that raises has the batch digested episode by episode.
READERS: tuple[Callable[[Sequence[Recording]], None], ...] = (record, _queue_profiles, _queue_statements)
