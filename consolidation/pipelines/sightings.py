"""First half of consolidation: digest new episodes into sightings of patterns, exactly once, a transaction a batch."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest, Least

from consolidation.learning.effects import effects, signature
from consolidation.learning.runs import Run
from consolidation.models import Pattern, Sighting, case_of
from consolidation.models.profiles import Unprofiled
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode
from memories.models.performance import COLUMN
from memories.values.choices import Outcome

BATCH = 50


@dataclass(frozen=True)
class PatternIdentity:
    """The unique identity of a pattern; `effects` only describe it."""

    kind: Pattern.Kind
    scope: str
    sensitivity: int
    signature: str
    effects: tuple[str, ...] = field(default=(), compare=False)

    @property
    def sha256(self) -> bytes:
        return hashlib.sha256(self.signature.encode()).digest()


def digest(scope: str, *, at: datetime) -> Counter[str]:
    """Digest every new episode of a scope, in order. Counters: episodes_read, failed, set_aside (of all runs).

    An attempt is counted and committed before the work. An episode whose worker died is then tried alone, so that only
    the one that kills is tried three times and then set aside.
    """
    counters: Counter[str] = Counter()
    after: tuple[datetime, UUID] | None = None
    while batch := _next_batch(scope, after):
        after, ids = batch[-1][:2], [episode_id for _, episode_id, _ in batch]
        Episode.objects.attempted(ids)
        try:
            counters["episodes_read"] += _digest(ids, at=at)
        except Exception:  # whatever one episode does to its batch, the others are digested alone
            counters.update(_each_alone(ids, at=at))
    if aside := Episode.objects.set_aside().filter(scope=scope).count():
        counters["set_aside"] = aside
    return counters


def _next_batch(scope: str, after: tuple[datetime, UUID] | None) -> list[tuple[datetime, UUID, int]]:
    """The next unattempted episodes, or one attempted episode alone: (closed_at, id, attempts)."""
    rows = Episode.objects.undigested().filter(scope=scope)
    if after:
        rows = rows.after(*after)
    columns = rows.values_list("closed_at", "pk", "digest_attempts")[:BATCH]
    batch = [(closed_at, pk, attempts) for closed_at, pk, attempts in columns if closed_at]
    return batch[:1] if batch and batch[0][2] else list(takewhile(lambda row: row[2] == 0, batch))


def _each_alone(ids: Sequence[UUID], *, at: datetime) -> Counter[str]:
    counters: Counter[str] = Counter()
    for episode_id in ids:
        try:
            counters["episodes_read"] += _digest([episode_id], at=at)
        except Exception as error:  # kept on the episode, shown, and tried again in the next run
            Episode.objects.filter(pk=episode_id).update(digest_error=f"{type(error).__name__}: {error}"[:2000])
            counters["failed"] += 1
    return counters


def _digest(ids: Sequence[UUID], *, at: datetime) -> int:
    """Digest episodes in one transaction: sightings, the patterns' counters, and the episodes' mark."""
    with transaction.atomic():
        locked = Episode.objects.select_for_update(of=("self",)).filter(pk__in=ids, digested_at=None)
        episodes = list(locked.select_related("memory").order_by("pk"))
        again = set(Sighting.objects.filter(episode_id__in=ids).values_list("episode_id", flat=True))
        _correct_outcomes([episode for episode in episodes if episode.pk in again])
        _record_sightings([episode for episode in episodes if episode.pk not in again])
        Unprofiled.objects.put(episode for episode in episodes if episode.outcome)
        Episode.objects.digested([episode.pk for episode in episodes], at=at)
    return len(episodes)


def _correct_outcomes(episodes: Sequence[Episode]) -> None:
    """Correct the counters of patterns for episodes that were digested before with another outcome."""
    outcome = {episode.pk: episode.outcome for episode in episodes}
    moved: dict[UUID, list[Sighting]] = defaultdict(list)
    for sighting in Sighting.objects.select_for_update().filter(episode_id__in=outcome):
        if outcome[sighting.episode_id] not in (None, sighting.outcome):
            moved[sighting.pattern_id].append(sighting)
    for pattern_id, sightings in sorted(moved.items()):
        rows = Sighting.objects.filter(pattern=pattern_id)
        cases = {sighting.case for sighting in sightings}
        before, counts = rows.well(cases), Counter[str]()
        for sighting in sightings:
            now = str(outcome[sighting.episode_id])
            counts.update({now: 1})
            counts.subtract([sighting.outcome])
            Sighting.objects.filter(pk=sighting.pk).update(outcome=now)
        difference = len(rows.well(cases)) - len(before)
        Pattern.objects.filter(pk=pattern_id).update(
            due=True, cases=F("cases") + difference, **_counter_updates(counts)
        )
        _wake_parts(Pattern.objects.get(pk=pattern_id))


def _record_sightings(episodes: Sequence[Episode]) -> None:
    """Record a sighting of its pattern for each episode that is digested for the first time."""
    by_pattern: dict[PatternIdentity, list[Episode]] = defaultdict(list)
    runs = recorded.calls_of([episode for episode in episodes if episode.outcome])
    for run, episode in runs:
        if run.steps:
            by_pattern[_identity(run, episode)].append(episode)
    for identity in sorted(by_pattern, key=lambda key: (key.sha256, key.sensitivity)):  # one order: no deadlock
        _count(identity, by_pattern[identity])


def _identity(run: Run, episode: Episode) -> PatternIdentity:
    """The identity by the run's effects; with SIGNATURE=all by all tools that it used."""
    rules = tool_rules([episode])
    kinds = effects(run, rules)
    literal = settings.SIGNATURE == "all"
    name = signature(run.tools - rules.ignored) if literal else signature(kinds)
    kind = Pattern.Kind.EXACT if literal else Pattern.Kind.EFFECTS
    return PatternIdentity(kind, episode.scope, episode.memory.sensitivity, name, tuple(sorted(kinds)))


