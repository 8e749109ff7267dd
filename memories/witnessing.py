"""Episodes speak for or against a memory: evidence, track record and salience move together, each episode once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Least

from memories import decay
from memories.choices import Outcome
from memories.models import Episode, Evidence, Memory, Performance
from memories.models.evidence import episode_occasion


@dataclass(frozen=True)
class Witness:
    """An episode and how it ended. The episode itself may be gone; what it said stays in `snapshot`."""

    episode_id: UUID
    outcome: Outcome
    at: datetime
    snapshot: str = ""

    @property
    def occasion(self) -> str:
        return episode_occasion(self.episode_id)


def count(memory: Memory, witnesses: Sequence[Witness], *, at: datetime, founding: bool = False) -> int:
    """Counts each witness once: one that was counted with another outcome moves the numbers by the difference.

    A success that is new reinforces salience by the memory's gain; `founding` evidence, from which the memory was made,
    does not. Answers how many were new. Runs in the caller's transaction or its own.
    """
    with transaction.atomic():
        Performance.objects.get_or_create(memory=memory)
        Performance.objects.select_for_update().get(memory=memory)  # whoever counts the same at this moment waits
        known = Evidence.objects.select_for_update().filter(memory=memory, occasion__in=[w.occasion for w in witnesses])
        counted = {evidence.occasion: evidence for evidence in known}
        fresh = [witness for witness in witnesses if witness.occasion not in counted]
        difference: Counter[str] = Counter(witness.outcome for witness in fresh)
        for witness in witnesses:
            former = counted.get(witness.occasion)
            if former and former.outcome != witness.outcome:
                difference.update({witness.outcome: 1})
                difference.subtract([former.outcome] if former.outcome else [])
                Evidence.objects.filter(pk=former.pk).update(
                    outcome=witness.outcome, kind=_kind(witness, founding=False)
                )
        Evidence.objects.bulk_create(_evidence(memory, fresh, founding=founding))
        Performance.objects.filter(memory=memory).moved(
            difference, last_used_at=max((w.at for w in fresh), default=None)
        )
        if not founding:
            _reinforce(memory, sum(witness.outcome == Outcome.SUCCESS for witness in fresh), at=at)
    return len(fresh)


def suppress(memory: Memory, witnesses: Sequence[Witness], *, source: str) -> None:
    """Evidence for what people dismissed or took back: one row for each day, nothing else moves."""
    rows = {
        f"suppressed:{source}:{w.at.date()}": Evidence(
            memory=memory, kind=Evidence.Kind.SUPPRESSED, at=w.at, snapshot=w.snapshot
        )
        for w in witnesses
    }
    for occasion, row in rows.items():
        row.occasion = occasion
    Evidence.objects.bulk_create(rows.values(), ignore_conflicts=True)


def _kind(witness: Witness, *, founding: bool) -> str:
    if witness.outcome == Outcome.FAILURE:
        return Evidence.Kind.CONTRADICTS
    if witness.outcome == Outcome.PARTIAL:
        return Evidence.Kind.SUPPORTS
    return Evidence.Kind.CREATED if founding else Evidence.Kind.REINFORCED


def _evidence(memory: Memory, witnesses: Sequence[Witness], *, founding: bool) -> list[Evidence]:
    there = set(Episode.objects.filter(pk__in=[w.episode_id for w in witnesses]).values_list("pk", flat=True))
    return [
        Evidence(
            memory=memory,
            occasion=witness.occasion,
            episode_id=witness.episode_id if witness.episode_id in there else None,
            kind=_kind(witness, founding=founding),
            outcome=witness.outcome,
            delta=0 if founding or witness.outcome != Outcome.SUCCESS else memory.reinforcement_gain,
            at=witness.at,
            snapshot=witness.snapshot,
        )
        for witness in witnesses
    ]


def _reinforce(memory: Memory, times: int, *, at: datetime) -> None:
    if times:
        now = Least(1.0, decay.SalienceAt(at) + F("reinforcement_gain") * times)
        Memory.objects.filter(pk=memory.pk).update(salience=now, salience_at=at, reinforced_at=at)
