"""The confidence ladder: where a claim starts, what a confirmation adds, when it is confirmed and applied.

intake/claims/reinforcement.py writes what is gained, climbing.py the status. Competences and plans never climb
by number: a person publishes them.
"""

from dataclasses import dataclass
from typing import Any, Self

from django.conf import settings

from memories.models import Memory
from memories.values.choices import Hold, Origin, Status, Type

LEARNED = (Origin.CONSOLIDATED, Origin.EXTRACTED)
USER = "User"  # the source that a person's words come from


@dataclass(frozen=True)
class Ladder:
    """The numbers of the settings. `confirms` and `applies` off: that step waits for a person."""

    stored: int = 20
    direct: int = 50
    gain: int = 15
    confirm_at: int = 60
    apply_at: int = 80
    apply_after: int = 3
    apply_agents: int = 1
    confirms: bool = True
    applies: bool = True

    @classmethod
    def of_settings(cls) -> Self:
        numbers: dict[str, Any] = settings.LADDER
        return cls(**numbers)

    def start(self, *, source: str, direct: bool, confidence: int | None) -> int:
        """Confidence of a new claim; what the caller gives is clamped, not refused."""
        if confidence is not None:
            return min(100, max(0, confidence))
        return self.direct if direct or source == USER else self.stored

    def gained(self, confidence: int, times: int = 1) -> int:
        """Confidence after so many confirmations."""
        return min(100, confidence + self.gain * times)

    def status(self, now: str, *, confidence: int, times_confirmed: int, agents_or_sessions: int = 1) -> Status:
        """Where a claim stands by its numbers, `agents_or_sessions` as its evidence counts. It only climbs, and may
        climb both steps at once."""
        if now == Status.CANDIDATE and self.confirms and confidence >= self.confirm_at:
            now = Status.CONFIRMED
        if now == Status.CONFIRMED and self._applies(confidence, times_confirmed, agents_or_sessions):
            now = Status.APPLIED
        return Status(now)

    def _applies(self, confidence: int, times_confirmed: int, agents_or_sessions: int) -> bool:
        enough = confidence >= self.apply_at and times_confirmed >= self.apply_after
        return self.applies and enough and agents_or_sessions >= self.apply_agents


def waits_for_person(memory: Memory) -> bool:
    """Whether no number carries this row further and none makes it confirmed at birth, however often it is said.

    What was flagged always waits. What resembles a dismissed claim, or is dismissed in a scope that reads it, waits
    until a person has vouched for the row (`floor`). Every place that gives a status by number asks here.
    """
    is_dismissed = memory.resembles is not None or bool(memory.withheld_from)
    return bool(memory.flags) or (is_dismissed and memory.hold != Hold.FLOOR)


def may_climb(memory: Memory) -> bool:
    """Whether numbers may move a row at all.

    `fixed`: a person put it where it is. What consolidation counted from runs or extracted from conversations waits for
    a person too, until one has vouched for it: whoever talks to an agent, however often, decides nothing for all.
    """
    if memory.type != Type.SEMANTIC or memory.hold == Hold.FIXED or waits_for_person(memory):
        return False
    return memory.hold == Hold.FLOOR or memory.origin not in LEARNED
