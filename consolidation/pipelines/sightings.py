"""First half of a run: what new episodes have in common with earlier ones. Counted exactly, one transaction a batch."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest, Least

from consolidation.learning import signatures
from consolidation.learning.runs import Call, Run
from consolidation.models import Pattern, Sighting
from consolidation.pipelines.recorded import read_only_hints
from memories.choices import Outcome
from memories.models import Episode, Event
from memories.models.performance import COLUMN

BATCH = 50


@dataclass(frozen=True)
class Identity:
    """What makes two patterns one."""

    kind: Pattern.Kind
    scope: str
    sensitivity: int
    signature: str

    @property
    def sha256(self) -> bytes:
        return hashlib.sha256(self.signature.encode()).digest()


def digest(scope: str, *, at: datetime) -> Counter[str]:
    """Digests every new episode of a scope, in order. Counters: episodes_read, failed, set_aside (all there are).

    An attempt is counted and committed before the work. What was attempted before and not finished (its worker died of
    it, or of a neighbour) is tried alone, so that only the one that kills is tried three times and then set aside.
    """
    counters: Counter[str] = Counter()
    after: tuple[datetime, UUID] | None = None
    while batch := _next(scope, after):
        after, ids = batch[-1][:2], [episode_id for _, episode_id, _ in batch]
        Episode.objects.attempted(ids)
        try:
            counters["episodes_read"] += _read(ids, at=at)
        except Exception:  # whatever one episode does to its batch, the others are digested alone
            counters.update(_each_alone(ids, at=at))
    if aside := Episode.objects.set_aside().filter(scope=scope).count():
        counters["set_aside"] = aside
    return counters


def _next(scope: str, after: tuple[datetime, UUID] | None) -> list[tuple[datetime, UUID, int]]:
    """The next episodes that nobody has attempted, or one alone that somebody has: (closed_at, id, attempts)."""
    rows = Episode.objects.undigested().filter(scope=scope)
    if after:
        rows = rows.after(*after)
    found = rows.values_list("closed_at", "pk", "digest_attempts")[:BATCH]
    batch = [(closed_at, pk, attempts) for closed_at, pk, attempts in found if closed_at]
    return batch[:1] if batch and batch[0][2] else list(takewhile(lambda row: row[2] == 0, batch))


def _each_alone(ids: Sequence[UUID], *, at: datetime) -> Counter[str]:
    counters: Counter[str] = Counter()
    for episode_id in ids:
        try:
            counters["episodes_read"] += _read([episode_id], at=at)
        except Exception as error:  # kept on the episode, shown, and tried again in the next run
            Episode.objects.filter(pk=episode_id).update(digest_error=f"{type(error).__name__}: {error}"[:2000])
            counters["failed"] += 1
    return counters


def _read(ids: Sequence[UUID], *, at: datetime) -> int:
    """One transaction: sightings, the patterns' counters, and the episodes' mark, or nothing of it."""
    with transaction.atomic():
        locked = Episode.objects.select_for_update(of=("self",)).filter(pk__in=ids, digested_at=None)
        episodes = list(locked.select_related("memory").order_by("pk"))
        again = set(Sighting.objects.filter(episode_id__in=ids).values_list("episode_id", flat=True))
        _correct([episode for episode in episodes if episode.pk in again])
        _see([episode for episode in episodes if episode.pk not in again])
        Episode.objects.digested([episode.pk for episode in episodes], at=at)
    return len(episodes)


def _correct(episodes: Sequence[Episode]) -> None:
    """Episodes that were read before and have another outcome now: their patterns' counters move by the difference."""
    outcome = {episode.pk: episode.outcome for episode in episodes}
    difference: dict[UUID, Counter[str]] = defaultdict(Counter)
    stale = Sighting.objects.select_for_update().filter(episode_id__in=outcome)
    for sighting in stale:
        now = outcome[sighting.episode_id]
        if now and now != sighting.outcome:
            difference[sighting.pattern_id].update({now: 1, sighting.outcome: -1})
            Sighting.objects.filter(pk=sighting.pk).update(outcome=now)
    for pattern_id, counts in sorted(difference.items()):
        Pattern.objects.filter(pk=pattern_id).update(due=True, **_moved(counts))


def _see(episodes: Sequence[Episode]) -> None:
    """Episodes that are read for the first time: one sighting for each pattern that they show."""
    seen: dict[Identity, list[Episode]] = defaultdict(list)
    tools = _tools(episodes)
    for episode in episodes:
        if episode.outcome and tools[episode.pk]:
            for identity in _identities(episode, tools[episode.pk]):
                seen[identity].append(episode)
    for identity in sorted(seen, key=lambda one: (one.kind, one.sha256, one.sensitivity)):  # one order: no deadlock
        _count(identity, seen[identity])


def _tools(episodes: Sequence[Episode]) -> dict[UUID, set[str]]:
    calls = Event.objects.filter(episode__in=episodes, kind="tool_call").values_list("episode_id", "tool").distinct()
    tools: dict[UUID, set[str]] = defaultdict(set)
    for episode_id, tool in calls:
        if tool.strip():
            tools[episode_id].add(tool.strip())
    return tools


def _identities(episode: Episode, tools: set[str]) -> list[Identity]:
    assert episode.closed_at is not None
    at = episode.closed_at
    calls = tuple(Call(0, tool, None, None, None, at, None) for tool in tools)
    run = Run(episode.pk, None, episode.source, "success", at, calls, ())
    named = (
        (Pattern.Kind.EXACT, signatures.exact(run, settings.IGNORED_TOOLS)),
        (Pattern.Kind.GENERAL, signatures.effects(run, settings.IGNORED_TOOLS, read_only_hints([episode]))),
    )
    scope, sensitivity = episode.scope, episode.memory.sensitivity
    return [Identity(kind, scope, sensitivity, signature) for kind, signature in named if signature]


def _count(identity: Identity, episodes: Sequence[Episode]) -> None:
    moments = [episode.closed_at for episode in episodes if episode.closed_at]
    pattern, _ = Pattern.objects.get_or_create(
        kind=identity.kind,
        scope=identity.scope,
        sensitivity=identity.sensitivity,
        signature_sha256=identity.sha256,
        defaults={
            "signature": identity.signature,
            "first_seen_at": min(moments),
            "last_seen_at": max(moments),
        },
    )
    Sighting.objects.bulk_create(
        Sighting(pattern=pattern, episode_id=episode.pk, outcome=episode.outcome, at=episode.closed_at)
        for episode in episodes
        if episode.outcome and episode.closed_at
    )
    Pattern.objects.filter(pk=pattern.pk).update(
        due=True,
        first_seen_at=Least("first_seen_at", Value(min(moments))),
        last_seen_at=Greatest("last_seen_at", Value(max(moments))),
        **_moved(Counter(str(episode.outcome) for episode in episodes)),
    )


def _moved(counts: Counter[str]) -> dict[str, object]:
    return {COLUMN[Outcome(name)]: F(COLUMN[Outcome(name)]) + n for name, n in counts.items() if n}