def _count(identity: PatternIdentity, episodes: Sequence[Episode]) -> None:
    moments = [episode.closed_at for episode in episodes if episode.closed_at]
    pattern, _ = Pattern.objects.get_or_create(
        kind=identity.kind,
        scope=identity.scope,
        sensitivity=identity.sensitivity,
        signature_sha256=identity.sha256,
        defaults={
            "signature": identity.signature,
            "effects": list(identity.effects),
            "first_seen_at": min(moments),
            "last_seen_at": max(moments),
        },
    )
    rows = [
        Sighting(
            pattern=pattern,
            episode_id=episode.pk,
            case=case_of(episode.thread_id, episode.pk),
            outcome=episode.outcome,
            at=episode.closed_at,
        )
        for episode in episodes
        if episode.outcome and episode.closed_at
    ]
    cases = {row.case for row in rows}
    before = pattern.sightings.well(cases)
    Sighting.objects.bulk_create(rows)
    Pattern.objects.filter(pk=pattern.pk).update(
        due=True,
        cases=F("cases") + len(pattern.sightings.well(cases) - before),
        first_seen_at=Least("first_seen_at", Value(min(moments))),
        last_seen_at=Greatest("last_seen_at", Value(max(moments))),
        **_counter_updates(Counter(str(episode.outcome) for episode in episodes)),
    )
    _wake_parts(pattern)


def _wake_parts(pattern: Pattern) -> None:
    """What is done as a part of more may have been seen often enough by now."""
    if pattern.kind == Pattern.Kind.EFFECTS and len(pattern.effects) > 1:
        Pattern.objects.parts(pattern).filter(cases__gte=1).update(due=True)


def _counter_updates(counts: Counter[str]) -> dict[str, object]:
    return {COLUMN[Outcome(name)]: F(COLUMN[Outcome(name)]) + n for name, n in counts.items() if n}
