"""Runs of plugins as they report them, and what the pattern rules made of them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from consolidation import pattern_run
from consolidation.models import Run
from memories.intake import episodes
from memories.intake.episodes.new_rows import Ingested
from memories.intake.reports import events
from memories.models import Memory
from tests.consolidation.experience import AGENT

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday
LATER = MORNING + timedelta(days=60)
EMAIL = {"company": "Acme Corp", "input_type": "email", "category": "action-required"}
SCOPE = "project:acme"
ACME = "p01-acmecorp-action-required"  # what the rules learn from runs of EMAIL
_number = count(1)


def reported(
    source: str,
    at: datetime,
    *,
    scope: str = SCOPE,
    thread: str | None = None,
    sensitivity: str = "low",
    **context: Any,
) -> events.EventReport:
    """What is not scope, thread or sensitivity stands in its context."""
    place = {"scope": scope, "thread_id": thread, "sensitivity": sensitivity}
    said = {"source": source, "event_kind": "plugin_run", "ref": f"r{next(_number)}", "timestamp": at.isoformat()}
    return events.check(events.EventReport, {**said, **place, "context": context or {"output_type": "draft"}})


def ran_all(runs: Sequence[events.EventReport]) -> None:
    """Many reported runs at once."""
    episodes.record_events(runs, trust=AGENT, at=MORNING)


def ran(source: str = "P01", at: datetime = MORNING, **more: Any) -> Memory:
    """One reported run: its episode."""
    (stored,) = episodes.record_events([reported(source, at, **more)], trust=AGENT, at=at)
    assert isinstance(stored, Ingested)
    assert stored.memory is not None
    return stored.memory


def ruled(at: datetime = LATER) -> Run:
    """A run of the rules by hand, which must not have failed."""
    done = pattern_run.apply_rules(trigger=Run.Trigger.COMMAND, wait=True, at=at)
    assert done is not None
    assert done.status == Run.Status.SUCCEEDED, done.error
    return done


def live(key: str, scope: str = SCOPE) -> Memory | None:
    return Memory.objects.live().filter(scope=scope, key=key).first()


def found(key: str, scope: str = SCOPE) -> Memory:
    """The live memory with this key, which must be there."""
    memory = live(key, scope)
    assert memory is not None, list(Memory.objects.exclude(key=None).values_list("key", flat=True))
    return memory


def seen_thrice(*, at: datetime = LATER) -> Memory:
    """What the rules make, at this time, of three runs of EMAIL on three days."""
    for n in range(3):
        ran(at=MORNING + days(n), **EMAIL)
    ruled(at=at)
    return found(ACME)


def stands(key: str, scope: str = SCOPE) -> tuple[int, int]:
    """Its confidence and how often it was confirmed."""
    memory = found(key, scope)
    return memory.confidence, memory.times_confirmed


def keys(prefix: str = "") -> set[str]:
    found = Memory.objects.live().filter(key__startswith=prefix).values_list("key", flat=True)
    return {key for key in found if key}


def days(n: float) -> timedelta:
    return timedelta(days=n)


def follow(*sources: str, day: int, thread: str | None = None, minutes: int = 10) -> None:
    """Plugins run one after the other, so many minutes apart."""
    for n, source in enumerate(sources):
        ran(source, MORNING + days(day) + timedelta(minutes=minutes * n), thread=thread)
