"""The salience of a memory as a small curve: what it is now, how it falls, and when it would fade."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.models import Memory
from memories.values.choices import LIVE

HALVINGS = 3  # half-lives that the curve shows at least
STEPS = 24
WIDTH, HEIGHT = 100, 24


@dataclass(frozen=True)
class Curve:
    """`now`: the salience in percent; `points`: an SVG polyline from now on; `until`: the end of the curve."""

    now: int
    points: str
    until: datetime
    half_life: timedelta
    is_level: bool  # it does not fall: pinned


def curve(memory: Memory, *, at: datetime) -> Curve | None:
    """Return the curve of a live memory; None for a closed one."""
    if memory.status not in LIVE:
        return None
    half_life = timedelta(seconds=min(memory.half_life, timedelta(days=36_500).total_seconds()))
    until = max(memory.fades_at or at, at + HALVINGS * half_life)
    span = until - at
    values = [memory.salience_on(at + span * step / STEPS) for step in range(STEPS + 1)]
    points = " ".join(f"{WIDTH * n / STEPS:.1f},{HEIGHT * (1 - value):.1f}" for n, value in enumerate(values))
    return Curve(round(values[0] * 100), points, until, half_life, memory.pinned)
