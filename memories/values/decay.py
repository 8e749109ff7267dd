"""Decay of salience and confidence over time.

Salience is a formula of the clock, in Python and as SQL; no job writes it. The confidence of an idle claim falls in
steps, which a daily job writes.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.db.models import F, FloatField, Func, Value
from django.db.models.expressions import Combinable

HOUR, DAY = 3_600.0, 86_400.0  # seconds
HALF_LIFE = {"conversation": 30 * DAY, "event": HOUR, "working": DAY}  # of the salience of experience
PRUNABLE_BELOW = 0.001  # the salience under which experience may be pruned
MOST_STEPS = 32_767  # the column's limit
FAINTEST, MOST_HALVINGS = 1e-100, 500  # limits of both formulas: SQL raises on underflow


def salience_at(
    at: datetime,
    *,
    salience: float,
    salience_at: datetime,
    half_life: float,
    min_salience: float = 0.0,
    max_age: float = 0.0,
    created_at: datetime | None = None,
    pinned: bool = False,
) -> float:
    """Salience at a moment: s(at) = max(min, s * 2^(-elapsed / half_life)).

    Constant when pinned; 0 when older than max_age; unchanged when the clock runs backwards. half_life and max_age are
    in seconds; max_age 0 means none.
    """
    if pinned:
        return salience
    if max_age and created_at and (at - created_at).total_seconds() > max_age:
        return 0.0
    if salience < FAINTEST:
        return min_salience
    elapsed = min(max(0.0, (at - salience_at).total_seconds()), half_life * MOST_HALVINGS)
    return max(min_salience, salience * math.pow(2.0, -elapsed / half_life))


class SalienceAt(Func):
    """The salience formula as a database expression: `Memory.objects.annotate(salience_now=SalienceAt(at))`."""

    function = "memos_salience_at"
    output_field = FloatField()
    columns = ("salience", "salience_at", "half_life", "min_salience", "max_age", "created_at", "pinned")

    def __init__(self, at: datetime | Combinable, **extra: Any) -> None:
        moment = at if isinstance(at, Combinable) else Value(at)
        super().__init__(moment, *(F(column) for column in self.columns), **extra)

    @classmethod
    def sql(cls, row: str) -> str:
        """The formula as SQL text, for the table alias `row` and the parameter `at`."""
        return f"{cls.function}(%(at)s, {', '.join(f'{row}.{column}' for column in cls.columns)})"


class SalienceRank(Func):
    """The order of salience, at any time, among rows of one half-life that nothing limits: its binary logarithm plus
    the half-lives from the epoch to the time of which it was.
    """

    function = "memos_salience_rank"
    output_field = FloatField()

    def __init__(self, *columns: str | Combinable, **extra: Any) -> None:
        super().__init__(*(columns or ("salience", "salience_at", "half_life")), **extra)


class FadesAt(Func):
    """The moment when salience falls below PRUNABLE_BELOW; null when it never does. Immutable SQL: it only adds
    seconds.
    """

    function = "memos_fades_at"


@dataclass(frozen=True)
class Pace:
    """The settings of confidence decay. `demotes` off: a decayed claim keeps its status until it expires."""

    idle_days: int = 30
    step_days: int = 7
    points: int = 5
    floor: int = 0
    demotes: bool = True
    demote_below: int = 60
    expire_below: int = 10

    @classmethod
    def of_settings(cls) -> Self:
        return cls(**settings.DECAY)

    def steps_due(self, idle: timedelta) -> int:
        """How many decay steps an idle time implies: 0 before `idle_days`, then one more each `step_days`."""
        beyond = idle - timedelta(days=self.idle_days)
        return min(MOST_STEPS, beyond // timedelta(days=self.step_days) + 1) if beyond >= timedelta() else 0

    def next_look(self, idle_since: datetime, steps: int) -> datetime:
        """When the step after these is due."""
        return idle_since + timedelta(days=self.idle_days + self.step_days * steps)

    def left(self, confidence: int, steps: int) -> int:
        """The confidence after so many steps; one that is below the floor already is unchanged."""
        return min(confidence, max(self.floor, confidence - self.points * steps))


def awake(at: datetime) -> dict[str, Any]:
    """Column values that restart the idle time of a claim (created, used, confirmed, edited, promoted or restored)."""
    return {"idle_since": at, "decay_steps": 0, "decay_due_at": Pace.of_settings().next_look(at, 0)}
