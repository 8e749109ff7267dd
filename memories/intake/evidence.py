"""Count occasions for or against a memory: evidence, track record and salience move together, each occasion once.

An occasion is a run that was recorded, or a use that an agent reported; a use that names the run is the same occasion.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least

from memories.models import Episode, Event, Evidence, Memory, Performance
from memories.models.evidence import LONGEST_SNAPSHOT, episode_occasion
from memories.models.performance import COLUMN, flag_if_failing
from memories.values import decay
from memories.values.choices import Outcome
from memories.values.trust import Actor

PENALTY = 0.1  # of salience, for a use that was reported as failed


@dataclass(frozen=True)
class Witness:
    """How an occasion ended. The episode itself may be gone; what it said stays in `snapshot`.

    `by`: the agent that reported a use; None: read from the run. `request`: names an occasion that has no episode.
    """

    episode_id: UUID | None
    outcome: Outcome | None
    at: datetime
    snapshot: str = ""
    latency_ms: float | None = None
    by: Actor | None = None
    request: UUID | None = None

    @property
    def occasion(self) -> str:
        return episode_occasion(self.episode_id) if self.episode_id else f"request:{self.request}"


@dataclass
class Difference:
    """By how much the counters of a track record move."""

    outcomes: Counter[str] = field(default_factory=Counter)
    latencies: int = 0
    latency_ms: float = 0.0

    def add(self, outcome: str | None, latency_ms: float | None, times: int = 1) -> None:
        if outcome:
            self.outcomes[outcome] += times
        if latency_ms is not None:
            self.latencies += times
            self.latency_ms += latency_ms * times


def count(memory: Memory, witnesses: Sequence[Witness], *, at: datetime, founding: bool = False) -> int:
    """Count each witness once: one that was counted with another outcome moves the numbers by the difference.

    A success that is new reinforces salience by the memory's gain; `founding` evidence, from which the memory was made,
    does not. A reported failure that is new penalizes it. A witness without an outcome takes back what it said before.
    What an agent reported of a use is not replaced by what is read from the run. Answers how many were new. Runs in the
    caller's transaction or its own.
    """
    with transaction.atomic():
        Performance.objects.bulk_create([Performance(memory_id=memory.pk)], ignore_conflicts=True)
        Performance.objects.select_for_update().get(memory=memory)  # whoever counts the same at this moment waits
        witnesses = _with_latencies(witnesses)
        former_rows = Evidence.objects.select_for_update().filter(
            memory=memory, occasion__any=[w.occasion for w in witnesses]
        )
        former_evidence = {evidence.occasion: evidence for evidence in former_rows}
        new_witnesses = [
            witness for witness in witnesses if witness.occasion not in former_evidence and witness.outcome
        ]
        difference = Difference()
        for witness in witnesses:
            if former := former_evidence.get(witness.occasion):
                _correct(former, witness, difference)
            elif witness.outcome:
                difference.add(witness.outcome, witness.latency_ms)
        Evidence.objects.bulk_create(_evidence(memory, new_witnesses, _present(new_witnesses), founding=founding))
        Performance.objects.filter(memory=memory).moved(
            difference.outcomes,
            latencies=difference.latencies,
            latency_ms=difference.latency_ms,
            last_used_at=max((w.at for w in new_witnesses), default=None),
        )
        if not founding:
            _move_salience(memory, new_witnesses, at=at)
        if difference.outcomes[Outcome.FAILURE] or difference.outcomes[Outcome.SUCCESS]:  # the fifth may be either
            flag_if_failing(memory, at=at)
    return len(new_witnesses)


def count_founders(founders: Mapping[Memory, Sequence[Witness]]) -> None:
    """Count the occasions from which new memories were made: all of them in a handful of statements."""
    founders = {memory: [witness for witness in witnesses if witness.outcome] for memory, witnesses in founders.items()}
    timed_witnesses = iter(_with_latencies([witness for witnesses in founders.values() for witness in witnesses]))
    by_memory = {memory: [next(timed_witnesses) for _ in witnesses] for memory, witnesses in founders.items()}
    episode_ids = _present(witness for witnesses in by_memory.values() for witness in witnesses)
    records, rows = [], []
    for memory, witnesses in by_memory.items():
        difference = Difference()
        for witness in witnesses:
            difference.add(witness.outcome, witness.latency_ms)
        records.append(_record(memory, difference, last=max((witness.at for witness in witnesses), default=None)))
        rows += _evidence(memory, witnesses, episode_ids, founding=True)
    Performance.objects.bulk_create(records)
    Evidence.objects.bulk_create(rows)


def _record(memory: Memory, counts: Difference, *, last: datetime | None) -> Performance:
    outcomes = {column: counts.outcomes[outcome] for outcome, column in COLUMN.items()}
    times = {"latency_count": counts.latencies, "latency_total_ms": counts.latency_ms, "last_used_at": last}
    return Performance(memory=memory, **outcomes, **times)


def record_suppressed(memory: Memory, moments: Mapping[datetime, str], *, source: str) -> None:
    """Record that what people dismissed or took back was met again: one evidence row a day and source, and no count.

    `moments`: when it was met -> the words to be kept, '' for none.
    """
    days = {moment.date(): (moment, words) for moment, words in moments.items()}
    rows = [
        Evidence(
            memory=memory,
            occasion=f"suppressed:{source}:{day}",
            kind=Evidence.Kind.SUPPRESSED,
            at=moment,
            snapshot=words[:LONGEST_SNAPSHOT],
        )
        for day, (moment, words) in days.items()
    ]
    Evidence.objects.bulk_create(rows, ignore_conflicts=True)


def _with_latencies(witnesses: Sequence[Witness]) -> list[Witness]:
    """The witnesses with their latency, which a witness without one takes from its episode."""
    latencies = _latencies({w.episode_id for w in witnesses if w.episode_id and w.latency_ms is None})
    return [
        replace(w, latency_ms=latencies.get(w.episode_id)) if w.episode_id and w.latency_ms is None else w
        for w in witnesses
    ]


def _latencies(episodes: Collection[UUID]) -> dict[UUID, float]:
    """Milliseconds by episode: as its outcome tells, else the sum of its tool calls."""
    if not episodes:
        return {}
    latencies = Event.objects.filter(episode__any=episodes).latencies()
    rows = Episode.objects.filter(pk__any=episodes, outcome_details__has_key="latency_ms")
    return latencies | {pk: details["latency_ms"] for pk, details in rows.values_list("pk", "outcome_details")}


def _correct(former: Evidence, witness: Witness, difference: Difference) -> None:
    """Replace what was counted before, unless an agent reported that and the witness is only read from the run."""
    if former.made_by_id and witness.by is None:
        return
    if witness.outcome is None:
        difference.add(former.outcome, former.latency_ms, times=-1)
        former.delete()
        return
    latency_ms = former.latency_ms if witness.latency_ms is None else witness.latency_ms
    difference.add(former.outcome, former.latency_ms, times=-1)
    difference.add(witness.outcome, latency_ms)
    if former.outcome != witness.outcome:
        former.outcome, former.kind = witness.outcome, _kind(witness, founding=False)
    if witness.by:
        former.made_by, former.made_by_id = witness.by.name[:200], witness.by.identity
    former.latency_ms = latency_ms
    former.save(update_fields=["outcome", "kind", "latency_ms", "made_by", "made_by_id"])


def _kind(witness: Witness, *, founding: bool) -> str:
    if witness.outcome == Outcome.FAILURE:
        return Evidence.Kind.CONTRADICTS
    if witness.outcome == Outcome.PARTIAL:
        return Evidence.Kind.SUPPORTS
    return Evidence.Kind.CREATED if founding else Evidence.Kind.REINFORCED


def _present(witnesses: Iterable[Witness]) -> set[UUID]:
    """The episodes of these that are still there."""
    episode_ids = [witness.episode_id for witness in witnesses if witness.episode_id]
    return set(Episode.objects.filter(pk__any=episode_ids).values_list("pk", flat=True))


def _evidence(
    memory: Memory, witnesses: Sequence[Witness], present_episodes: Collection[UUID], *, founding: bool
) -> list[Evidence]:
    return [
        Evidence(
            memory=memory,
            occasion=witness.occasion,
            episode_id=witness.episode_id if witness.episode_id in present_episodes else None,
            kind=_kind(witness, founding=founding),
            outcome=witness.outcome,
            latency_ms=witness.latency_ms,
            delta=0 if founding else _delta(memory, witness),
            at=witness.at,
            made_by=witness.by.name[:200] if witness.by else "",
            made_by_id=witness.by.identity if witness.by else "",
            snapshot=witness.snapshot,
        )
        for witness in witnesses
    ]


def _delta(memory: Memory, witness: Witness) -> float:
    """The change of salience that a witness causes."""
    if witness.outcome == Outcome.SUCCESS:
        return memory.reinforcement_gain
    return -PENALTY if witness.outcome == Outcome.FAILURE and witness.by else 0


def _move_salience(memory: Memory, new_witnesses: Sequence[Witness], *, at: datetime) -> None:
    rows = Memory.objects.filter(pk=memory.pk)
    if times := sum(witness.outcome == Outcome.SUCCESS for witness in new_witnesses):
        salience = Least(1.0, decay.SalienceAt(at) + F("reinforcement_gain") * times)
        rows.update(salience=salience, salience_at=at, reinforced_at=at)
    if failures := sum(witness.outcome == Outcome.FAILURE and witness.by is not None for witness in new_witnesses):
        rows.penalize(PENALTY * failures, at=at)
